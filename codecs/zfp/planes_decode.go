package zfp

import (
	"encoding/binary"
	"math/bits"
)

// getPlanes reads planes intprec-1 down to bottom of a block of 64 coefficients, up to
// bit end of the stream. It returns the lowest plane that it read, and the number of
// coefficients up to the last one with a one-bit.
func (r *bitReader) getPlanes(p *planes, intprec, bottom, end int) (low, length int) {
	k := intprec - r.skipEmptyPlanes(intprec-bottom, end)
	buf, pos := r.buf, r.pos // in registers, for speed
	n := 0
	for k > bottom && end-pos >= 2*64 && n < 64 {
		k--
		w := binary.LittleEndian.Uint64(buf[pos>>3:]) >> (pos & 7)
		x := w & (1<<(n&63) - 1)
		at := n // the position of the next test in w
		if n >= 32 {
			x = window(buf, pos) & (1<<(n&63) - 1)
			pos += n
			w = binary.LittleEndian.Uint64(buf[pos>>3:]) >> (pos & 7)
			at = 0
		} else {
			w ^= x
		}
		// Each step clears the lowest one-bits: a test and the end of its run.
		for w>>(at&63)&1 != 0 {
			w &= w - 1
			one := bits.TrailingZeros64(w)
			if one > 55 {
				r.pos = pos + at
				x, n = r.getTail(x, n, 64, end)
				pos, at = r.pos, -1
				break
			}
			if n+one-at >= 64 { // the last coefficient, whose bit is not written
				x |= 1 << 63
				pos, at = pos+at+64-n, -1
				n = 64
				break
			}
			n += one - at
			x |= 1 << ((n - 1) & 63)
			w &= w - 1
			at = one + 1
		}
		pos += at + 1
		p[k&63] = x
	}
	for k > bottom && end-pos >= 64 && n == 64 {
		k--
		p[k&63] = window(buf, pos)
		pos += 64
	}
	r.pos = pos
	if k == bottom {
		return k, n
	}
	return r.getLastPlanes(p, 0, k, bottom, n, 64, end)
}

// readPlanes is getPlanes with a kernel.
func (r *bitReader) readPlanes(p *planes, intprec, bottom, end int) (low, length int) {
	k := intprec - r.skipEmptyPlanes(intprec-bottom, end)
	k, length = readPlanes64(r, p, k, bottom, end)
	if k == bottom {
		return k, length
	}
	return r.getLastPlanes(p, 0, k, bottom, length, 64, end)
}

// getLastPlanes reads planes k-1 down to bottom of a block in which n coefficients had
// a one-bit, up to bit end of the stream.
func (r *bitReader) getLastPlanes(p *planes, shift, k, bottom, n, size, end int) (low, length int) {
	for k > bottom && r.pos < end {
		k--
		var x uint64
		x, n = r.getPlane(n, size, end)
		p[k&63] |= x << (shift & 63)
	}
	return k, n
}

// skipEmptyPlanes reads the planes without a one-bit at the beginning of a block: up to
// 57, and no more than most. It returns their number.
func (r *bitReader) skipEmptyPlanes(most, end int) int {
	n := bits.TrailingZeros64(window(r.buf, r.pos) | 1<<57)
	n = max(min(n, most, end-r.pos), 0)
	r.pos += n
	return n
}

// getVerbatim reads n bits, or as many as there are before bit end.
func (r *bitReader) getVerbatim(n, end int) uint64 {
	return r.get(min(n, end-r.pos))
}

// getPlane reads one plane, whose first n bits are literal. It returns the plane and
// the next n.
//
// It reads the tail from a window of the stream. Each step clears the lowest one-bit:
// in turn a group test, and the one-bit that ends its run. A bit that is set at end,
// behind the last bit, ends the run that is cut there, as in libzfp.
func (r *bitReader) getPlane(n, size, end int) (uint64, int) {
	if n == size {
		return r.getVerbatim(size, end), size
	}
	w := window(r.buf, r.pos)
	left := end - r.pos
	if left <= n {
		r.pos = end
		return w & (1<<(left&63) - 1), n
	}
	var x uint64
	at := 0 // the position of the next test in the window
	if n < 48 {
		x = w & (1<<(n&63) - 1)
		w ^= x
		at = n
	} else {
		x = w & (1<<(n&63) - 1)
		r.pos += n
		left -= n
		w = window(r.buf, r.pos)
	}
	if left < 64 {
		w = w&(1<<(left&63)-1) | 1<<(left&63)
	}
	for {
		if at >= left || w>>(at&63)&1 == 0 && at < 64 {
			r.pos += min(at+1, left)
			return x, n
		}
		w &= w - 1
		if w == 0 {
			r.pos += at
			return r.getTail(x, n, size, end)
		}
		one := bits.TrailingZeros64(w)
		n += one - at - 1
		if n >= size-1 {
			r.pos += one - (n - (size - 1))
			return x | 1<<(size-1), size
		}
		x |= 1 << (n & 63)
		n++
		w &= w - 1
		at = one + 1
	}
}

// getTail reads the rest of a tail, from a test on, run by run.
func (r *bitReader) getTail(x uint64, n, size, end int) (uint64, int) {
	for n < size && r.pos < end {
		if r.get(1) == 0 {
			break
		}
		n += r.getRun(size-1-n, end)
		x |= 1 << (n & 63)
		n++
	}
	return x, n
}

// getRun reads a run of at most limit zeros, and the one-bit behind it. A run of limit
// zeros has no one-bit.
func (r *bitReader) getRun(limit, end int) int {
	n := 0
	limit = min(limit, end-r.pos)
	for n < limit {
		z := bits.TrailingZeros64(window(r.buf, r.pos))
		if z < 64 && n+z < limit {
			r.pos += z + 1
			return n + z
		}
		z = min(z, limit-n)
		n += z
		r.pos += z
	}
	return n
}

// getWidePlanes is getPlanes for a block of 256 coefficients.
func (r *bitReader) getWidePlanes(p *wideBlock, intprec, bottom, end int) (low, length int) {
	k := intprec - r.skipEmptyPlanes(intprec-bottom, end)
	n := 0
	for k > bottom && n < 32 && end-r.pos >= 64 {
		x, m, ok := r.getFirst(n)
		if !ok {
			break
		}
		k--
		p[0][k&63] |= x
		n = m
	}
	for k > bottom && r.pos < end {
		k--
		var x [4]uint64
		for g := 0; 64*g < n; g++ {
			x[g] = r.getVerbatim(min(n-64*g, 64), end)
		}
		for n < 256 && r.pos < end {
			if r.get(1) == 0 {
				break
			}
			n += r.getRun(255-n, end)
			x[n>>6&3] |= 1 << (n & 63)
			n++
		}
		for g, v := range x {
			p[g][k&63] |= v
		}
	}
	return k, n
}

// getFirst reads a plane of a block of 256 coefficients whose first n bits, less than
// 32, are literal. It gives up if the plane has more than 57 bits, or one-bits beyond
// the first 64 coefficients.
func (r *bitReader) getFirst(n int) (x uint64, length int, ok bool) {
	w := binary.LittleEndian.Uint64(r.buf[r.pos>>3:]) >> (r.pos & 7)
	x = w & (1<<n - 1)
	w ^= x
	at := n // the position of the next test in w
	for w>>(at&63)&1 != 0 {
		w &= w - 1
		one := bits.TrailingZeros64(w)
		if one > 55 || n+one-at > 64 {
			return 0, 0, false
		}
		n += one - at
		x |= 1 << ((n - 1) & 63)
		w &= w - 1
		at = one + 1
	}
	r.pos += at + 1
	return x, n, true
}
