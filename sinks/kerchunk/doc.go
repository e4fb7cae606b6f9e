// Package kerchunk writes tables of references: for each key of a Zarr v2 hierarchy, the bytes
// of a document or a chunk, or which bytes of which file are the chunk. fsspec's
// ReferenceFileSystem reads them, and so does package sources/zarr.
//
// # JSON
//
// Version 1, with one entry a line:
//
//	{"version":1,"refs":{
//	".zgroup":"{\"zarr_format\":2}",
//	"a/.zarray":"{…}",                            a document
//	"a/0.0":["s3://bucket/one.nc",4096,800],      part of a file: URL, offset, length
//	"b/0":"base64:AAAA"                           bytes
//	}}
//
// # Parquet
//
// A folder. Its document .zmetadata has all documents, and record_size. The reference of chunk
// n of an array, counted in C order, is row n mod record_size of ARRAY/refs.R.parq, where R is
// n / record_size. A file has the columns path, offset, size and raw, and record_size rows, or
// fewer if it is the array's last. A file without any reference is not written. In other files,
// an unstored chunk has the bytes of a chunk of fill values in raw: with pandas 3, fsspec takes a
// row of nulls for a reference to a file named NaN.
//
// Tables are written from the beginning to the end. The memory for them does not depend on the
// number of chunks, except for that of the documents. The same calls give the same bytes.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	table.go    Table, which both kinds implement
//	json.go     tables in JSON
//	thrift.go   messages of Thrift
//	record.go   files of references in Parquet
//	parquet.go  tables in Parquet
package kerchunk
