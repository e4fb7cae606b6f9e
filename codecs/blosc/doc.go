// Package blosc reads and writes buffers of Blosc 1, as c-blosc 1.x (header version 2)
// makes them. The content is cut into blocks. In each block, the bytes or the bits of
// the elements are shuffled; then the block is compressed.
//
// A buffer, all numbers little-endian:
//
//	offset  bytes
//	0       1      version of the format: 2
//	1       1      version of the compressed streams: 1
//	2       1      flags, see below
//	3       1      size of an element (typesize), 1 to 255
//	4       4      size of the content
//	8       4      size of a block (the last one may be shorter)
//	12      4      size of the buffer
//	16      4×n    where each of the n blocks begins, from the start of the buffer
//	…       …      the blocks, in any order
//
// Flags:
//
//	0x01  bytes are shuffled
//	0x02  stored: the unchanged content follows the 16 bytes of the header
//	0x04  bits are shuffled
//	0x08  reserved, 0
//	0x10  blocks are not split
//	0xe0  codec: 0 blosclz, 1 lz4 (also for lz4hc), 2 snappy, 3 zlib, 4 zstd
//
// A block is one stream, or it is split into one stream for each byte of an element. A
// block is split if flag 0x10 is clear, elements have at most 16 bytes, and the block
// has at least 128 elements and is not a shorter last block. Each stream follows its
// size in four bytes. A stream that is as large as its content is the content itself.
//
// An [Encoder] makes buffers, and a [Decoder] reads them, whole or in part.
// [ParseHeader] and [Header.BlockRanges] tell a reader of remote buffers which bytes it
// needs.
package blosc
