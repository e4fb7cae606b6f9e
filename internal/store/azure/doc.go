// Package azure keeps objects in buckets of Azure Blob Storage. The build tag
// noazure leaves it out.
package azure
