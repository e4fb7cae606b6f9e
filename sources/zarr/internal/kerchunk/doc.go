// Package kerchunk reads tables of references, which describe a Zarr hierarchy whose chunks lie
// in other files. kerchunk and VirtualiZarr write them.
//
// # JSON
//
// Version 0 is one object; version 1 has that object in refs:
//
//	{"version": 1,
//	 "templates": {"u": "s3://bucket/data", "f": "{{u}}/{{name}}.nc"},
//	 "gen": [{"key": "x/{{i}}", "url": "{{u}}/{{i}}.nc", "offset": "{{i * 8}}", "length": "8",
//	          "dimensions": {"i": {"stop": 4}}}],
//	 "refs": {".zgroup": "{\"zarr_format\":2}",              the bytes of the object
//	          "x/.zarray": {"zarr_format": 2},               a document
//	          "a/0": "base64:AAAA",                          bytes
//	          "b/0": ["{{f(name='one')}}", 4096, 800],       part of a file: URL, offset, length
//	          "c/0": ["two.bin"]}}                           a whole file
//
// Templates are those of Jinja2. [Expression] says which part of that language is known. A
// later entry replaces an earlier one with the same key, and gen replaces refs. All of the table
// is in memory. The text may be compressed by gzip or Zstandard.
//
// # Parquet
//
// The table is a folder. Its document .zmetadata has all documents of the hierarchy, and says
// how many references a file holds. The reference of chunk n of an array, counted in C order, is
// row n mod record_size of the file ARRAY/refs.R.parq, where R is n / record_size. The file has
// the columns path, offset, size and raw. The files that were used last stay in memory.
//
// # URLs
//
// Programs that write references do not percent-encode the names in file, s3, gs and azure URLs.
// A relative path counts from the folder of the table. [Places] says which URLs are allowed.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	places.go      which files a table may refer to, and their URLs
//	expression.go  expressions in templates
//	template.go    templates, and gen
//	table.go       a table in memory
//	compressed.go  tables in JSON that are compressed
//	json.go        tables in JSON
//	records.go     the files of a table in Parquet
//	parquet.go     tables in Parquet
package kerchunk
