// Package zstd encodes content, above all arrays of numbers, as Zstandard frames (RFC
// 8878), and decodes frames, quickly.
//
// One call makes a frame from a content that is wholly in memory, or decodes a frame to
// memory for the whole content. A frame is:
//
//	4 bytes   magic number
//	1 byte    descriptor: how long the size is; whether the window is the content; whether there is a checksum
//	0…1 byte  window of 8 MiB, if there is more content than that
//	1…8 bytes size of the content
//	blocks    of up to 128 KiB of content each, at least one
//	0…4 bytes checksum: the low half of XXH64
//
// A block is stored unchanged, is a single byte that repeats, or has these parts:
//
//	3 bytes   header: size and type, and whether it is the last one
//	literals  header; lengths of Huffman codes, unless the codes of the block before are used; one or four bit streams
//	sequences number; tables of three kinds of codes; one bit stream
//
// A sequence is a number of literals to take, and then a number of bytes to copy from
// an earlier place, at most a window of 8 MiB back. All decoders accept such frames.
//
// The encoder differs from others in the way in which it finds sequences. In most
// arrays, bytes resemble the bytes one number before, some of them more than others. A
// sample of each block tells whether this is so, and how long numbers are. In such a
// block, copies are looked for only at one or two positions of a number: where the
// bytes begin that change little. In measured data, these bytes of one number together
// with the whole next number repeat best. Other blocks are searched at all positions.
//
// Where three bytes of a number of four bytes change often, a number costs so much that it is copied alone. So it is
// in floats with few decimals, and in those of few different values. There, copies begin where numbers begin, and four
// bytes are looked up. All later blocks of the frame do the same, because they share the tables. Numbers of two bytes
// that change slowly are copied from where a number begins, too, and at least three at a time.
//
// Numbers are looked up many at a time, in passes without branches that could be
// mispredicted. In some blocks, such as rounded measurements, most numbers repeat
// something short from anywhere. There numbers are looked up one by one, because a copy
// often covers the next numbers. In content that no near cache holds, the earlier places
// of the next numbers are prefetched.
//
// Kernels for processors do most of the work, with AVX-512 on eight positions of numbers or sixteen
// sequences at a time. For each kernel there is a function in Go that does the same. KERNELS.md explains
// the kernels.
//
// Other blocks are searched at any position, in one of three ways. So are some numbers of eight bytes: those of which
// about two bytes change, such as times and categories; up to level 5 those of which one byte changes; and decimals up to
// level 4. Level 1 looks up six bytes at a position, and the levels 2 to 5 five and eight bytes. Each takes the last place that had them. Of a
// copy, the levels 1 to 3 enter three positions into their tables, and later levels all positions. The levels from 6 on
// look up five bytes, and try the last four or eight places that had them. Before they take a copy, they look whether
// one from the next positions is better. But bytes that are like those eight bytes before, such as times and the upper
// bytes of shuffled floats, are searched there as at level 5. Bytes whose values are near those of the bytes before them
// have few copies, but these save something. So in large contents, fewer positions of such bytes are skipped than of noise.
//
// A sample of a block tells what the block holds, but not which search makes it smaller. So from level 5 on, a part of
// contents of 64 KiB and more is searched in two ways: blocks of numbers and of related bytes are also searched for copies at
// any position. The blocks that follow are searched in the way that was better. Up to level 4, which leaves no time for that,
// numbers of eight bytes show by their first copies that the other search is better, see crowdedShare.
//
// In small contents, four bytes are looked up in place of five. They are the only ones in decimals up to level 5. At level 2,
// five bytes are the only ones in contents of up to 128 KiB. In text with many digits, such as tables, seven bytes are
// looked up in place of four to six: its numbers have many copies of a few digits, which save nothing. Where eight bytes
// are equal, all three ways copy them from one byte before: the copies around have the same offset, which then costs next
// to nothing.
//
// Where literals change, a block is divided, so that its parts have tables of their own. The literals of
// up to sixteen pieces are counted, and neighbours are joined again, those that differ least first, as
// long as a further block costs more than it saves.
//
// The bytes of a frame depend only on its content and the options, and not on the
// processor or on earlier frames of the encoder.
//
// A Decoder accepts frames of all encoders. Most of its time goes to sequences. Earlier
// content stays where it was decoded to, so there is no separate window to copy from or
// to. One load gets all bits of a sequence, unless there are very many. Copies move
// sixteen bytes at a time, and later content overwrites the surplus. Sequences for
// which this does not work, such as those near the end of the content, are decoded one
// at a time with all checks, which find every fault of a frame.
//
// A lookup of eleven bits finds one literal, or two, if a sample of the literals tells that enough
// pairs of codes fit in. The four streams of a block take turns. Without the kernel for that, a
// library decodes literals: it is faster than such a loop in Go.
package zstd

//go:generate go run ../../internal/kernels
