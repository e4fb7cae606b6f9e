package blosc2

import (
	"slices"

	"github.com/zmigrate/zmigrate/codecs/shuffle"
)

// Filters by their numbers in a chunk.
const (
	noFilter       = 0
	filterBytes    = 1
	filterBits     = 2
	filterDelta    = 3
	filterTruncate = 4 // its content is decoded already
)

// filter is a filter of a chunk.
type filter struct{ kind, parameter byte }

// checkFilters refuses filters that this package does not know, and a delta that follows
// another filter.
func checkFilters(list []filter) error {
	for i, f := range list {
		switch {
		case f.kind > filterTruncate:
			return unsupported("filter %d", f.kind)
		case f.kind == filterDelta && slices.ContainsFunc(list[:i], func(f filter) bool { return f.kind == filterBytes || f.kind == filterBits || f.kind == filterDelta }):
			return unsupported("a delta behind another filter")
		}
	}
	return nil
}

// unshuffle undoes the shuffling of bytes or bits.
func unshuffle(dst, src []byte, kind byte, size int, version byte) {
	if kind == filterBytes {
		shuffle.DecodeBytes(dst, src, size)
		return
	}
	unshuffleBits(dst, src, size, version)
}

// unshuffleBits undoes the shuffling of bits. As many elements as are a multiple of eight
// are shuffled; the rest is as it was. Format 2, of the first versions, is as in Blosc 1.
func unshuffleBits(dst, src []byte, size int, version byte) {
	n := len(src)
	if version > 2 {
		n = n / size / 8 * 8 * size
	}
	shuffle.DecodeBits(dst[:n], src[:n], size)
	copy(dst[n:], src[n:])
}

// undoDelta undoes the delta of a block. The block first is the first one of the chunk,
// decoded; nil: block itself is that one. The bytes of elements of other sizes than 2, 4 and
// multiples of 8 are taken one by one.
func undoDelta(block, first []byte, size int) {
	if first != nil {
		for i := range min(len(block), len(first)) {
			block[i] ^= first[i]
		}
		return
	}
	switch {
	case size == 2 || size == 4:
	case size%8 == 0:
		size = 8
	default:
		size = 1
	}
	for i := size; i < len(block)/size*size; i++ {
		block[i] ^= block[i-size]
	}
}
