// Package parquet reads columns of Parquet files, as the Apache Parquet specification
// (parquet.thrift, Encodings.md, Compression.md) describes them:
//
//	| "PAR1" | row group: column chunk, column chunk, … | row group | … | footer | its length (4) | "PAR1" |
//	column chunk: dictionary page, if any | data page | data page | …
//	page:         header | repetition levels | definition levels | values
//
// The footer and the headers of pages are structures of Thrift's compact protocol.
// [ParseFooter] tells what a file contains and where. A [Reader] reads one column
// chunk, page by page, by ranges of the file.
//
// # What is read
//
// The package reads data pages of versions 1 and 2; the encodings PLAIN, RLE_DICTIONARY
// (and the older PLAIN_DICTIONARY), RLE, DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY,
// DELTA_BYTE_ARRAY and BYTE_STREAM_SPLIT; the compressions SNAPPY, GZIP, BROTLI, ZSTD,
// LZ4_RAW and LZ4. Checksums of pages are compared if there are any. LZO, levels that
// are BIT_PACKED, encryption and columns in other files are errors that wrap
// [ErrUnsupported].
//
// # Dictionaries
//
// Most columns have pages of indexes of a dictionary. A run of the same index becomes values at
// once. Packed indexes become numbers first, a few hundred at a time, and then values. On amd64
// with AVX2, a kernel unpacks indexes of up to 16 bits, eight at a time.
//
// # Damaged files
//
// No size is trusted: memory is bounded by the bytes of the file and by the sizes in
// the footer. Contradicting counts are errors that wrap [ErrCorrupt]. Nothing panics.
package parquet
