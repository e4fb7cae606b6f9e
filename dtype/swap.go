package dtype

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// SwapWords copies src to dst and reverses the bytes of each word. dst has the same
// length as src and may be the same slice. A word is 1 or more bytes, and the length is
// a multiple of it. An [Ordered] type of equal words uses SwapWords for its SwapInto.
//
// The loops for words of 2, 4 and 8 bytes go in steps of 32 bytes: four loads, then
// four stores, which the processor overlaps. Other words take longer.
func SwapWords(word int, dst, src []byte) {
	dst = dst[:len(src)]
	switch word {
	case 2:
		swap2(dst, src)
	case 4:
		swap4(dst, src)
	case 8:
		swap8(dst, src)
	default:
		copy(dst, src)
		for at := 0; word > 1 && at+word <= len(dst); at += word {
			slices.Reverse(dst[at : at+word])
		}
	}
}

func swap2(dst, src []byte) {
	const odd = 0x00ff00ff00ff00ff
	for len(src) >= 32 && len(dst) >= 32 {
		a := binary.NativeEndian.Uint64(src)
		b := binary.NativeEndian.Uint64(src[8:])
		c := binary.NativeEndian.Uint64(src[16:])
		d := binary.NativeEndian.Uint64(src[24:])
		binary.NativeEndian.PutUint64(dst, a&odd<<8|a>>8&odd)
		binary.NativeEndian.PutUint64(dst[8:], b&odd<<8|b>>8&odd)
		binary.NativeEndian.PutUint64(dst[16:], c&odd<<8|c>>8&odd)
		binary.NativeEndian.PutUint64(dst[24:], d&odd<<8|d>>8&odd)
		src, dst = src[32:], dst[32:]
	}
	for len(src) >= 2 {
		binary.NativeEndian.PutUint16(dst, bits.ReverseBytes16(binary.NativeEndian.Uint16(src)))
		src, dst = src[2:], dst[2:]
	}
}

func swap4(dst, src []byte) {
	for len(src) >= 32 && len(dst) >= 32 {
		a := bits.ReverseBytes64(binary.NativeEndian.Uint64(src))
		b := bits.ReverseBytes64(binary.NativeEndian.Uint64(src[8:]))
		c := bits.ReverseBytes64(binary.NativeEndian.Uint64(src[16:]))
		d := bits.ReverseBytes64(binary.NativeEndian.Uint64(src[24:]))
		// The load reversed all eight bytes, so the two words have changed places, too.
		binary.NativeEndian.PutUint64(dst, bits.RotateLeft64(a, 32))
		binary.NativeEndian.PutUint64(dst[8:], bits.RotateLeft64(b, 32))
		binary.NativeEndian.PutUint64(dst[16:], bits.RotateLeft64(c, 32))
		binary.NativeEndian.PutUint64(dst[24:], bits.RotateLeft64(d, 32))
		src, dst = src[32:], dst[32:]
	}
	for len(src) >= 4 {
		binary.NativeEndian.PutUint32(dst, bits.ReverseBytes32(binary.NativeEndian.Uint32(src)))
		src, dst = src[4:], dst[4:]
	}
}

func swap8(dst, src []byte) {
	for len(src) >= 32 && len(dst) >= 32 {
		a := binary.NativeEndian.Uint64(src)
		b := binary.NativeEndian.Uint64(src[8:])
		c := binary.NativeEndian.Uint64(src[16:])
		d := binary.NativeEndian.Uint64(src[24:])
		binary.NativeEndian.PutUint64(dst, bits.ReverseBytes64(a))
		binary.NativeEndian.PutUint64(dst[8:], bits.ReverseBytes64(b))
		binary.NativeEndian.PutUint64(dst[16:], bits.ReverseBytes64(c))
		binary.NativeEndian.PutUint64(dst[24:], bits.ReverseBytes64(d))
		src, dst = src[32:], dst[32:]
	}
	for len(src) >= 8 {
		binary.NativeEndian.PutUint64(dst, bits.ReverseBytes64(binary.NativeEndian.Uint64(src)))
		src, dst = src[8:], dst[8:]
	}
}
