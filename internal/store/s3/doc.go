// Package s3 keeps objects in buckets of S3, and in servers that speak its protocol. The build tag
// nos3 leaves it out.
package s3
