// Package fletcher32 computes the checksum of HDF5's filter fletcher32. The codec
// numcodecs.fletcher32 has the same checksum.
package fletcher32

import "encoding/binary"

// Sum adds up big-endian words of 16 bits, and these sums, modulo 65535. An odd byte at
// the end is the upper half of a word. A sum that is not zero is represented by 1 to
// 65535.
func Sum(data []byte) uint32 {
	var sum1, sum2 uint64
	const most = 1 << 16 // number of words whose sums cannot overflow 64 bits
	for len(data) > 1 {
		part := data[:min(len(data)&^1, 2*most)]
		data = data[len(part):]
		for ; len(part) >= 8; part = part[8:] {
			word := binary.BigEndian.Uint64(part)
			a, b, c, d := word>>48, word>>32&0xffff, word>>16&0xffff, word&0xffff
			sum2 += 4*sum1 + 4*a + 3*b + 2*c + d
			sum1 += a + b + c + d
		}
		for ; len(part) > 0; part = part[2:] {
			sum1 += uint64(binary.BigEndian.Uint16(part))
			sum2 += sum1
		}
		sum1, sum2 = folded(sum1), folded(sum2)
	}
	if len(data) == 1 {
		sum1 += uint64(data[0]) << 8
		sum2 += sum1
	}
	return uint32(folded(sum2)<<16 | folded(sum1))
}

// folded returns a number of at most 16 bits that is congruent modulo 65535. It is 0
// only for 0.
func folded(x uint64) uint64 {
	for x > 0xffff {
		x = x&0xffff + x>>16
	}
	return x
}
