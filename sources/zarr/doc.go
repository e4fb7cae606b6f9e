// Package zarr reads Zarr hierarchies of the formats v2 and v3: a group with everything
// below it, or one array, in any place that [store.Open] opens: a folder, a bucket, an
// HTTP server, a zip archive.
//
// # Metadata
//
// If the root has consolidated metadata (.zmetadata in v2, inline in zarr.json in v3),
// they are trusted and nothing is listed. Otherwise the folders are walked and the
// document of every node is read; this is an error if the store cannot be listed. A
// root without a document is a group without attributes. Documents are parsed when an
// array is opened, so that a bad document harms no other array. A group whose document
// cannot be read harms the arrays below it.
//
// Arrays of v2 are described in the terms of v3: order "F" is a transpose codec, and
// filters and compressors are codecs that read the same bytes. The attribute
// _ARRAY_DIMENSIONS becomes the names of the dimensions and is no longer an attribute.
// NaN and Infinity, which Python writes in attributes and JSON lacks, become strings.
//
// xarray writes names of dimensions, and for missing data it stores the fill value of
// v2. In v3 it stores the attribute _FillValue instead. So an array of integers or
// floats with named dimensions gets this attribute, if it lacks it and its fill value
// is neither NaN nor zero. A fill value of zero may stand for missing data or may have
// been chosen by nobody. It becomes the attribute, too, if other arrays of the
// hierarchy have null or NaN; otherwise it is a finding.
//
// # Images
//
// If the options say so, OME-NGFF metadata of version 0.4, which is for v2, become those of
// 0.5, which is for v3; see [ngff.Convert]. The dimensions of an array that they name in
// their datasets get the names of the axes.
//
// # Reading
//
// A missing chunk holds the fill value, or is an error if the options say so. Any other
// failure to read a chunk is an error, and so is a folder in its place. A chunk is read
// whole, by one request, unless its codecs can decode a part of it. From a shard, the
// index is read once; each region then reads the inner chunks that it meets, neighbours
// together. From uncompressed chunks, the rows of a region are read.
//
// Chunks of a rectilinear grid have several shapes, and their codecs are bound to each
// of them. The array's Info shows even chunks if only the last chunk along a dimension
// is smaller, or if the chunks are shards with inner chunks. Otherwise it shows no
// chunks. The objects of such an array are never carried through to another array.
//
// # Memory
//
// Besides dst, one call of ReadRegion holds at most the Memory of the array's Info: for
// one chunk, what [codecs.Chain.RegionMemory] says and an index. From a remote store it
// reads up to eight chunks at once, if they fit into 16 MiB together. With
// [Options.Parallel], it reads and decodes that many parts at once, from any store: chunks,
// or boxes of whole inner chunks. The bytes of
// elements of variable size have no bound and are not counted. The indexes of the
// shards that were used last stay in memory, up to 8 MiB together; a single index may
// be larger.
//
// # Identity
//
// Files lists the documents that were read and, of each opened array, up to 16 chunks
// that are spread evenly, each with size, time and ETag. They identify a store without
// a request for each of its objects. A program that rewrites an array, or appends to
// it, changes one of these objects. A change of a single chunk among more than 16 can
// stay unseen.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	options.go            Options
//	referred.go           the files behind a table of references
//	read_together.go      chunks that lie beside each other in such a file
//	missing_chunks.go     which chunks are not stored, by a list
//	opened_chunks.go      shards that stay open
//	hierarchy.go          what a source knows: nodes, arrays, versions, files
//	chunk_versions.go     each chunk is of the version that was seen first
//	references.go         tables of references, opened
//	all_chunks.go         missing_chunks: error
//	rectilinear.go        chunks of several sizes
//	images.go             OME-NGFF metadata
//	parts.go              the parts of a region that are read at once
//	array.go              an array: its description, and how regions are read
//	arithmetic_codecs.go  scale_offset and cast_value in front of a chain
//	identity.go           the files that identify a hierarchy
//	missing_data.go       what marks missing data in arrays of v2
//	no_hierarchy.go       what else may lie at a URL
//	stored_objects.go     objects as they are stored
//	packing.go            packed arrays
//	walk.go               a hierarchy that is found folder by folder
//	tree.go               the nodes, by the documents of the root or by a walk
//	source.go             Open
//	driver.go             the driver
//	outline.go            a hierarchy for inspect
//	stored_regions.go     which regions of an array are stored
package zarr
