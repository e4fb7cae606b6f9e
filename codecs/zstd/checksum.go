package zstd

import (
	"encoding/binary"
	"math/bits"
)

// Multipliers of XXH64.
const (
	xxPrime1 = 0x9e3779b185ebca87
	xxPrime2 = 0xc2b2ae3d27d4eb4f
	xxPrime3 = 0x165667b19e3779f9
	xxPrime4 = 0x85ebca77c2b2ae63
	xxPrime5 = 0x27d4eb2f165667c5
)

// checksum returns what a frame ends with: the low half of the XXH64 of its
// content, with a seed of zero.
func checksum(src []byte) uint32 {
	h := uint64(len(src))
	if len(src) < 32 {
		h += xxPrime5
	} else {
		// Variables, as constants must not overflow.
		prime1, prime2 := uint64(xxPrime1), uint64(xxPrime2)
		a, b, c, d := prime1+prime2, prime2, uint64(0), -prime1
		for len(src) >= 32 {
			a = xxRound(a, binary.LittleEndian.Uint64(src))
			b = xxRound(b, binary.LittleEndian.Uint64(src[8:]))
			c = xxRound(c, binary.LittleEndian.Uint64(src[16:]))
			d = xxRound(d, binary.LittleEndian.Uint64(src[24:]))
			src = src[32:]
		}
		sum := bits.RotateLeft64(a, 1) + bits.RotateLeft64(b, 7) + bits.RotateLeft64(c, 12) + bits.RotateLeft64(d, 18)
		for _, lane := range [4]uint64{a, b, c, d} {
			sum = (sum^xxRound(0, lane))*xxPrime1 + xxPrime4
		}
		h += sum
	}
	for ; len(src) >= 8; src = src[8:] {
		h = bits.RotateLeft64(h^xxRound(0, binary.LittleEndian.Uint64(src)), 27)*xxPrime1 + xxPrime4
	}
	if len(src) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(src))*xxPrime1, 23)*xxPrime2 + xxPrime3
		src = src[4:]
	}
	for _, b := range src {
		h = bits.RotateLeft64(h^uint64(b)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	return uint32(h ^ h>>32)
}

func xxRound(lane, word uint64) uint64 {
	return bits.RotateLeft64(lane+word*xxPrime2, 31) * xxPrime1
}
