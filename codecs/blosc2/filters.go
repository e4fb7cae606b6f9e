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

	filterByteDeltaOld = 34
	filterByteDelta    = 35
)

// Codecs by their numbers, which are those of the library and not those of streams.
const (
	codecZstd    = 5 // the last one of the library
	codecSnappy  = 3 // of early versions; no chunk has it
	leastOfUsers = 32
)

// CheckFilter refuses the number of a filter that this package does not know. Its error wraps
// [ErrUnsupported] and names the filter.
func CheckFilter(number int) error {
	switch {
	case number >= noFilter && number <= filterTruncate || number == filterByteDeltaOld || number == filterByteDelta:
		return nil
	case number == 32 || number == 33 || number == 36:
		return unsupported("the filter %s (filter %d)", []string{"ndcell", "ndmean", "", "", "int_trunc"}[number-32], number)
	}
	return unsupported("filter %d", number)
}

// CheckCodec refuses the number of a codec that this package does not know, as [CheckFilter]
// does. The number is that of the library, by which the filter of HDF5 also names codecs.
func CheckCodec(number int) error {
	names := []string{"ndlz", "zfp_acc", "zfp_prec", "zfp_rate", "openhtj2k", "grok", "openzl", "j2k", "htj2k"}
	switch {
	case number >= 0 && number <= codecZstd && number != codecSnappy:
		return nil
	case number >= leastOfUsers && number-leastOfUsers < len(names):
		return unsupported("the codec %s (codec %d)", names[number-leastOfUsers], number)
	}
	return unsupported("codec %d", number)
}

// filter is a filter of a chunk.
type filter struct{ kind, parameter byte }

// checkFilters refuses filters that this package does not know, and a delta that follows
// another filter.
func checkFilters(list []filter) error {
	for i, f := range list {
		if err := CheckFilter(int(f.kind)); err != nil {
			return err
		}
		if f.kind == filterDelta && slices.ContainsFunc(list[:i], func(f filter) bool { return f.kind != noFilter && f.kind != filterTruncate }) {
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

// undoByteDelta undoes the delta of bytes: a block is one run of bytes for each byte of an element,
// as shuffling makes them, and each byte of a run was replaced by the difference from the byte before
// it. Bytes behind the last whole element are as they were. The old form of the filter, as
// processors with vectors write it, begins anew with the last bytes of a run that do not fill
// 16 bytes.
func undoByteDelta(block []byte, size int, old bool) {
	n := len(block) / size
	for ; size > 0; size-- {
		run := block[:n]
		if whole := n / 16 * 16; old {
			sumBytes(run[whole:])
			run = run[:whole]
		}
		sumBytes(run)
		block = block[n:]
	}
}

// sumBytes replaces each byte by the sum of the bytes up to it.
func sumBytes(list []byte) {
	var sum byte
	for i, b := range list {
		sum += b
		list[i] = sum
	}
}
