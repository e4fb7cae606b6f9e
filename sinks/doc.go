// Package sinks writes Zarr v3 hierarchies. There are three ways to do so:
//
//	Create ─▶ Writer ─CreateArray─▶ Array: WriteRegion, Append, WriteFrom ─▶ Commit
//	Open ─▶ Writer ─Array─▶ Array: the same, in a hierarchy that exists ─▶ Commit
//	New ─▶ Hierarchy ─Array─▶ ArrayWriter: Put, Copy, Stream ─▶ Finish
//
// The first two ways are for programs. They take regions of arrays and encode them. The
// third way is for jobs, which bring encoded chunks and keep receipts. The first two ways
// use it.
//
// Readers rely on the order of writing. Chunks come first. An array's document
// follows when all of its chunks are stored. Then come the documents of the groups. The
// root's document, with consolidated metadata, is the last. Below the target there is
// nothing but the objects of the hierarchy.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	receipt.go       Receipt
//	bitset.go        sets of chunk numbers
//	hierarchy.go     Hierarchy, and the order in which its documents appear
//	checksum.go      Checksum
//	array.go         ArrayWriter and Stream
//	grow.go          documents of arrays that grow
//	writer.go        Options, Writer and Array, and the objects that they hold
//	cell.go          the cells of an object: its inner chunks, or itself
//	old_object.go    what is stored of an object already
//	put_object.go    objects encoded and stored
//	object.go        objects that are filled region by region, and wait until they are stored
//	write_region.go  WriteRegion
//	append.go        Append
//	write_from.go    WriteFrom
//	open.go          Open
//	change.go        attributes, and documents that change in an existing hierarchy
//	create.go        Create and CreateGroup
//	create_array.go  CreateArray
//	commit.go        Commit
package sinks
