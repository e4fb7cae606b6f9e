package shuffle_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/shuffle"
)

var filters = []struct {
	name           string
	encode, decode func(dst, src []byte, size int)
	want           func(src []byte, size int) []byte
}{
	{"bytes", shuffle.EncodeBytes, shuffle.DecodeBytes, wantBytes},
	{"bits", shuffle.EncodeBits, shuffle.DecodeBits, wantBits},
}

// wantBytes and wantBits follow the definition in the package's comment.
func wantBytes(src []byte, size int) []byte {
	dst := bytes.Clone(src)
	n := len(src) / size
	for i := range n {
		for j := range size {
			dst[j*n+i] = src[i*size+j]
		}
	}
	return dst
}

func wantBits(src []byte, size int) []byte {
	dst := bytes.Clone(src)
	n := len(src) / size
	if n%8 != 0 {
		return dst
	}
	clear(dst[:n*size])
	for i := range n {
		for j := range size {
			for t := range 8 {
				dst[(8*j+t)*n/8+i/8] |= src[i*size+j] >> t & 1 << (i % 8)
			}
		}
	}
	return dst
}

func TestFilters(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 64, 255, 256, 257, 300}
	counts := []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 24, 56, 63, 64, 65, 72, 127, 128, 520, 1000, 4096 + 8}
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range filters {
		for _, size := range sizes {
			for _, n := range counts {
				for _, more := range []int{0, size - 1} {
					src := make([]byte, n*size+more)
					for i := range src {
						src[i] = byte(random.Uint32())
					}
					name := fmt.Sprintf("%s: %d elements of %d bytes and %d bytes", f.name, n, size, more)
					before := bytes.Clone(src)
					got := make([]byte, len(src))
					f.encode(got, src, size)
					if !bytes.Equal(got, f.want(src, size)) {
						t.Fatalf("%s: encoded wrongly", name)
					}
					back := make([]byte, len(src))
					f.decode(back, got, size)
					if !bytes.Equal(back, src) || !bytes.Equal(src, before) {
						t.Fatalf("%s: decoded wrongly", name)
					}
				}
			}
		}
	}
}

// TestRoom checks that no kernel writes outside of dst.
func TestRoom(t *testing.T) {
	for _, f := range filters {
		for size := 1; size <= 40; size++ {
			for n := range 80 {
				room := bytes.Repeat([]byte{0xaa}, n*size+16)
				src := make([]byte, n*size)
				f.encode(room[8:8+len(src):8+len(src)], src, size)
				f.decode(room[8:8+len(src):8+len(src)], src, size)
				for _, edge := range [][]byte{room[:8], room[8+len(src):]} {
					if !bytes.Equal(edge, bytes.Repeat([]byte{0xaa}, 8)) {
						t.Fatalf("%s wrote beside dst: %d elements of %d bytes", f.name, n, size)
					}
				}
			}
		}
	}
}

// TestSome decodes elements from the middle of src into memory for these elements
// alone.
func TestSome(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17} {
		for _, n := range []int{0, 1, 2, 15, 16, 17, 40, 100} {
			want := make([]byte, n*size+size-1)
			for i := range want {
				want[i] = byte(i * i >> 3)
			}
			src := make([]byte, len(want))
			shuffle.EncodeBytes(src, want, size)
			for first := range n + 1 {
				for last := first; last <= n; last += 1 + first%7 {
					room := bytes.Repeat([]byte{0xaa}, (last-first)*size+8)
					got, edge := room[:len(room)-8:len(room)-8], room[len(room)-8:]
					shuffle.DecodeSome(got, src, size, first)
					if !bytes.Equal(got, want[first*size:last*size]) || !bytes.Equal(edge, bytes.Repeat([]byte{0xaa}, 8)) {
						t.Fatalf("%d elements of %d bytes, from %d to %d: decoded wrongly", n, size, first, last)
					}
				}
			}
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"), uint8(2))
	f.Add(bytes.Repeat([]byte{1, 2, 3}, 70), uint8(3))
	f.Fuzz(func(t *testing.T, src []byte, size uint8) {
		if size == 0 {
			return
		}
		for _, filter := range filters {
			got, back := make([]byte, len(src)), make([]byte, len(src))
			filter.encode(got, src, int(size))
			if !bytes.Equal(got, filter.want(src, int(size))) {
				t.Errorf("%s: encoded wrongly", filter.name)
			}
			filter.decode(back, got, int(size))
			if !bytes.Equal(back, src) {
				t.Errorf("%s: decoded wrongly", filter.name)
			}
		}
	})
}

func BenchmarkFilters(b *testing.B) {
	src, dst := make([]byte, 512<<10), make([]byte, 512<<10)
	for i := range src {
		src[i] = byte(i * i >> 3)
	}
	for _, f := range filters {
		for _, direction := range []string{"encode", "decode"} {
			run := f.encode
			if direction == "decode" {
				run = f.decode
			}
			for _, size := range []int{1, 2, 3, 4, 8, 16} {
				b.Run(fmt.Sprintf("%s/%s/%d", f.name, direction, size), func(b *testing.B) {
					b.SetBytes(int64(len(src)))
					for b.Loop() {
						run(dst, src, size)
					}
				})
			}
		}
	}
}
