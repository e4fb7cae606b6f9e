package zstd

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/huff0"
)

// encodedLiterals returns literals as the library encodes them, behind their weights, in four streams
// or one. It returns nil if the library makes no codes for them.
func encodedLiterals(literals []byte, four bool) []byte {
	s := &huff0.Scratch{}
	encode := huff0.Compress1X
	if four {
		encode = huff0.Compress4X
	}
	out, _, err := encode(literals, s)
	if err != nil {
		return nil
	}
	return bytes.Clone(out)
}

// inFrame puts encoded literals behind as many bytes as are in front of them in a frame.
func inFrame(src []byte) *frameDecoder {
	f := &frameDecoder{}
	f.src = append(make([]byte, 16), src...)
	return f
}

// decodeLiterals decodes n literals behind their weights, as a decoder does.
func decodeLiterals(src []byte, n int, four, plain, pairs bool) ([]byte, error) {
	const guard = 16
	f := inFrame(src)
	at, err := f.readCodes(16, len(f.src))
	if err != nil {
		return nil, err
	}
	f.codes.prepare()
	if pairs {
		f.codes.pair()
	}
	all := bytes.Repeat([]byte{0xa5}, n+guard)
	dst := all[:n:n]
	if four {
		err = f.codes.decodeFour(dst, f.src, at, len(f.src), plain)
	} else {
		err = f.codes.decodeOnly(dst, f.src, at, len(f.src))
	}
	if !bytes.Equal(all[n:], bytes.Repeat([]byte{0xa5}, guard)) {
		return nil, errors.New("bytes behind the literals have changed")
	}
	return dst, err
}

// checkLiterals decodes literals with the kernel and without, with entries of two literals from the
// beginning and as they are worth it, and as the library does. All accept the same, and give the same.
func checkLiterals(t *testing.T, src []byte, n int, four bool) {
	t.Helper()
	var want []byte
	s, rest, fault := huff0.ReadTable(bytes.Clone(src), nil)
	if fault == nil && four {
		want, fault = s.Decoder().Decompress4X(make([]byte, 0, n), rest)
	} else if fault == nil {
		want, fault = s.Decoder().Decompress1X(make([]byte, 0, n), rest)
	}
	if fault == nil && len(want) != n {
		fault = fmt.Errorf("%d literals in place of %d", len(want), n)
	}
	for _, plain := range []bool{false, true} {
		for _, pairs := range []bool{false, true} {
			got, err := decodeLiterals(src, n, four, plain, pairs)
			switch {
			case (err == nil) != (fault == nil):
				t.Fatalf("%d literals, four %v, plain %v, pairs %v: %v; the library: %v", n, four, plain, pairs, err, fault)
			case err == nil && !bytes.Equal(got, want):
				t.Fatalf("%d literals, four %v, plain %v, pairs %v: they differ from those of the library", n, four, plain, pairs)
			}
		}
	}
}

// skewed returns n bytes, where each value is less frequent than the one before by a factor.
func skewed(random *rand.Rand, n int, factor float64) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(min(255, math.Log(random.Float64())/math.Log(factor)))
	}
	return out
}

func TestDecodeLiterals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 12))
	tried := 0
	for _, factor := range []float64{0.01, 0.3, 0.5, 0.8, 0.9, 0.97, 0.99} {
		for _, n := range []int{1, 2, 3, 5, 7, 39, 40, 41, 100, 255, 256, 1000, 1023, 1024, 4097, 30_001, maxBlock} {
			literals := skewed(random, n, factor)
			for _, four := range []bool{false, true} {
				src := encodedLiterals(literals, four)
				if src == nil {
					continue
				}
				tried++
				checkLiterals(t, src, n, four)
				got, err := decodeLiterals(src, n, four, false, true)
				if err != nil || !bytes.Equal(got, literals) {
					t.Fatalf("%d literals, factor %g, four %v: %v", n, factor, four, err)
				}
				for _, m := range []int{n - 1, n + 1, n + 4, 2 * n} {
					checkLiterals(t, src, m, four)
				}
				for range 20 {
					damaged := bytes.Clone(src)
					damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
					checkLiterals(t, damaged, n, four)
					checkLiterals(t, src[:random.IntN(len(src))], n, four)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d cases", tried)
	}
}

// Entries of two literals are made if they save enough lookups.
func TestPairs(t *testing.T) {
	if !literalKernel() {
		t.Skip("without a kernel, there are none")
	}
	random := rand.New(rand.NewPCG(1, 13))
	half := skewed(random, 20_000, 0.5)
	turns := make([]byte, 20_000) // frequent literals and rare ones in turns, no two of which fit in
	for i := range turns {
		if turns[i] = byte(250 + random.IntN(4)); i%2 == 0 {
			turns[i] = byte(random.IntN(250))
		}
	}
	for _, c := range []struct {
		literals []byte
		pairs    bool
	}{{half[:1000], false}, {half, true}, {turns, false}, {skewed(random, 20_000, 0.98), false}} {
		src := encodedLiterals(c.literals, true)
		f := inFrame(src)
		at, err := f.readCodes(16, len(f.src))
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, len(c.literals))
		f.codes.prepare()
		err = f.codes.decodeFour(dst, f.src, at, len(f.src), false)
		if err != nil || !bytes.Equal(dst, c.literals) || f.codes.pairs != c.pairs {
			t.Errorf("%d literals: pairs %v, %v", len(dst), f.codes.pairs, err)
		}
		f.codes.prepare()
		if f.codes.pairs != c.pairs {
			t.Errorf("%d literals: the table is made twice", len(dst))
		}
	}
}

// Streams of different lengths: some have more lookups to make than others.
func TestDecodeUneven(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 16))
	for seed := range 300 {
		n := 1 + random.IntN([]int{500, 5000, maxBlock}[seed%3])
		literals := slices.Concat(skewed(random, n, random.Float64()), skewed(random, n, random.Float64()), skewed(random, n/3, random.Float64()))
		random.Shuffle(random.IntN(len(literals)+1), func(i, k int) { literals[i], literals[k] = literals[k], literals[i] })
		literals = literals[:min(len(literals), maxBlock)]
		if src := encodedLiterals(literals, true); src != nil {
			checkLiterals(t, src, len(literals), true)
		}
	}
}

func FuzzLiterals(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 14))
	for _, factor := range []float64{0.3, 0.9, 0.99} {
		f.Add(skewed(random, 600, factor), uint16(600), uint32(0), true)
		src := encodedLiterals(skewed(random, 200, factor), false)
		f.Add(src, uint16(200), uint32(1), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint16, flip uint32, four bool) {
		if len(data) > 1<<16 {
			return
		}
		checkLiterals(t, data, int(n), four) // as encoded literals
		src := encodedLiterals(data, four)
		if src == nil {
			return
		}
		checkLiterals(t, src, len(data), four)
		if bit := int(flip % uint32(8*len(src))); flip > 0 {
			src[bit/8] ^= 1 << (bit % 8)
			checkLiterals(t, src, len(data), four)
		}
	})
}

// BenchmarkLiterals decodes literals of different entropy, with the weights, and the same with the
// library.
func BenchmarkLiterals(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 15))
	for _, n := range []int{2000, 16_000, 100_000} {
		for _, factor := range []float64{0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.995} {
			literals := skewed(random, n, factor)
			src := encodedLiterals(literals, true)
			if src == nil {
				continue
			}
			name := fmt.Sprintf("%d at %.1f bits", n, 8*float64(len(src))/float64(n))
			dst := make([]byte, n)
			for _, plain := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/plain=%v", name, plain), func(b *testing.B) {
					f := inFrame(src)
					b.SetBytes(int64(n))
					for b.Loop() {
						at, err := f.readCodes(16, len(f.src))
						if err != nil {
							b.Fatal(err)
						}
						f.codes.prepare()
						if err := f.codes.decodeFour(dst, f.src, at, len(f.src), plain); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			b.Run(name+"/library", func(b *testing.B) {
				s := &huff0.Scratch{}
				b.SetBytes(int64(n))
				for b.Loop() {
					s, rest, err := huff0.ReadTable(src, s)
					if err == nil {
						_, err = s.Decoder().Decompress4X(dst[:0:n], rest)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
