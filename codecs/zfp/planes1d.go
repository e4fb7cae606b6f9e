package zfp

import (
	"encoding/binary"
	"math/bits"
)

// The planes of blocks of one dimension have 4 bits. They are coded from words that
// hold 16 of them: word 16g+j has planes 16g to 16g+15 of block j of a run. A block
// by itself is block 0.

// turnNibbles makes such words, those with planes from bottom on, of those of the
// kernels for runs, of which word k has plane k of all 16 blocks, and undoes it.
func turnNibbles(p *planes, intprec, bottom int) {
	const (
		m32 = 0x00000000ffffffff
		m16 = 0x0000ffff0000ffff
		m8  = 0x00ff00ff00ff00ff
		m4  = 0x0f0f0f0f0f0f0f0f
	)
	for at := bottom &^ 15; at < intprec; at += 16 {
		q := (*[16]uint64)(p[at:])
		for i := range 4 {
			a, b, c, d := q[i], q[i+4], q[i+8], q[i+12]
			a, c = exchange(a, c, 32, m32)
			b, d = exchange(b, d, 32, m32)
			a, b = exchange(a, b, 16, m16)
			c, d = exchange(c, d, 16, m16)
			q[i], q[i+4], q[i+8], q[i+12] = a, b, c, d
		}
		for i := 0; i < 16; i += 4 {
			r := (*[4]uint64)(q[i:])
			a, b, c, d := r[0], r[1], r[2], r[3]
			a, c = exchange(a, c, 8, m8)
			b, d = exchange(b, d, 8, m8)
			r[0], r[1] = exchange(a, b, 4, m4)
			r[2], r[3] = exchange(c, d, 4, m4)
		}
	}
}

// nibbles is the code of two planes of 4 bits, by the coefficients that had a
// one-bit in a plane above and the planes, the higher one in the higher bits: the
// bits in the stream, from bit 16 on their number. nibble is that of one plane.
var nibbles, nibble = makeNibbles()

func makeNibbles() (pairs [16][256]uint32, single [16][16]uint32) {
	for seen := range pairs {
		n := bits.Len(uint(seen))
		for x := range uint64(256) {
			w := bitWriter{buf: make([]byte, 2*slack)}
			if x < 16 {
				w.putNibble(x, n)
				single[seen][x] = nibbleCodeOf(&w)
				w = bitWriter{buf: w.buf}
			}
			w.putNibble(x>>4, n)
			w.putNibble(x&15, max(n, bits.Len64(x>>4)))
			pairs[seen][x] = nibbleCodeOf(&w)
		}
	}
	return pairs, single
}

// nibbleCodeOf returns what was written as an entry of nibbles.
func nibbleCodeOf(w *bitWriter) uint32 {
	return uint32(binary.LittleEndian.Uint16(w.buf)) | uint32(w.pos)<<16
}

// putNibble writes a plane of 4 bits of which n stand as they are.
func (w *bitWriter) putNibble(x uint64, n int) {
	w.put(x&(1<<n-1), n)
	switch t := x >> n; {
	case n == 4:
	case t == 0:
		w.put(0, 1)
	default:
		w.putTail(t, 4-n)
	}
}

// putNibblePlanes is putPlanes for block j of one dimension; top is even.
func (w *bitWriter) putNibblePlanes(p *planes, j, top, bottom, end int) {
	at := w.pos >> 3
	out := (*[64 + 8]byte)(w.buf[at:]) // spares checks of indexes
	pos, acc := w.pos&7, w.acc         // in registers, for speed
	limit := min(end, w.pos+8*64) - at<<3
	seen := uint64(0)
	k := top - 2
	for ; k >= bottom && pos < limit; k -= 2 {
		pair := p[(k&^15+j)&63] >> (4 * k & 63) & 255
		e := nibbles[seen&15][pair]
		seen |= pair | pair>>4
		i := pos >> 3 & 63
		v := acc | uint64(e&0xffff)<<(pos&7)
		binary.LittleEndian.PutUint64(out[i:i+8], v)
		m := int(e >> 16)
		acc = v >> ((pos&7 + m) & 56)
		pos += m
	}
	if pos < limit {
		// The lowest plane is left every other time: there is no branch for it.
		e := nibble[seen&15][p[(bottom&^15+j)&63]>>(4*bottom&63)&15]
		if k+1 != bottom {
			e = 0
		}
		acc |= uint64(e&0xffff) << (pos & 7)
		binary.LittleEndian.PutUint64(out[pos>>3&63:][:8], acc)
		m := int(e >> 16)
		acc >>= (pos&7 + m) & 56
		pos += m
	}
	w.pos, w.acc = at<<3+pos, acc
}

// nibbleCodes decodes up to 4 planes of 4 bits, as many as lie whole in 8 bits of
// the stream: by the number of coefficients that had a one-bit and the 8 bits,
// the planes, the first one from bit 12 on, from bit 16 on how many they are, from
// bit 20 on how many bits of the stream, from bit 24 on how many coefficients then
// have had a one-bit. nibbleCode decodes one. nibbleEnds decodes the last bits of
// a block, up to 7 and a one-bit behind them, and the plane that they cut as well.
var (
	nibbleCodes = makeNibbleCodes(4)
	nibbleCode  = makeNibbleCodes(1)
	nibbleEnds  = makeNibbleEnds()
)

func makeNibbleCodes(most int) (t [8][256]uint32) {
	for n := range 5 {
		for code := range t[n] {
			t[n][code] = nibbleEntry(n, code, most, 8, 8+7)
		}
	}
	return t
}

func makeNibbleEnds() (t [8][256]uint32) {
	for n := range 5 {
		for code := 1; code < 256; code++ {
			left := bits.Len(uint(code)) - 1
			t[n][code] = nibbleEntry(n, code^1<<left, 4, left, left)
		}
	}
	return t
}

// nibbleEntry decodes up to most planes that begin and end in size bits of code. A
// plane is cut at bit end.
func nibbleEntry(n, code, most, size, end int) uint32 {
	r := bitReader{buf: make([]byte, 2*slack)}
	r.buf[0] = byte(code)
	planes, count, used := uint64(0), 0, 0
	for count < most && used < size {
		x, after := r.getPlane(n, 4, end)
		if r.pos > size {
			break
		}
		count++
		planes |= x << (16 - 4*count)
		used, n = r.pos, after
	}
	return uint32(planes) | uint32(count)<<16 | uint32(used)<<20 | uint32(n)<<24
}

// getNibblePlanes is getPlanes for block j of one dimension.
func (r *bitReader) getNibblePlanes(p *planes, j, intprec, bottom, end int) (low, length int) {
	k := intprec - r.skipEmptyPlanes(intprec-bottom, end)
	at := r.pos >> 3
	in := (*[64 + 8]byte)(r.buf[at:]) // spares checks of indexes
	pos := r.pos & 7                  // in a register, for speed
	limit := min(end, r.pos+8*64) - at<<3
	n := 0
	word := uint64(0)
	for k-4 >= bottom && pos < limit {
		i := pos >> 3 & 63
		w := binary.LittleEndian.Uint64(in[i:i+8]) >> (pos & 7)
		used, left := 0, limit-pos
		for most := min(57, left) - 8; k-4 >= bottom && used <= most; {
			e := nibbleCodes[n&7][w&255]
			m, count := int(e>>20&15), int(e>>16&15)
			word = addNibbles(p, j, k, count, word, uint64(e&0xffff)<<48)
			w >>= m
			used += m
			k -= count
			n = int(e >> 24)
		}
		if left <= 57 && k-4 >= bottom {
			last := uint64(1) << ((left - used) & 7)
			e := nibbleEnds[n&7][w&(last-1)|last]
			count := int(e >> 16 & 15)
			word = addNibbles(p, j, k, count, word, uint64(e&0xffff)<<48)
			used += int(e >> 20 & 15)
			k -= count
			n = int(e >> 24)
		}
		pos += used
	}
	i := pos >> 3 & 63
	w := binary.LittleEndian.Uint64(in[i:i+8]) >> (pos & 7)
	for k > bottom && pos < limit {
		e := nibbleCode[n&7][w&255]
		if left := limit - pos; int(e>>20&15) > left {
			last := uint64(1) << (left & 7)
			e = nibbleEnds[n&7][w&(last-1)|last]
		}
		m := int(e >> 20 & 15)
		word = addNibbles(p, j, k, 1, word, uint64(e&0xffff)<<48)
		w >>= m
		pos += m
		n = int(e >> 24)
		k--
	}
	if k&15 != 0 {
		p[(k&^15+j)&63] = word
	}
	r.pos = at<<3 + pos
	return k, n
}

// addNibbles adds count planes from plane k-1 down, which v has in its highest
// bits, to the planes of block j. The word that it is given and returns has those
// that are not stored yet.
func addNibbles(p *planes, j, k, count int, word, v uint64) uint64 {
	c := -k & 15
	word |= v >> (4 * c & 63)
	if c+count >= 16 {
		p[((k-1)&^15+j)&63] = word
		word = v << (4 * (16 - c) & 63)
	}
	return word
}
