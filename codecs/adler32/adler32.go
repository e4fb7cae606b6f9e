// Package adler32 computes Adler-32 (RFC 1950, section 8.2), the checksum of zlib streams.
//
// The checksum has two sums modulo 65521. The lower half is 1 plus the sum of all bytes, and
// the upper half is the sum of all values that the lower half has had. So a byte counts in
// the upper half as often as there are bytes from it to the end. Both sums of a stretch of
// bytes are therefore sums of independent products, which are added up many at a time:
//
//	lower:  a' = a + Σ b[i]
//	upper:  c' = c + n·a + Σ (n−i)·b[i]      for n bytes b[0…n−1]
//
// On amd64 with AVX2, a kernel adds up 64 bytes at a time, some eighteen times as fast as
// hash/adler32, which does the work everywhere else.
package adler32

import (
	"encoding/binary"
	"hash"
	standard "hash/adler32"
)

const (
	modulus = 65521
	unit    = 64      // bytes that a kernel adds up at a time
	most    = 1 << 20 // bytes of which a kernel adds up the products in 32 bits
)

// Sum returns the checksum of data.
func Sum(data []byte) uint32 {
	if !simd() {
		return standard.Checksum(data)
	}
	return update(1, data)
}

// New returns a hash that computes the checksum of bytes that come in pieces.
func New() hash.Hash32 {
	if !simd() {
		return standard.New()
	}
	d := digest(1)
	return &d
}

// update returns the checksum of bytes and data, with the kernel. sum is the checksum of the
// bytes. That of no bytes is 1.
func update(sum uint32, data []byte) uint32 {
	a, c := uint64(sum&0xffff), uint64(sum>>16)
	for len(data) >= unit {
		n := min(len(data)&^(unit-1), most)
		lower, upper := products(&data[0], n)
		c = (c + uint64(n)*a + upper) % modulus
		a = (a + lower) % modulus
		data = data[n:]
	}
	for _, b := range data {
		a += uint64(b)
		c += a
	}
	return uint32(c%modulus<<16 | a%modulus)
}

// digest is the checksum of the bytes until now.
type digest uint32

func (d *digest) Write(data []byte) (int, error) {
	*d = digest(update(uint32(*d), data))
	return len(data), nil
}

func (d *digest) Sum(to []byte) []byte { return binary.BigEndian.AppendUint32(to, uint32(*d)) }
func (d *digest) Sum32() uint32        { return uint32(*d) }
func (d *digest) Reset()               { *d = 1 }
func (d *digest) Size() int            { return 4 }
func (d *digest) BlockSize() int       { return unit }
