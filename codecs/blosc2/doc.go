// Package blosc2 reads contiguous frames of Blosc 2 (cframe), as c-blosc2 makes them and
// as the filter 32026 of HDF5 stores them. See README_CFRAME_FORMAT.rst and
// README_CHUNK_FORMAT.rst of c-blosc2, and README_B2ND_METALAYER.rst for arrays.
//
// A frame has a header, whose numbers are big-endian, the chunks, an index of the chunks,
// and a trailer. The numbers of a chunk are little-endian:
//
//	offset  bytes
//	0       1      version of the format: 3 to 5 (6: the same, if no flag says otherwise)
//	1       1      version of the compressed streams
//	2       1      flags, see below
//	3       1      size of an element (typesize)
//	4       4      size of the content
//	8       4      size of a block (the last one may be shorter)
//	12      4      size of the chunk
//	16      6      filters, in the order in which they were applied: 0 none, 1 shuffled bytes,
//	               2 shuffled bits, 3 delta, 4 truncated precision, 35 bytedelta (34: its old form)
//	22      1      codec of a user
//	23      1      parameter of the codec
//	24      6      parameters of the filters; for shuffled bytes and bytedelta the size of an element
//	30      1      reserved
//	31      1      further flags, see below
//	32      4×n    where each of the n blocks begins, from the start of the chunk
//	…       4+d    with a dictionary, its size and its d bytes
//	…       …      the blocks, in any order
//
// The flags 0x01 and 0x04 are set both; otherwise the chunk is one of Blosc 1. 0x02: the
// content follows the header unchanged. 0x10: blocks are not split. 0xe0: the codec, as in
// Blosc 1. Of the further flags, 0x70 is the kind of content: 0 as described here, 1 zeros,
// 2 NaN, 3 the element that follows the header, repeated, 4 anything. 0x01: streams need a
// dictionary. 0x02: the machine is big-endian. 0x80: instrumentation.
//
// A block is one stream, or it is split into one stream for each byte of an element. A
// stream follows its size in four bytes. The size 0 stands for zeros. A negative size −v
// and a byte with its lowest bit set stand for bytes v. A stream that is as large as its
// content is the content itself.
//
// If the frame has the metalayer "b2nd" (or "caterva"), it has an array. Each chunk has a
// box of the array, and each block a box of the chunk, both in C order. Boxes at the end
// are filled up.
//
// A [Decoder] decodes whole frames. Refused are user-defined codecs and filters,
// chunks of varying size, and frames in several files.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	errors.go      causes of errors
//	filters.go     what undoes filters
//	dictionary.go  streams that need a dictionary
//	chunk.go       chunks and their blocks
//	array.go       the metalayer of arrays
//	frame.go       frames
//	decode.go      Decoder
package blosc2
