// Package shapes chooses the shapes of chunks and shards, and judges those that a job or a source
// has. It reads no elements.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	rechunk.go       Once: chunks with which each source chunk is decoded once
//	chunks.go        Chooser, and chunks that are chosen
//	extents.go       chunks and shards by the names of dimensions
//	object_sizes.go  very many small objects, very large ones, and what shards cost
package shapes
