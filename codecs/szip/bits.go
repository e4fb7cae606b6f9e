package szip

import (
	"encoding/binary"
	"math/bits"
)

// reader reads bits, the most significant bit of each byte first. Reading beyond the end
// sets short.
type reader struct {
	src []byte
	at  int // index of the next byte that acc lacks
	// acc has the next bits of the stream, the first one in the most significant place. n of
	// them count. The bits behind them are 0 or those of the stream, but will be read again.
	acc   uint64
	n     uint // at most 63
	short bool
}

// fill reads bytes until at least 56 bits count, or until no byte is left.
func (r *reader) fill() {
	if r.at+8 <= len(r.src) {
		r.acc |= binary.BigEndian.Uint64(r.src[r.at:]) >> (r.n & 63)
		r.at += int(63-r.n) >> 3
		r.n |= 56
		return
	}
	for ; r.n < 56 && r.at < len(r.src); r.at++ {
		r.acc |= uint64(r.src[r.at]) << (56 - r.n)
		r.n += 8
	}
}

// take returns the next k bits, of which there are at most 32.
func (r *reader) take(k uint) uint32 {
	if r.n < k {
		r.fill()
		if r.n < k {
			r.short = true
			return 0
		}
	}
	v := uint32(r.acc >> 32 >> (32 - k))
	r.acc <<= k & 63
	r.n -= k
	return v
}

// unary returns the next unary number.
func (r *reader) unary() uint64 {
	count := uint64(0)
	for {
		if zeros := uint(bits.LeadingZeros64(r.acc)); zeros < r.n {
			r.acc <<= (zeros + 1) & 63
			r.n -= zeros + 1
			return count + uint64(zeros)
		}
		count += uint64(r.n)
		r.acc <<= r.n & 63
		r.n = 0
		r.fill()
		if r.n == 0 {
			r.short = true
			return 0
		}
	}
}

// unaries reads a unary number for each of v, and shifts it by k bits. It returns a
// number that has as many bits as the largest of the numbers.
func (r *reader) unaries(v []uint32, k uint) (most uint64) {
	highest := uint(0)
	for i := 0; i < len(v); {
		if r.n < 32 {
			r.fill()
		}
		// The ones of the accumulator end the numbers. Reversed, they are found from the least
		// significant bit on, and the search for the next one need not wait for this one's place.
		ones := bits.Reverse64(r.acc) & (1<<(r.n&63) - 1)
		if ones == 0 { // the number is longer than the bits that count
			long := r.unary()
			if r.short {
				return 0
			}
			most |= long
			v[i] = uint32(long) << (k & 31)
			i++
			continue
		}
		begin := uint(0)
		for ones != 0 && i < len(v) {
			end := uint(bits.TrailingZeros64(ones))
			ones &= ones - 1
			zeros := end - begin
			highest |= zeros
			v[i] = uint32(zeros) << (k & 31)
			begin = end + 1
			i++
		}
		r.acc <<= begin & 63
		r.n -= begin
	}
	return most | uint64(highest)
}

// fixed reads k bits for each of v. k is 1 to 31.
func (r *reader) fixed(v []uint32, k uint) {
	bit := 8*r.at - int(r.n)
	end := bit + len(v)*int(k)
	if end>>3+8 > len(r.src) {
		for i := range v {
			v[i] = r.take(k)
		}
		return
	}
	left := v
	if k <= 28 { // two numbers are in 64 bits, wherever in a byte they begin
		for ; len(left) >= 2; left = left[2:] {
			word := binary.BigEndian.Uint64(r.src[bit>>3:]) << (bit & 7)
			left[0], left[1] = uint32(word>>((64-k)&63)), uint32(word<<(k&63)>>((64-k)&63))
			bit += 2 * int(k)
		}
	}
	for i := range left {
		left[i] = uint32(binary.BigEndian.Uint64(r.src[bit>>3:]) << (bit & 7) >> ((64 - k) & 63))
		bit += int(k)
	}
	r.jump(end)
}

// add adds the next k bits to each of v. k is 1 to 31.
func (r *reader) add(v []uint32, k uint) {
	bit := 8*r.at - int(r.n)
	end := bit + len(v)*int(k)
	if end>>3+8 > len(r.src) {
		for i := range v {
			v[i] += r.take(k)
		}
		return
	}
	for i := range v {
		v[i] += uint32(binary.BigEndian.Uint64(r.src[bit>>3:]) << (bit & 7) >> ((64 - k) & 63))
		bit += int(k)
	}
	r.jump(end)
}

// jump goes on at a bit of the stream, which has at least 8 bytes from there on.
func (r *reader) jump(bit int) {
	r.at = bit>>3 + 7
	r.acc = binary.BigEndian.Uint64(r.src[bit>>3:]) << (bit & 7)
	r.n = uint(56 - bit&7)
}
