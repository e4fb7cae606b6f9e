package zfp

import (
	"encoding/binary"
	"math/bits"
)

// putPlanes16 is putPlanes for a block of 16 coefficients, whose bits begin at bit
// shift of the planes.
func (w *bitWriter) putPlanes16(p *planes, shift, top, bottom, end int) {
	at := w.pos >> 3
	out := (*[256 + 8]byte)(w.buf[at:]) // an array spares the checks of indexes
	pos, acc := w.pos&7, w.acc          // in registers, for speed
	limit := min(end, w.pos+8*256) - at<<3
	n := 0
	k := top - 1
	for ; k >= bottom && pos < limit && n < 16; k-- {
		x := p[k&63] >> (shift & 63) & 0xffff
		t := x >> (n & 15)
		e := tails[t&255]
		code, m := uint64(e&0xffffff), int(e>>24)
		if t > 255 || x > 0x7fff {
			code, m = tail(t, 16-n)
		}
		v := x&^(t<<(n&15)) | code<<(n&15)
		m += n
		i := pos >> 3 & 255
		v = acc | v<<(pos&7)
		binary.LittleEndian.PutUint64(out[i:i+8], v)
		acc = v >> ((pos&7 + m) & 56)
		pos += m
		n = max(n, bits.Len64(x))
	}
	for ; k >= bottom && pos < limit; k-- {
		v := acc | (p[k&63]>>(shift&63)&0xffff)<<(pos&7)
		i := pos >> 3 & 255
		binary.LittleEndian.PutUint64(out[i:i+8], v)
		acc = v >> 16
		pos += 16
	}
	w.pos, w.acc = at<<3+pos, acc
}

// shortTails decodes tails that lie wholly in 10 bits of the stream. The lowest bits of
// an entry are the number of bits in the stream. From bit 8 on, there is the number of
// coefficients up to the last one-bit, and from bit 16 on the coefficients. Longer
// tails extend beyond coefficient 15, and so do some tails whose last test is for the
// last coefficient.
var shortTails = makeShortTails()

func makeShortTails() (t [1 << 10]uint32) {
	for code := range t {
		x, n, at := 0, 0, 0
		for rest := code; rest&1 != 0; {
			run := bits.TrailingZeros(uint(rest>>1 | 1<<16)) // 16: not in these bits
			n += run + 1
			at += run + 2
			x |= 1 << (n - 1)
			rest >>= run + 2
		}
		if at >= 10 {
			x, n = 0, 16
		}
		t[code] = uint32(at+1) | uint32(n)<<8 | uint32(x)<<16
	}
	return t
}

// getPlanes16 is getPlanes for a block of 16 coefficients. It writes the planes from
// bit shift on.
func (r *bitReader) getPlanes16(p *planes, shift, intprec, bottom, end int) (low, length int) {
	k := intprec - r.skipEmptyPlanes(intprec-bottom, end)
	at := r.pos >> 3
	in := (*[256 + 8]byte)(r.buf[at:]) // an array spares the checks of indexes
	pos := r.pos & 7                   // in a register, for speed
	limit := min(end, r.pos+8*256) - at<<3
	n := 0
	for k > bottom && pos <= limit-31 && n < 16 {
		i := pos >> 3 & 255
		v := binary.LittleEndian.Uint64(in[i:i+8]) >> (pos & 7)
		used, most := 0, min(57, limit-pos)-31 // a plane has up to 31 bits
		for k > bottom && used <= most && n < 16 {
			k--
			x := v & (1<<(n&15) - 1)
			t := v >> (n & 15)
			e := shortTails[t&(1<<10-1)]
			used += n
			if m := n + int(e>>8&255); m < 16 {
				x |= uint64(e>>16) << (n & 15)
				n = m
				p[k&63] |= x << (shift & 63)
				v = t >> (e & 15)
				used += int(e & 15)
				continue
			}
			t, n, used = runs16(t, n, used)
			p[k&63] |= (x | t) << (shift & 63)
			break
		}
		pos += used
	}
	for k > bottom && pos <= limit-16 && n == 16 {
		k--
		i := pos >> 3 & 255
		x := binary.LittleEndian.Uint64(in[i:i+8]) >> (pos & 7) & 0xffff
		p[k&63] |= x << (shift & 63)
		pos += 16
	}
	r.pos = at<<3 + pos
	return r.getLastPlanes(p, shift, k, bottom, n, 16, end)
}

// runs16 decodes a tail of 16 coefficients run by run, from coefficient n on. It
// returns the bits of the coefficients in their places. It also returns n and used,
// increased by the coefficients and by the bits of the stream.
func runs16(tail uint64, n, used int) (x uint64, length, end int) {
	for tail&1 != 0 && n < 16 {
		run := bits.TrailingZeros64(tail>>1 | 1<<((15-n)&15))
		x |= 1 << ((n + run) & 15)
		n += run + 1
		used += run + 2
		tail >>= (run + 2) & 63
	}
	if n == 16 {
		return x, n, used - 1 // the last one-bit, and the test behind it, are not written
	}
	return x, n, used + 1
}
