// Package manifest is a plan as a document, as a checkpoint records it: the normalised job,
// the identity of each source file, and a digest of the metadata of each array. Two plans
// are the same if the hashes of their manifests are equal.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	manifest.go     Manifest and its parts
//	layout.go       a manifest as JSON, of this version and of version 1
//	differences.go  what has changed between two manifests
package manifest
