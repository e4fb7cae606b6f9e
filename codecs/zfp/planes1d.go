package zfp

import (
	"encoding/binary"
	"math/bits"
)

// nibbles has the code of two planes of 4 bits. The index is the coefficients that had
// a one-bit in a plane above, and the planes, the higher one in the higher bits. An
// entry has the bits in the stream and, from bit 16 on, their number. nibble is the
// same for one plane.
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

// nibbleCodeOf returns the bits that were written, as an entry of nibbles.
func nibbleCodeOf(w *bitWriter) uint32 {
	return uint32(binary.LittleEndian.Uint16(w.buf)) | uint32(w.pos)<<16
}

// putNibble writes a plane of 4 bits whose first n bits are literal.
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

// putNibblePlanes is putPlanes for a block of one dimension, whose planes are in the
// words that toNibbles made. top is even.
func (w *bitWriter) putNibblePlanes(p *planes, top, bottom, end int) {
	at := w.pos >> 3
	out := (*[64 + 8]byte)(w.buf[at:]) // an array spares the checks of indexes
	pos, acc := w.pos&7, w.acc         // in registers, for speed
	limit := min(end, w.pos+8*64) - at<<3
	seen := uint64(0)
	k := top - 2
	for ; k >= bottom && pos < limit; k -= 2 {
		pair := p[k&^15&63] >> (4 * k & 63) & 255
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
		// The lowest plane is left every other time, which a branch could not predict.
		e := nibble[seen&15][p[bottom&^15&63]>>(4*bottom&63)&15]
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

// nibbleCodes decodes up to 4 planes of 4 bits: those that lie wholly in 8 bits of the
// stream. The index has these 8 bits and, from bit 8 on, the number of coefficients
// that had a one-bit. An entry has the planes from bit 48 on, the first plane lowest,
// and below them
//
//	bits 0  to 5   the number of their bits in the stream
//	bits 8  to 10  the number of coefficients that have had a one-bit after them
//	bits 13 to 15  the number of planes
//	bits 16 to 35  the number of bits of the first 0, 1, 2, 3 and 4 planes
//
// nibbleEnds decodes the last bits of a block, up to 7 bits with a one-bit behind them.
// It also decodes the plane in which the block is cut.
var (
	nibbleCodes = makeNibbleCodes()
	nibbleEnds  = makeNibbleEnds()
)

// nibbleSeen selects the bits of an entry that are the upper part of the next index.
const nibbleSeen = 7 << 8

func makeNibbleCodes() (t [8 << 8]uint64) {
	for i := range 5 << 8 {
		t[i] = nibbleEntry(i>>8, i&255, 8, 8+7)
	}
	return t
}

func makeNibbleEnds() (t [8 << 8]uint64) {
	for i := range 5 << 8 {
		if code := i & 255; code != 0 {
			left := bits.Len(uint(code)) - 1
			t[i] = nibbleEntry(i>>8, code^1<<left, left, left)
		}
	}
	return t
}

// nibbleEntry decodes up to 4 planes that begin and end in size bits of code. A plane
// is cut at bit end.
func nibbleEntry(n, code, size, end int) uint64 {
	r := bitReader{buf: make([]byte, 2*slack)}
	r.buf[0] = byte(code)
	var entry uint64
	count, used := 0, 0
	for count < 4 && used < size {
		x, after := r.getPlane(n, 4, end)
		if r.pos > size {
			break
		}
		entry |= x << (48 + 4*count)
		count++
		used, n = r.pos, after
		entry |= uint64(used) << (16 + 4*count)
	}
	return entry | uint64(used) | uint64(n)<<8 | uint64(count)<<13
}

// A nibbleString has the planes of a block of one dimension, 4 bits each, the first
// plane lowest. They are stored 8 bytes at a time.
type nibbleString [stringBytes]byte

const stringBytes = 32 + 8

// put writes count planes, up to 15, behind the first t planes. If t is odd, acc has
// the last of these.
func (s *nibbleString) put(t int, acc, planes uint64, count int) (int, uint64) {
	odd := t & 1
	v := acc | planes<<(4*odd)
	binary.LittleEndian.PutUint64(s[t>>1:], v)
	return t + count, v >> (4 * (odd + count) &^ 7)
}

// getNibbles is getPlanes for a block of one dimension. It reads up to most planes. It
// returns their number, and whether any bit in them is set.
func (r *bitReader) getNibbles(s *nibbleString, most, end int) (planes int, any bool) {
	t, acc := r.skipEmptyPlanes(most, end), uint64(0)
	buf, pos := r.buf, r.pos // in registers, for speed
	e, set := uint64(0), uint64(0)
	for t < most && e&nibbleSeen < 4<<8 && end-pos >= 8 {
		w := binary.LittleEndian.Uint64(buf[pos>>3:]) >> (pos & 7)
		used := 0
		for last := min(57, end-pos) - 8; t < most && e&nibbleSeen < 4<<8 && used <= last; {
			e = nibbleCodes[e&nibbleSeen|w&255]
			w >>= e & 63
			n := min(int(e>>13&7), most-t)
			used += int(e >> 16 >> (4 * n & 31) & 15)
			x := e >> 48 & (1<<(4*n&63) - 1)
			set |= x
			t, acc = s.put(t, acc, x, n)
		}
		pos += used
	}
	if e&nibbleSeen == 4<<8 { // all bits of the planes are literal
		left := min(4*(most-t), end-pos)
		for {
			m := min(left, 60)
			t, acc = s.put(t, acc, window(buf, pos)&(1<<m-1), (m+3)>>2)
			pos += m
			if left -= m; left <= 0 {
				break
			}
		}
	}
	for t < most && pos < end { // the last bits of a block that is cut
		left := min(end-pos, 7)
		w := binary.LittleEndian.Uint64(buf[pos>>3:]) >> (pos & 7)
		last := uint64(1) << left
		e = nibbleEnds[e&nibbleSeen|w&(last-1)|last]
		n := min(int(e>>13&7), most-t)
		x := e >> 48 & (1<<(4*n&63) - 1)
		set |= x
		t, acc = s.put(t, acc, x, n)
		pos += int(e >> 16 >> (4 * n & 31) & 15)
	}
	r.pos = pos
	return t, set != 0
}
