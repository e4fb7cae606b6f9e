// Package zstd makes Zstandard frames (RFC 8878) of arrays of numbers, and of
// whatever else there is, and decodes frames, quickly.
//
// A frame is made in one call from content that is all in memory, and decoded in
// one call to memory that holds all of it:
//
//	4 bytes   magic number
//	1 byte    descriptor: how long the size is; whether the window is the content; whether there is a checksum
//	0…1 byte  window of 8 MiB, if there is more content than that
//	1…8 bytes size of the content
//	blocks    of up to 128 KiB of content each, at least one
//	0…4 bytes checksum: the low half of XXH64
//
// and a block that is not stored as it is, or as one byte that repeats,
//
//	3 bytes   header: size and type, and whether it is the last one
//	literals  header; lengths of Huffman codes, unless these are those of the block before; one or four bit streams
//	sequences number; tables of three kinds of codes; one bit stream
//
// where a sequence is a number of literals to take, and then a number of bytes to
// copy from somewhere before, up to a window of 8 MiB back. All decoders take
// such frames.
//
// How sequences are found is what differs from other encoders. In most arrays,
// bytes resemble those one number before, some of them more than others. A sample
// of each block tells whether this is so, and how long numbers are. If so, copies
// are looked for at one or two positions of a number alone, namely where the
// bytes begin that change little: those of one number and all of the next are
// what repeats best in measured data. Other blocks are searched at all positions.
// Numbers are looked up by many in passes that have no branches to mispredict;
// where most of them repeat something short from anywhere, as rounded measurements
// do, one by one instead, as a copy often leads over the next ones.
//
// The bytes of a frame depend on its content and the options alone: neither on
// the processor, nor on what an encoder made before.
//
// A Decoder takes frames of all encoders. Most of its time goes to sequences. As
// content before is where it was decoded to, there is no window to copy from or
// to. One load gets all bits of a sequence, unless there are very many, and copies
// are made by sixteen bytes, of which what comes next overwrites those that are too
// many. What this does not serve, such as the last bytes of the content, is decoded
// with care, one sequence at a time, and all that is wrong with a frame is found
// there. The codes of literals are decoded by a library.
package zstd
