package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// indicesOf returns a reader of indices of a dictionary of count values of width bytes, and the values.
func indicesOf(rng *rand.Rand, data []byte, bits, width, count int) (*indices, [][]byte) {
	d := &dictionary{width: width, count: count}
	var values [][]byte
	for range count {
		value := make([]byte, width)
		for i := range value {
			value[i] = byte(rng.Uint32())
		}
		values = append(values, value)
		switch width {
		case 4:
			d.four = append(d.four, uint32(littleEndian(value)))
		case 8:
			d.eight = append(d.eight, littleEndian(value))
		default:
			d.data = append(d.data, value...)
		}
	}
	return &indices{dictionary: d, numbers: hybrid{data: data, width: bits}}, values
}

func littleEndian(b []byte) (v uint64) {
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}

// runsOf returns numbers below count in runs of all lengths, and in groups between them.
func runsOf(rng *rand.Rand, bits, count int) (numbers []uint32, data []byte) {
	for range 60 {
		if rng.IntN(8) == 0 {
			group := make([]uint32, 8*rng.IntN(12))
			for i := range group {
				group[i] = uint32(rng.IntN(count))
			}
			numbers, data = append(numbers, group...), append(data, packed(group, bits)...)
		}
		k, n := uint32(rng.IntN(count)), rng.IntN([]int{3, 20, 200, 20_000}[rng.IntN(4)])
		numbers, data = append(numbers, slices.Repeat([]uint32{k}, n)...), append(data, run(n, k, bits)...)
	}
	return numbers, data
}

// TestIndices reads the values of indices of all widths in pieces of all lengths.
func TestIndices(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for bits := range 20 {
		for _, width := range []int{1, 4, 8, 12} {
			count := max(1, 1<<bits-rng.IntN(1<<bits)/2)
			numbers, data := runsOf(rng, bits, count)
			d, values := indicesOf(rng, data, bits, width, count)
			var want []byte
			for _, k := range numbers {
				want = append(want, values[k]...)
			}
			const guard = 0xa5
			for left := len(numbers); left > 0; {
				n := min(left, 1+rng.IntN([]int{5, 300, 1 << 16}[rng.IntN(3)]))
				got := bytes.Repeat([]byte{guard}, n*width+100)
				if err := d.fixed(got[:n*width], n); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got[:n*width], want[:n*width]) || got[n*width] != guard {
					t.Fatalf("%d bits, values of %d bytes: %d of %d values differ", bits, width, n, left)
				}
				want, left = want[n*width:], left-n
			}
			if err := d.fixed(make([]byte, width), 1); bits > 0 && !errors.Is(err, ErrCorrupt) {
				t.Errorf("%d bits, values of %d bytes: behind the end: %v", bits, width, err)
			}
		}
	}
}

// An index beyond the dictionary is an error, in runs and groups.
func TestIndicesOutside(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, width := range []int{4, 8, 12} {
		for _, data := range [][]byte{
			slices.Concat(run(5, 1, 3), run(9, 6, 3), run(9, 1, 3)),
			slices.Concat(run(5, 1, 3), packed([]uint32{1, 2, 3, 4, 5, 6, 0, 0}, 3), run(9, 1, 3)),
			slices.Concat(run(5, 1, 3), run(1<<14, 6, 3)),
		} {
			d, _ := indicesOf(rng, data, 3, width, 6)
			err := d.fixed(make([]byte, 14*width), 14)
			if !errors.Is(err, ErrCorrupt) || err.Error() != d.outside(6).Error() {
				t.Errorf("values of %d bytes: %v", width, err)
			}
		}
	}
}

// BenchmarkIndices reads values of four bytes by runs of some length, or by packed indices of some
// width. One byte stands for a value.
func BenchmarkIndices(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	read := func(name string, data []byte, bits, n int) {
		b.Run(name, func(b *testing.B) {
			d, _ := indicesOf(rng, nil, bits, 4, 1<<bits)
			to := make([]byte, 4*n)
			b.SetBytes(int64(n))
			for b.Loop() {
				d.numbers = hybrid{data: data, width: bits}
				if err := d.fixed(to, n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	const n = 1 << 14
	for _, length := range []int{8, 32, 1000} {
		var data []byte
		for range n/length + 1 {
			data = append(data, run(length, uint32(rng.IntN(32)), 5)...)
		}
		read(fmt.Sprintf("runs_of_%d", length), data, 5, n)
	}
	for _, bits := range []int{1, 3, 5, 8, 11, 16, 18} {
		group := make([]uint32, n)
		for i := range group {
			group[i] = uint32(rng.IntN(1 << bits))
		}
		read(fmt.Sprintf("packed_in_%d_bits", bits), packed(group, bits), bits, n)
	}
}
