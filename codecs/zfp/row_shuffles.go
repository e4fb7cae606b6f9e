package zfp

import "math/bits"

// nibbleShuffles are tables for blocks of one dimension that fit a register: planes of 4
// bits are indexes. Let n be the number of coefficients up to the last one that had a
// one-bit, and T a plane without its first n bits. If T is not 0, its code does not depend
// on n, except for the first n bits and the test at bit n.
type nibbleShuffles struct {
	first  [16]uint8 // the first n bits, by the coefficients that had a one-bit
	code   [16]uint8 // the code of T for n = 0, without the test
	bits   [16]uint8 // its length
	none   [16]uint8 // the length of a plane with T = 0, by the first n bits
	noTail [16]uint8 // 16 times that
	tails  [64]uint8 // T, and 16 times the length, by the bits behind the test
}

var nibbleShuffle = makeNibbleShuffles()

func makeNibbleShuffles() (t nibbleShuffles) {
	for i := range 16 {
		n := bits.Len(uint(i))
		first := 1<<n - 1
		t.first[i] = uint8(first)
		t.none[first] = uint8(min(n+1, 4))
		t.noTail[first] = t.none[first] << 4
		if i > 0 {
			w := bitWriter{buf: make([]byte, slack)}
			w.putNibble(uint64(i), 0)
			t.code[i], t.bits[i] = w.buf[0]&^1, uint8(w.pos)
		}
	}
	for i := range t.tails {
		r := bitReader{buf: make([]byte, 2*slack)}
		r.buf[0] = uint8(1 | i<<1)
		x, _ := r.getPlane(0, 4, 64)
		t.tails[i] = uint8(x) | uint8(r.pos)<<4
	}
	return t
}
