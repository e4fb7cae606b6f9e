// Package zarr holds the documents of a Zarr v3 hierarchy: array and group metadata
// with consolidated metadata, chunk grids and chunk keys. It follows the Zarr v3 core
// specification, version 3.1, and also reads the documents of the Zarr v2
// specification. It knows nothing of stores.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	members.go         JSON objects whose fields keep their order
//	attributes.go      Attributes
//	python_numbers.go  numbers that Python writes and JSON lacks
//	extension.go       extension points: a name, or a name with a configuration
//	grid.go            Grid
//	rectilinear.go     rectilinear grids as JSON
//	auto_chunks.go     chunks that are chosen by their size
//	access_chunks.go   chunks that are chosen by how arrays are read
//	keys.go            KeyEncoding
//	metadata.go        Array and Group
//	names.go           names of nodes
//	parse.go           documents of Zarr v3
//	resize.go          documents of arrays that grow
//	v2.go              documents of Zarr v2
//	v2_write.go        the same, written
package zarr
