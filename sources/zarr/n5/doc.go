// Package n5 reads the documents and the blocks of the format N5, in terms of Zarr.
//
// A group is a folder, with or without a document attributes.json. An array has the document
//
//	{"dimensions": [x, y, z], "blockSize": [64, 64, 64], "dataType": "uint16",
//	 "compression": {"type": "gzip", "level": -1}, …}
//
// and its other fields are attributes. Older documents have "compressionType": "gzip" instead of
// compression. The first dimension varies fastest. As zarr-python and z5py do, this package
// presents arrays with the dimensions reversed, so that the last one varies fastest.
//
// # Blocks
//
// The key of a block is its index in the order of N5: "0/1/2". A block is
//
//	uint16  mode: 0 default, 1 with a number of elements, 2 without a shape
//	uint16  number of dimensions
//	uint32  extent of each dimension, in the order of N5
//	uint32  number of elements, in mode 1
//
// followed by the elements, compressed. All numbers are big-endian. A block at the edge of the
// array may be smaller than others. A block that does not exist holds zeros.
//
// The codec n5_default reads blocks of mode 0. [Block] turns the others into such blocks, and
// decompresses LZ4, which N5 stores as the Java library lz4-java does, in frames of its own:
//
//	"LZ4Block", a byte with the method in the upper bits, uint32 compressed size, uint32 size,
//	uint32 xxHash of 28 bits, and the bytes; numbers are little-endian. The last frame is empty.
//
// z5 stores one LZ4 block instead of frames, numcodecs one behind its size, and the crate n5 of Rust
// a frame as LZ4 itself defines it.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	xxhash.go    xxHash of 32 bits
//	block.go     blocks
//	document.go  attributes.json
package n5
