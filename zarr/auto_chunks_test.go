package zarr

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestItemBytes: elements of variable size count with what they take in memory.
func TestItemBytes(t *testing.T) {
	for _, test := range []struct {
		name    string
		typ     dtype.Type
		average int
		want    []int // chunks of a million elements
	}{
		{"of fixed size", dtype.Float64, 0, []int{500000}},
		{"of unknown length", dtype.StringType, 0, []int{250000}},
		{"of 100 bytes", dtype.StringType, 100, []int{31250}},
		{"of 2 GB", dtype.BytesType, 2 << 30, []int{1}},
	} {
		if got := AutoChunks([]int{1000000}, nil, ItemBytes(test.typ, test.average)); !slices.Equal(got, test.want) {
			t.Errorf("%s: chunks %v, want %v", test.name, got, test.want)
		}
	}
}

func TestAutoChunks(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int
		size  int
		want  []int
	}{
		{"scalar", nil, 8, []int{}},
		{"small arrays are one chunk", []int{12, 90, 180}, 4, []int{12, 90, 180}},
		{"empty", []int{0, 90}, 4, []int{1, 90}},
		{"the longest side is halved first", []int{1024, 512, 512}, 4, []int{64, 128, 128}},
		{"one long dimension", []int{100_000_000}, 8, []int{390625}},
		{"elements larger than a chunk", []int{3, 2}, 8 << 20, []int{1, 1}},
		{"product beyond an int", []int{1 << 40, 1 << 40}, 8, []int{512, 1024}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := AutoChunks(c.shape, nil, c.size)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			n, ok := ndarray.Elements(append([]int{c.size}, got...))
			if !ok || n > 8<<20 && c.size < 1<<20 {
				t.Errorf("chunk of %d bytes", n)
			}
			if whole, ok := ndarray.Elements(append([]int{c.size}, c.shape...)); (!ok || whole > 4<<20) && n < 1<<20 {
				t.Errorf("chunk of only %d bytes", n)
			}
		})
	}
}

func TestAutoChunksWith(t *testing.T) {
	for _, c := range []struct {
		name                string
		shape, given, units []int
		size                int
		want                []int
	}{
		{"some are given", []int{1000, 1000, 1000}, []int{10, 0, 0}, nil, 4, []int{10, 250, 250}},
		{"given chunks beyond the size", []int{1000, 1000}, []int{0, 100 << 20}, nil, 4, []int{1, 100 << 20}},
		{"small chunks are put together", []int{8760, 73, 144}, nil, []int{1, 73, 144}, 4, []int{69, 73, 144}},
		{"multiples", []int{1000, 1000, 100}, nil, []int{30, 40, 100}, 4, []int{90, 80, 100}},
		{"good as they are", []int{8760, 721, 1440}, nil, []int{1, 721, 1440}, 4, []int{1, 721, 1440}},
		{"large chunks are divided", []int{8760, 721, 1440}, nil, []int{24, 721, 1440}, 4, []int{24, 181, 180}},
		{"chunks longer than the array", []int{12, 90, 180}, nil, []int{1024, 90, 180}, 4, []int{12, 90, 180}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, AutoChunksWith(c.shape, c.given, c.units, c.size)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDivisorNear: a divisor below is taken unless it is less than half of what is wanted.
func TestDivisorNear(t *testing.T) {
	for _, c := range [][3]int{{12, 5, 4}, {12, 6, 6}, {14, 6, 7}, {14, 4, 2}, {14, 5, 7}, {13, 2, 1}, {13, 3, 13}, {7, 7, 7}, {7, 1, 1}} {
		if got := DivisorNear(c[0], c[1]); got != c[2] {
			t.Errorf("near %d of %d: %d, want %d", c[1], c[0], got, c[2])
		}
	}
}
