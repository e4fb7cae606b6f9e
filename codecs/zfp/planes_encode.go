package zfp

import (
	"encoding/binary"
	"math/bits"
)

// A plane is coded in two parts. The first n bits, of the coefficients up to the last
// one that had a one-bit in a plane above, are literal. The rest is the tail. Before
// each run of zeros with its one-bit there is a group test ("is any bit left set?"): 1
// and the run, or 0, which ends the plane. So the stream has the tail, with a test in
// front and behind each one-bit:
//
//	tail, lowest bit first   0 0 1 1 0 1 0 0 …
//	stream                   1 0 0 1 1 1 1 0 1 0
//	                         ^     ^   ^     ^
//	                         tests
//
// A one-bit of the last coefficient is not written, and neither is a test behind it,
// because they follow from the test before it.

// tails has, for each tail of 8 bits without the last coefficient, its bits in the
// stream and, from bit 24 on, their number.
var tails = makeTails()

func makeTails() (t [256]uint32) {
	for tail := range t {
		v, n := uint32(0), 0
		for rest := tail; rest != 0; rest >>= 1 {
			v |= 1 << n
			n++
			for ; rest&1 == 0; rest >>= 1 {
				n++
			}
			v |= 1 << n
			n++
		}
		t[tail] = v | uint32(n+1)<<24
	}
	return t
}

// spreads has, for each byte, its bits with each one-bit doubled and, from bit 24 on,
// their number.
var spreads = makeSpreads()

func makeSpreads() (t [256]uint32) {
	for b := range t {
		v, n := uint32(0), 0
		for i := range 8 {
			if b>>i&1 != 0 {
				v |= 3 << n
				n++
			}
			n++
		}
		t[b] = v | uint32(n)<<24
	}
	return t
}

// putPlanes writes planes top-1 down to bottom of a block of 64 coefficients. It
// stops after the plane that reaches bit end of the stream.
func (w *bitWriter) putPlanes(p *planes, top, bottom, end int) {
	at := w.pos >> 3
	out := (*[1024 + 8]byte)(w.buf[at:]) // an array spares the checks of indexes
	pos, acc := w.pos&7, w.acc           // in registers, for speed
	limit := min(end, w.pos+8*1024) - at<<3
	n := 0
	k := top - 1
	for ; k >= bottom && pos < limit && n < 64; k-- {
		x := p[k&63]
		t := x >> (n & 63)
		low := x ^ t<<(n&63)
		i := pos >> 3 & 1023
		s := pos & 7
		if t > 1<<16-1 {
			w.pos, w.acc = at<<3+pos, acc
			w.put64(low, n)
			w.putTail(t, 64-n)
			pos, acc = w.pos-at<<3, w.acc
			n = bits.Len64(x)
			continue
		}
		code, m := uint64(tails[t&255]&0xffffff), int(tails[t&255]>>24)
		if t > 255 || x>>63 != 0 {
			code, m = tail(t, 64-n)
		}
		if n+m > 56 {
			v := acc | low<<s
			binary.LittleEndian.PutUint64(out[i:i+8], v)
			if s+n < 64 {
				acc = v >> ((s + n) & 56)
			} else {
				acc = low >> 1 >> (63 - s)
			}
			pos += n
			i = pos >> 3 & 1023
			s = pos & 7
			low = code
		} else {
			low |= code << (n & 63)
			m += n
		}
		v := acc | low<<s
		binary.LittleEndian.PutUint64(out[i:i+8], v)
		acc = v >> ((s + m) & 56)
		pos += m
		n = max(n, bits.Len64(x))
	}
	for ; k >= bottom && pos < limit; k-- {
		x := p[k&63]
		i := pos >> 3 & 1023
		s := pos & 7
		binary.LittleEndian.PutUint64(out[i:i+8], acc|x<<s)
		acc = x >> 1 >> (63 - s)
		pos += 64
	}
	w.pos, w.acc = at<<3+pos, acc
	w.buf[w.pos>>3] = byte(acc)
}

// tail returns the code of a tail of up to 16 bits, and the number of its bits. left
// coefficients are left.
func tail(t uint64, left int) (v uint64, n int) {
	if t>>((left-1)&63) != 0 { // the last coefficient: its one-bit is not written
		t ^= 1 << ((left - 1) & 63)
		low, high := spreads[t&255], spreads[t>>8&255]
		m := int(low >> 24)
		return 1 | uint64(low&0xffffff)<<1 | uint64(high&0xffffff)<<(m+1), left + m + int(high>>24) - 16
	}
	if t < 256 {
		e := tails[t]
		return uint64(e & 0xffffff), int(e >> 24)
	}
	low, high := spreads[t&255], tails[t>>8&255]
	m := int(low >> 24)
	return 1 | uint64(low&0xffffff)<<1 | uint64(high&0xffffff)>>1<<(m+1), m + int(high>>24)
}

// putTail writes a tail that is not 0. left coefficients are left.
func (w *bitWriter) putTail(t uint64, left int) {
	w.put(1, 1)
	w.putRuns(t, left)
}

// putRuns writes a tail without its first test.
func (w *bitWriter) putRuns(t uint64, left int) {
	for ; t > 255; t >>= 8 {
		e := spreads[t&255]
		w.put(uint64(e&0xffffff), int(e>>24))
		left -= 8
	}
	n := bits.Len64(t)
	e := spreads[t]
	v, m := uint64(e&0xffffff), int(e>>24)-(8-n)
	if n == left {
		m -= 2 // without the last one-bit, and without a test behind it
		v &= 1<<m - 1
	} else {
		v ^= 1 << (m - 1) // the last test fails
	}
	w.put(v, m)
}

// A wideBlock holds the planes of 256 coefficients: element g has the bits of
// coefficients 64g to 64g+63.
type wideBlock = [4]planes

// putWidePlanes is putPlanes for a block of 256 coefficients.
func (w *bitWriter) putWidePlanes(p *wideBlock, top, bottom, end int) {
	n := 0
	for k := top - 1; k >= bottom && w.pos < end; k-- {
		x := [4]uint64{p[0][k&63], p[1][k&63], p[2][k&63], p[3][k&63]}
		length := 0
		for g, v := range x {
			if v != 0 {
				length = 64*g + bits.Len64(v)
			}
		}
		for g := 0; g < n>>6; g++ {
			w.put64(x[g], 64)
		}
		if n&63 != 0 {
			w.put64(x[n>>6]&(1<<(n&63)-1), n&63)
		}
		switch {
		case length > n:
			w.putWideTail(&x, n, length)
			n = length
		case n < 256:
			w.put(0, 1)
		}
	}
}

// putWideTail writes the tail of a plane of 256 bits: bits n to length-1, the last of
// which is set.
func (w *bitWriter) putWideTail(x *[4]uint64, n, length int) {
	for g := n >> 6; ; g++ {
		t := x[g]
		from := max(n, 64*g)
		t >>= from & 63
		if length <= 64*(g+1) {
			if from == n {
				w.putTail(t, 256-from)
			} else {
				w.putRuns(t, 256-from)
			}
			return
		}
		if from == n {
			w.put(1, 1)
		}
		for n := 64*(g+1) - from; n > 0; n -= 8 {
			e := spreads[t&255]
			w.put(uint64(e&0xffffff), int(e>>24)-max(8-n, 0))
			t >>= 8
		}
	}
}
