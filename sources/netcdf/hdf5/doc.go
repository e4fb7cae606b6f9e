// Package hdf5 reads HDF5 files: "HDF5 File Format Specification Version 3.0"
// and the older versions that it describes, and the datatypes and layouts of
// HDF5 2.0. It stands on a [Reader] of byte ranges, be the file local or remote.
//
// All numbers of a file are little-endian. Addresses count from the superblock;
// they and lengths have the sizes that it states. A file is a graph of objects:
//
//	superblock ──▶ object header of the root group
//
//	object header: messages, in pieces that continue each other
//	    group      links ──▶ object headers, each link
//	                   in a message; or in a fractal heap with a B-tree of version 2;
//	                   or, older, in a symbol table: a B-tree of version 1 and a local heap
//	    dataset    datatype, dataspace (extents), fill value, filters, data layout
//	                   compact      elements in the message
//	                   contiguous   elements in one run, in C order
//	                   chunked      chunk index ──▶ chunks
//	    any        attributes, each in a message; or in a fractal heap with a B-tree
//
//	chunk index: B-tree of version 1 or 2; array, fixed or extensible; computed; one chunk
//
//	message ──▶ shared message: in a committed datatype, or in the heap of the file
//	element of variable size ──▶ global heap
//
// A [File] opens an [Object] by its address, which a [Link] has. An Object lists
// its attributes, and its links or what it is as a [Dataset], which reads regions
// into memory. All of them are safe for concurrent use.
//
// # What is read
//
// Superblocks of versions 0 to 3, behind a user block or not; object headers,
// groups, attributes, heaps, trees and layouts of all versions. Of filters
// deflate, shuffle, fletcher32, nbit, scaleoffset, and the registered bitshuffle,
// bzip2, lzf, blosc, lz4 and zstd. Refused, each by its name, are other filters (szip),
// files in several parts or with an image of the metadata cache, elements in external
// files, virtual datasets, links to other files, and datatypes without a counterpart,
// see [hdf5type.Datatype.Type].
//
// Elements that were never written have the fill value. Texts end at their first
// zero byte; elements that are not UTF-8 are refused. Filters that the mask
// of a chunk leaves out are not undone, nor any for chunks at the edges of a
// dataset whose layout says so.
//
// # Requests
//
// Metadata are read in pages, which a cache keeps that several files can share,
// see [Shared]; what is known to be needed next is read ahead, neighbours
// together. The index of a dataset's chunks is read when the first of them is
// needed, level by level, and kept in the cache as 24 bytes a chunk. Chunks that
// lie close to each other are read at once.
//
// # What lying files get
//
// Nothing is allocated for a number of a file before that was compared with the
// size of the file or with a limit: 64 MiB for a header, 1 GiB for an object in a
// heap, 2 GiB for a chunk. All signatures and checksums are compared. Trees go
// down by one level a step, the pieces of a header are bounded together, and at
// most 16 soft links follow each other. What contradicts itself is an error that
// wraps [ErrCorrupt].
package hdf5
