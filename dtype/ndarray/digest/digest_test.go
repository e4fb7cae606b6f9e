package digest_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
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
	}{{1, []int{7, 9, 5}}, {2, []int{3, 4001}}, {4, []int{40, 1, 3}}, {8, []int{5000}}, {3, []int{11, 13}}, {16, []int{2, 3, 4, 5}}, {2, []int{}}, {4, []int{0, 3}}, {1, []int{9000}}} {
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
		if len(c.shape) == 2 { // another layout in memory
			turned := ndarray.New(whole.Type, []int{c.shape[1], c.shape[0]})
			ndarray.Copy(turned.Transpose([]int{1, 0}), whole)
			if got := digest.Of(turned.Transpose([]int{1, 0}), zero); got != want {
				t.Errorf("size %d, shape %v: %v of a transposed layout, want %v", c.size, c.shape, got, want)
			}
		}
	}
}

// TestConstant compares boxes of one value.
func TestConstant(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{1, 2, 3, 4, 8, 12, 16} {
		for _, c := range []ndarray.Region{
			{Start: []int{}, Shape: []int{}}, {Start: []int{0}, Shape: []int{1}}, {Start: []int{5, 7}, Shape: []int{3, 9}}, {Start: []int{1, 0, 1023}, Shape: []int{2, 3, 5}},
			{Start: []int{1000}, Shape: []int{20_000}}, {Start: []int{0}, Shape: []int{4096}}, {Start: []int{3, 4095}, Shape: []int{2, 4098}}, {Start: []int{4}, Shape: []int{0}},
		} {
			one := ndarray.New(dtype.RawBytes(size), []int{1})
			for i := range one.Data {
				one.Data[i] = byte(random.Uint32())
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
			w := uint64(binary.LittleEndian.Uint32(row[4*q:]))
			sum += key * w * (mix(uint64(q%1024))>>32 | 1) * (mix(1<<32+uint64(q/1024)) | 1)
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

func BenchmarkOf(b *testing.B) {
	for _, c := range []struct {
		name  string
		size  int
		shape []int
	}{{"float32", 4, []int{64, 256, 64}}, {"float64-1d", 8, []int{1 << 19}}, {"int16", 2, []int{64, 512, 64}}, {"short-rows", 4, []int{1 << 20, 1}}} {
		b.Run(c.name, func(b *testing.B) {
			a := ndarray.New(dtype.RawBytes(c.size), c.shape)
			b.SetBytes(int64(len(a.Data)))
			for b.Loop() {
				digest.Of(a, make([]int, len(c.shape)))
			}
		})
	}
}
