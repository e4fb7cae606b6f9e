// Package gdeflate reads and writes pages of GDeflate, the form of DEFLATE that NVIDIA
// and Microsoft made for graphics processors (DirectStorage, nvCOMP).
//
// A page holds up to 64 KiB. It has the same parts as a DEFLATE stream (RFC 1951, with
// the symbols of DEFLATE64): blocks with a header, code lengths and symbols. But the
// bits are dealt out to 32 lanes. Each lane is a bit stream of its own. A decoder
// handles one lane after the other, and the words of the lanes are stored in the order
// in which it needs them:
//
//	word 0 of lane 0, word 0 of lane 1, … word 0 of lane 31, then
//	the next word of each lane that has less than 32 bits left after its turn
//
// Words are little-endian and of 32 bits. In a block,
//
//	lane 0                 takes the three bits of the header, the numbers of codes and the length of stored bytes
//	lanes 0, 1, … in turn  take the code lengths of code lengths, one a turn
//	lanes 0, 1, … in turn  take the code lengths, one symbol a turn
//	lanes 0, 1, … in turn  take literals, stored bytes, and lengths of repetitions, whose distance is the next turn of the same lane
//
// and each of these parts begins at lane 0. After the symbol that ends a block, the
// remaining distances follow. Stored bytes are not aligned.
//
// A Decoder or an Encoder serves one goroutine. Both can be used again, and keep only
// their own tables.
package gdeflate

import "errors"

// PageSize is the most bytes of a page's content.
const PageSize = 1 << 16

// MinPageSize is the length of the shortest page, in bytes: a word for each lane.
const MinPageSize = lanes * wordSize

// ErrCorrupt means that a page is damaged, or has content of another size than
// expected.
var ErrCorrupt = errors.New("gdeflate: corrupt page")

const (
	lanes    = 32
	wordSize = 4  // bytes
	wordBits = 32 // also the fewest bits of a lane before its turn
)

// Types of blocks.
const (
	blockStored = iota
	blockFixed
	blockDynamic
)

const (
	endOfBlock = 256
	maxLitLen  = 288
	maxDist    = 32
	maxLengths = 19 // codes of code lengths
	lastLength = 285
)

// lengthOrder is the order in which code lengths of code lengths are stored.
var lengthOrder = [maxLengths]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// value is the meaning of a symbol: base, plus a number of that many further bits.
type value struct {
	base  uint16
	extra uint8
}

// lengthValues are the lengths of the symbols from 257 on. The last symbol differs from
// DEFLATE, where it means 258 and has no further bits.
var lengthValues = [maxLitLen - 257]value{
	{3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 0}, {10, 0},
	{11, 1}, {13, 1}, {15, 1}, {17, 1}, {19, 2}, {23, 2}, {27, 2}, {31, 2},
	{35, 3}, {43, 3}, {51, 3}, {59, 3}, {67, 4}, {83, 4}, {99, 4}, {115, 4},
	{131, 5}, {163, 5}, {195, 5}, {227, 5}, {3, 16},
}

// distValues are the distances of the symbols in the second code.
var distValues = [maxDist]value{
	{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 1}, {7, 1}, {9, 2}, {13, 2},
	{17, 3}, {25, 3}, {33, 4}, {49, 4}, {65, 5}, {97, 5}, {129, 6}, {193, 6},
	{257, 7}, {385, 7}, {513, 8}, {769, 8}, {1025, 9}, {1537, 9}, {2049, 10}, {3073, 10},
	{4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}, {32769, 14}, {49153, 14},
}

// repeats are the meanings of the code length symbols from 16 on: how often the
// previous length, zero, and zero again are repeated.
var repeats = [3]value{{3, 2}, {3, 3}, {11, 7}}
