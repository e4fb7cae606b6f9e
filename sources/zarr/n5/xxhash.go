package n5

import (
	"encoding/binary"
	"math/bits"
)

// The primes of xxHash.
const (
	prime1 uint32 = 2654435761
	prime2 uint32 = 2246822519
	prime3 uint32 = 3266489917
	prime4 uint32 = 668265263
	prime5 uint32 = 374761393
)

// seed is that of lz4-java.
const seed uint32 = 0x9747b28c

// checksum returns the checksum of a frame: 28 bits of xxHash of 32 bits.
func checksum(p []byte) uint32 {
	n := uint32(len(p)) // modulo 2^32, as the algorithm counts
	h := seed + prime5
	if len(p) >= 16 {
		first, second := prime1, prime2 // variables, because these sums overflow
		a, b, c, d := seed+first+second, seed+second, seed, seed-first
		for ; len(p) >= 16; p = p[16:] {
			a = round(a, p)
			b = round(b, p[4:])
			c = round(c, p[8:])
			d = round(d, p[12:])
		}
		h = bits.RotateLeft32(a, 1) + bits.RotateLeft32(b, 7) + bits.RotateLeft32(c, 12) + bits.RotateLeft32(d, 18)
	}
	h += n
	for ; len(p) >= 4; p = p[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(p)*prime3, 17) * prime4
	}
	for _, b := range p {
		h = bits.RotateLeft32(h+uint32(b)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return (h ^ h>>16) & 0x0fffffff
}

func round(lane uint32, p []byte) uint32 {
	return bits.RotateLeft32(lane+binary.LittleEndian.Uint32(p)*prime2, 13) * prime1
}
