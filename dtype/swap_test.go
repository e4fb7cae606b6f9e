package dtype

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSwapWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, word := range []int{1, 2, 3, 4, 5, 8, 10, 16} {
		for n := range 80 {
			src := make([]byte, n*word)
			for i := range src {
				src[i] = byte(r.Uint32())
			}
			want := slices.Clone(src)
			for w := range slices.Chunk(want, word) {
				slices.Reverse(w)
			}
			memory := append(make([]byte, len(src)), 0xaa)
			dst, before := memory[:len(src)], slices.Clone(src)
			SwapWords(word, dst, src)
			if !bytes.Equal(dst, want) || !bytes.Equal(src, before) || memory[len(src)] != 0xaa {
				t.Fatalf("%d words of %d: % x, want % x", n, word, dst, want)
			}
			SwapWords(word, src, src)
			if !bytes.Equal(src, want) {
				t.Fatalf("%d words of %d in place: % x, want % x", n, word, src, want)
			}
		}
	}
}

func BenchmarkSwapWords(b *testing.B) {
	src, dst := make([]byte, 1<<20), make([]byte, 1<<20)
	for _, word := range []int{1, 2, 3, 4, 8} {
		b.Run(fmt.Sprint(word), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				SwapWords(word, dst, src)
			}
		})
	}
}
