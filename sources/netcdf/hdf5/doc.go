// Package hdf5 reads HDF5 files: "HDF5 File Format Specification Version 3.0" and the
// older versions that it describes, and the datatypes and layouts of HDF5 2.0. It reads
// byte ranges of local and remote files through a [Reader].
//
// All numbers of a file are little-endian. Addresses count from the superblock. The
// superblock states the sizes of addresses and lengths. A file is a graph of objects:
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
// A [File] opens an [Object] by its address, which a [Link] has. An Object lists its
// attributes. An Object that is a group lists its links, and one that is a dataset
// opens as a [Dataset], which reads regions into memory. All of these types are safe
// for concurrent use.
//
// # What is read
//
// The package reads superblocks of versions 0 to 3, with or without a user block in
// front, and object headers, groups, attributes, heaps, trees and layouts of all
// versions. It has the filters deflate, shuffle, fletcher32, szip, nbit and scaleoffset, and
// the registered filters bitshuffle, bzip2, lzf, blosc, lz4 and zstd.
//
// It refuses everything else. The error names the obstacle:
//
//   - another filter, such as zfp
//   - a file in several parts, or one with an image of the metadata cache
//   - a virtual dataset whose sources have other datatypes, or selections of other shapes
//   - a datatype without a counterpart, see [hdf5type.Datatype.Type]
//
// A member of compounds can be read alone, see [Object.Field], and sequences of different
// lengths as one row, see [Object.Sequences]. References become the paths of their objects,
// which are found by walking the file once.
//
// Elements that were never written have the fill value. Texts end at their first zero
// byte; elements that are not UTF-8 are refused. If the mask of a chunk leaves out
// filters, they are not undone. If the layout says that chunks at the edges of the
// dataset are not filtered, no filter of these chunks is undone.
//
// # Other files
//
// External links, virtual datasets and elements in other files lead to files that
// [Options].Others opens. A virtual dataset is read mapping by mapping:
//
//	layout ──▶ global heap: mappings, each the name of a file, the path of a dataset,
//	           a selection in this dataset, and a selection in the virtual dataset
//
// Both selections of a mapping are boxes at equal distances. Dimensions along which a
// selection has one index are left out, and those that remain belong together in their
// order.
//
// # Requests
//
// Metadata are read in pages. A cache keeps the pages; several files can share it, see
// [Shared]. Pages that will be needed next are read ahead, neighbours together. The
// index of a dataset's chunks is read level by level when the first chunk is needed,
// and kept in the cache with 24 bytes a chunk. Chunks that lie close to each other are
// read at once.
//
// # Damaged files
//
// A number of a file is compared with the size of the file, or with a limit, before
// memory is allocated for it: 64 MiB for a header, 1 GiB for an object in a heap, 2 GiB
// for a chunk. All signatures and checksums are compared. Each step in a tree must go
// down one level, the pieces of a header have a common bound, and at most 16 links are
// followed for one path. A virtual dataset has at most 16384 sources, with those of its
// sources. A contradiction is an error that wraps [ErrCorrupt].
package hdf5
