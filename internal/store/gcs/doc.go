// Package gcs keeps objects in buckets of Google Cloud Storage. The build tag
// nogcs leaves it out.
package gcs
