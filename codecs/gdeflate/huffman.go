package gdeflate

import "math/bits"

const (
	maxBits  = 15 // most bits of a code
	fastBits = 10 // codes of up to so many bits are looked up at once
)

// huffman decodes one canonical Huffman code.
type huffman struct {
	fast    [1 << fastBits]uint16 // symbol<<4 | bits of its code, indexed by the next bits; 0: a longer code, or none
	count   [maxBits + 1]int      // number of codes by their bits
	symbols [maxLitLen]uint16     // in the order of their codes
}

// init sets the code from the bits of each symbol's code, which are 0 for symbols that
// do not occur. It returns false if that is no code. A code is one that can read every
// sequence of bits, a single code of one bit, or no code at all.
func (h *huffman) init(lengths []uint8) bool {
	h.count = [maxBits + 1]int{}
	for _, n := range lengths {
		h.count[n]++
	}
	h.count[0] = 0
	var next, first [maxBits + 2]int // for each length, the next code, and the index of its symbol
	room, used := 1, 0
	for n := 1; n <= maxBits; n++ {
		room = room<<1 - h.count[n]
		if room < 0 {
			return false
		}
		used += h.count[n]
		next[n+1] = (next[n] + h.count[n]) << 1
		first[n+1] = first[n] + h.count[n]
	}
	if room > 0 && used > 0 && (used > 1 || h.count[1] != 1) {
		return false
	}
	clear(h.fast[:])
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		code := next[n]
		next[n]++
		h.symbols[first[n]] = uint16(symbol)
		first[n]++
		if n > fastBits {
			continue
		}
		// A code begins at its highest bit, and the stream at its lowest.
		start := int(bits.Reverse16(uint16(code)) >> (16 - n))
		for i := start; i < len(h.fast); i += 1 << n {
			h.fast[i] = uint16(symbol)<<4 | uint16(n)
		}
	}
	return true
}

// decode returns the symbol at the low end of the stream, and the bits of its code.
// stream has at least maxBits bits. It returns 0 bits if there is no such code.
func (h *huffman) decode(stream uint64) (symbol int, n uint) {
	if entry := h.fast[stream&(1<<fastBits-1)]; entry != 0 {
		return int(entry >> 4), uint(entry & 15)
	}
	code, first, index := 0, 0, 0
	for n := uint(1); n <= maxBits; n++ {
		code |= int(stream & 1)
		stream >>= 1
		if count := h.count[n]; code-first < count {
			return int(h.symbols[index+code-first]), n
		}
		index += h.count[n]
		first = (first + h.count[n]) << 1
		code <<= 1
	}
	return 0, 0
}

// fixedLengths returns the bits of the codes in blocks of the fixed type, literals and
// lengths first.
func fixedLengths() (list [maxLitLen + maxDist]uint8) {
	for i := range list {
		switch {
		case i < 144 || i >= 280 && i < maxLitLen:
			list[i] = 8
		case i < 256:
			list[i] = 9
		case i < 280:
			list[i] = 7
		default:
			list[i] = 5
		}
	}
	return list
}
