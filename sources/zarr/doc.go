// Package zarr reads Zarr hierarchies of the formats v2 and v3: a group with
// everything below it, or one array, in any place that [store.Open] opens: a
// folder, a bucket, an HTTP server, a zip archive.
//
// # Metadata
//
// Consolidated metadata (.zmetadata of v2, inline in the zarr.json of v3) is
// believed where the root has it, and nothing is listed then. Otherwise all
// keys of the store are listed once and every document is read, which is an
// error where the store cannot be listed. A root without a document is a group
// without attributes. Documents are parsed when an array is opened, so that one
// that cannot be read harms no other; a group whose document cannot be read harms
// the arrays below it.
//
// Arrays of v2 are described in the terms of v3: order "F" is a transpose,
// filters and compressors are the codecs that read the same bytes, and the
// attribute _ARRAY_DIMENSIONS, from which it is removed, gives the names of the
// dimensions. NaN and Infinity as Python writes them in attributes, which no
// JSON has, become strings.
//
// The fill value of a v2 array whose dimensions have names, as xarray writes them,
// stands for missing data. In v3 that is for the attribute _FillValue to say, which
// such arrays get where it is not there: those of integers and floats with a fill
// value other than NaN, and other than zero unless arrays beside it have null or
// NaN. A zero elsewhere is a finding.
//
// # Reading
//
// A chunk that is not there holds the fill value, or is an error where the
// options say so; any other failure to read it is an error, and so is a folder
// in its place. A chunk is read whole, by one request, unless its codecs can
// decode a part of it: of a shard the index is read once and then, for each
// region, the inner chunks that it meets, neighbours together; of uncompressed
// chunks the rows.
//
// Chunks of a rectilinear grid have several shapes, and their codecs are bound to
// each of them. Such an array is shown as one of even chunks where only the last
// chunk along a dimension is smaller, or where its shards have inner chunks, and
// else as one without chunks; its objects are never those of another array.
//
// # Memory
//
// Besides dst, one call of ReadRegion holds at most the Memory of the array's
// Info: for one chunk what [codecs.Chain.RegionMemory] says, and an index; from a
// remote store it reads up to eight chunks at once, as far as they fit into 16
// MiB together. The bytes of elements of variable size have no bound and are
// not counted. The indexes of shards stay in memory up to 8 MiB together, those
// used last, or as one of them has.
//
// # Identity
//
// Files names the documents that were read and, of each opened array, up to 16
// of its chunks, spread evenly, by size, time and ETag: what identifies a store
// without a request for each of its objects. Whoever rewrites an array, or
// appends to it, changes one of these; a change of a single chunk among more
// than 16 can stay unseen.
package zarr
