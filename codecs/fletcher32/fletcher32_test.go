package fletcher32

import "testing"

// naive computes the sums word by word.
func naive(data []byte) uint32 {
	var a, b uint32
	for i := 0; i < len(data); i += 2 {
		word := uint32(data[i]) << 8
		if i+1 < len(data) {
			word |= uint32(data[i+1])
		}
		if a += word; a > 0xffff {
			a -= 0xffff
		}
		if b += a; b > 0xffff {
			b -= 0xffff
		}
	}
	return b<<16 | a
}

func TestSum(t *testing.T) {
	data := make([]byte, 300_001)
	for i := range data {
		data[i] = byte(i*i>>3 ^ i)
	}
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 1000, 131_072, 131_074, 300_000, 300_001} {
		if got, want := Sum(data[:n]), naive(data[:n]); got != want {
			t.Errorf("%d bytes: %08x, want %08x", n, got, want)
		}
	}
}
