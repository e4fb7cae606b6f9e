package digest_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// TestParts compares the digest of arrays with the sum of the digests of their parts, for
// types whose elements do and do not fill words, and for transposed arrays.
func TestParts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		size  int
		shape []int
	}{
		{1, []int{7, 9, 5}}, {2, []int{3, 4001}}, {4, []int{40, 1, 3}}, {8, []int{5000}}, {3, []int{11, 13}},
		{16, []int{2, 3, 4, 5}}, {2, []int{}}, {4, []int{0, 3}}, {1, []int{9000}}, {1, []int{300, 2, 1}},
		{4, []int{1, 700, 1, 1}}, {2, []int{3, 1, 301, 1, 7}}, {8, []int{2, 2, 1, 2, 2}}, {2, []int{520, 37}},
		{7, []int{600, 2, 1}}, {4100, []int{3, 3}}, {8, []int{300, 2, 80}},
	} {
		whole := ndarray.New(dtype.RawBytes(c.size), c.shape)
		for i := range whole.Data {
			whole.Data[i] = byte(random.Uint32())
		}
		zero := make([]int, len(c.shape))
		want := digest.Of(whole, zero)
		if naive := naiveSum(whole.Data, c.size, c.shape); want != naive {
			t.Fatalf("size %d, shape %v: %v, want %v", c.size, c.shape, want, naive)
		}
		for range 20 {
			var sum digest.Sum
			var cut func(r ndarray.Region, k int)
			cut = func(r ndarray.Region, k int) {
				if k == len(c.shape) {
					sum += digest.Of(whole.Sub(r), r.Start)
					return
				}
				for at := 0; at < c.shape[k]; {
					n := 1 + random.IntN(c.shape[k]-at)
					r.Start[k], r.Shape[k] = at, n
					cut(ndarray.Region{Start: slices.Clone(r.Start), Shape: slices.Clone(r.Shape)}, k+1)
					at += n
				}
			}
			if len(c.shape) > 0 && slices.Min(c.shape) > 0 {
				cut(ndarray.Region{Start: slices.Clone(zero), Shape: slices.Clone(c.shape)}, 0)
				if sum != want {
					t.Fatalf("size %d, shape %v: parts add up to %v, want %v", c.size, c.shape, sum, want)
				}
			}
		}
		turned, back := slices.Clone(c.shape), make([]int, len(c.shape)) // another layout in memory
		slices.Reverse(turned)
		for k := range back {
			back[k] = len(back) - 1 - k
		}
		other := ndarray.New(whole.Type, turned).Transpose(back)
		ndarray.Copy(other, whole)
		if got := digest.Of(other, zero); got != want {
			t.Errorf("size %d, shape %v: %v with the first dimension varying fastest, want %v", c.size, c.shape, got, want)
		}
	}
}

// TestConstant compares boxes of one value.
func TestConstant(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{1, 2, 3, 4, 8, 12, 16, 6000, 8192} {
		for _, c := range []ndarray.Region{
			{Start: []int{}, Shape: []int{}}, {Start: []int{0}, Shape: []int{1}}, {Start: []int{5, 7}, Shape: []int{3, 9}}, {Start: []int{1, 0, 1023}, Shape: []int{2, 3, 5}},
			{Start: []int{1000}, Shape: []int{20_000}}, {Start: []int{0}, Shape: []int{4096}}, {Start: []int{3, 4095}, Shape: []int{2, 4098}}, {Start: []int{4}, Shape: []int{0}}, {Start: []int{3, 7}, Shape: []int{0, 5}},
		} {
			one := ndarray.New(dtype.RawBytes(size), []int{1})
			for i := range one.Data {
				one.Data[i] = byte(random.Uint32())
			}
			if n, _ := ndarray.Bytes(one.Type, c.Shape); n > 1<<24 {
				continue
			}
			box := ndarray.New(one.Type, c.Shape)
			for i := range box.Data {
				box.Data[i] = one.Data[i%size]
			}
			if got, want := digest.Constant(one, c), digest.Of(box, c.Start); got != want {
				t.Errorf("size %d, %v: %v, want %v", size, c, got, want)
			}
		}
	}
}

// TestFilled digests arrays without chunks. That of one with very many rows would take hours, and is not known.
func TestFilled(t *testing.T) {
	t.Parallel()
	one := ndarray.New(dtype.Int16, []int{1})
	one.Data[0] = 7
	for _, c := range []struct {
		shape []int
		known bool
	}{{[]int{}, true}, {[]int{5, 1 << 16, 6}, true}, {[]int{5, 1 << 40, 6}, false}, {[]int{math.MaxInt, math.MaxInt}, false}} {
		var total digest.Total
		got := total.Filled(one, c.shape)
		if got.Known != c.known {
			t.Errorf("%d: known %t, want %t", c.shape, got.Known, c.known)
		}
		want := digest.Sum(0)
		if c.known {
			want = digest.Constant(one, ndarray.Region{Start: make([]int, len(c.shape)), Shape: c.shape})
		}
		if got.Sum != want {
			t.Errorf("%d: %v, want %v", c.shape, got.Sum, want)
		}
	}
}

// TestGolden compares digests with those that the Python of docs/digest.md computes.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size  int
		shape []int
		want  string
	}{
		{1, []int{5, 3}, "85cc1fcbb218ab38"},
		{2, []int{2, 3000}, "c35ac596a40e74ae"},
		{3, []int{4, 7}, "41725ac06f8052ad"},
		{4, []int{8, 8}, "aaefcc62f11d060a"},
		{8, []int{2, 3, 4, 5}, "6c8d283c5dbfad67"},
		{8, []int{}, "ae2abc4168acc7ea"},
		{16, []int{1, 300}, "675df5c6a7922183"},
	} {
		a := ndarray.New(dtype.RawBytes(c.size), c.shape)
		for i := range a.Data {
			a.Data[i] = byte(i*i*7 + i/3)
		}
		if got := digest.Of(a, make([]int, len(c.shape))).String(); got != c.want {
			t.Errorf("size %d, shape %v: %s, want %s", c.size, c.shape, got, c.want)
		}
	}
	words := ndarray.New(dtype.StringType, []int{2})
	next := []string{"a", "bß"}
	if err := words.SetItems(func() ([]byte, error) {
		word := next[0]
		next = next[1:]
		return []byte(word), nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := digest.Of(words, []int{0}).String(); got != "a3fd622fdacc61d0" {
		t.Errorf("words: %s, want a3fd622fdacc61d0", got)
	}
}

// TestByteOrder compares numbers in the byte order of this machine with their bytes in
// little-endian order.
func TestByteOrder(t *testing.T) {
	t.Parallel()
	numbers, raw := ndarray.New(dtype.Int32, []int{40, 3}), ndarray.New(dtype.RawBytes(4), []int{40, 3})
	for i := range numbers.Len() {
		v := uint32(i) * 0x9e3779b9
		binary.NativeEndian.PutUint32(numbers.Data[4*i:], v)
		binary.LittleEndian.PutUint32(raw.Data[4*i:], v)
	}
	start := []int{2, 1}
	if got, want := digest.Of(numbers, start), digest.Of(raw, start); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	region := ndarray.Region{Start: start, Shape: []int{1, 1}}
	one, same := numbers.Sub(region), raw.Sub(region)
	if got, want := digest.Constant(one, region), digest.Of(same, start); got != want {
		t.Errorf("a constant: %v, want %v", got, want)
	}
}

// naiveSum is the definition, word by word.
func naiveSum(data []byte, size int, shape []int) digest.Sum {
	if len(shape) == 0 {
		shape = []int{1}
	}
	mix := func(x uint64) uint64 {
		x += 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	last := len(shape) - 1
	rowBytes := shape[last] * size
	var sum uint64
	index := make([]int, last)
	for len(data) > 0 {
		key := uint64(1)
		for d, i := range index {
			key *= mix(uint64(d+2)<<48+uint64(i)) | 1
		}
		row := append(slices.Clone(data[:rowBytes]), make([]byte, (4-rowBytes%4)%4)...)
		for q := 0; 4*q < len(row); q++ {
			w := binary.LittleEndian.Uint32(row[4*q:])
			sum += key * uint64(w<<1|w>>31) * (mix(uint64(q%1024))>>32 | 1) * (mix(1<<32+uint64(q/1024)) | 1)
		}
		data = data[rowBytes:]
		for d := last - 1; d >= 0; d-- {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return digest.Sum(sum)
}

// TestItems compares the digest of texts with that of their hashes, for whole arrays and
// for arrays in two parts.
func TestItems(t *testing.T) {
	t.Parallel()
	for _, shape := range [][]int{{}, {7}, {5, 3, 4}, {40000, 1}, {1, 33000}, {0, 4}} {
		texts, hashes := ndarray.New(dtype.StringType, shape), ndarray.New(dtype.RawBytes(8), shape)
		n := 0
		err := texts.SetItems(func() ([]byte, error) {
			text := []byte(strings.Repeat("ä", n%5) + strconv.Itoa(n/3))
			hash := sha256.Sum256(text)
			copy(hashes.Data[8*n:], hash[:8])
			n++
			return text, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		start := []int{3, 1 << 30, 9}[:len(shape)]
		want := digest.Of(hashes, start)
		if got := digest.Of(texts, start); got != want {
			t.Errorf("shape %v: %v, want %v", shape, got, want)
		}
		var sum digest.Sum
		for piece := range ndarray.Pieces(shape, texts.Len()/2+1) {
			at := slices.Clone(start)
			for k, i := range piece.Start {
				at[k] += i
			}
			sum += digest.Of(texts.Sub(piece), at)
		}
		if sum != want {
			t.Errorf("shape %v: the parts add up to %v, want %v", shape, sum, want)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for _, c := range []struct {
		name  string
		size  int
		shape []int
	}{
		{"float32", 4, []int{64, 64, 64}}, {"float32-large", 4, []int{256, 256, 64}}, {"float64-1d", 8, []int{1 << 17}},
		{"int16", 2, []int{64, 64, 128}}, {"int16-odd", 2, []int{64, 64, 127}}, {"rows-of-one-float32", 4, []int{1 << 18, 1}}, {"rows-of-one-byte", 1, []int{1 << 18, 1}},
		{"rows-of-one-float64", 8, []int{512, 512, 1}}, {"rows-of-ten-float32", 4, []int{1 << 15, 10}},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := ndarray.New(dtype.RawBytes(c.size), c.shape)
			start := make([]int, len(c.shape))
			b.SetBytes(int64(len(a.Data)))
			for b.Loop() {
				digest.Of(a, start)
			}
		})
	}
	b.Run("transposed-float32", func(b *testing.B) {
		a := ndarray.New(dtype.RawBytes(4), []int{64, 64, 64}).Transpose([]int{2, 1, 0})
		b.SetBytes(int64(len(a.Data)))
		for b.Loop() {
			digest.Of(a, []int{0, 0, 0})
		}
	})
}

func BenchmarkConstant(b *testing.B) {
	one := ndarray.New(dtype.Float32, []int{1})
	for b.Loop() {
		digest.Constant(one, ndarray.Region{Start: []int{0, 64, 128}, Shape: []int{64, 64, 64}})
	}
}

func BenchmarkItems(b *testing.B) {
	for _, distinct := range []int{20, 1 << 14} {
		words, n := ndarray.New(dtype.StringType, []int{1 << 14}), 0
		if err := words.SetItems(func() ([]byte, error) { n++; return fmt.Appendf(nil, "a short text %d", n%distinct), nil }); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(distinct), func(b *testing.B) {
			for b.Loop() {
				digest.Of(words, []int{0})
			}
		})
	}
}
