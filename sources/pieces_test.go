package sources

import (
	"context"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// patterned is a file whose bytes follow from their offsets.
type patterned struct{}

func (patterned) ReadRange(_ context.Context, _ string, p []byte, off int64) error {
	for i := range p {
		p[i] = byte((off + int64(i)) * 2654435761 >> 16)
	}
	return nil
}

func (patterned) GapBytes() int { return 0 }

// Pieces are runs of bytes, have at most 8 MiB and divide the shape. Each has the bytes that
// ReadRegion reads there.
func TestPieces(t *testing.T) {
	const row = 4096 // the bytes of a record
	for _, c := range []struct {
		shape, strides []int
		single         string
		want           []int
	}{
		{nil, nil, "", []int{}},
		{[]int{7}, []int{4}, "", []int{7}},
		{[]int{0, 5}, []int{20, 4}, "", []int{1, 5}},
		{[]int{3, 4, 5}, []int{80, 20, 4}, "", []int{3, 4, 5}},
		{[]int{3, 4, 5}, []int{80, 20, 4}, "t", []int{1, 4, 5}},
		{[]int{3, 4, 5}, []int{80, 20, 4}, "y", []int{1, 1, 5}},
		{[]int{3, 4, 5}, []int{row, 20, 4}, "", []int{1, 4, 5}}, // records with others between them
		{[]int{3}, []int{row}, "", []int{1}},
		{[]int{1, 4}, []int{row, 4}, "", []int{1, 4}},
		{[]int{6, 1 << 20}, []int{4 << 20, 4}, "", []int{2, 1 << 20}},
		{[]int{7, 1 << 20}, []int{4 << 20, 4}, "", []int{1, 1 << 20}},
		{[]int{2, 3, 1 << 21}, []int{24 << 20, 8 << 20, 4}, "", []int{1, 1, 1 << 21}},
		{[]int{2, 3 << 20}, []int{12 << 20, 4}, "", []int{1, 3 << 19}},
	} {
		names := []string{"t", "y", "x"}
		info := &Info{Path: "a", Type: dtype.Float32, Shape: c.shape, DimensionNames: names[:len(c.shape)]}
		a, err := (&Pieces{Single: c.single}).Cut(info, Place{Files: patterned{}, URL: "file", Size: 1 << 40, Order: dtype.Little, Offset: 24, Strides: c.strides, Scratch: &ndarray.Pool{}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(info.Chunks, c.want) {
			t.Errorf("%v with strides %v: pieces of %v, want %v", c.shape, c.strides, info.Chunks, c.want)
			continue
		}
		if slices.Contains(c.shape, 0) {
			continue
		}
		last := make([]int, len(c.shape))
		start := make([]int, len(c.shape))
		for k, n := range c.shape {
			if n%c.want[k] != 0 {
				t.Errorf("%v: pieces of %v do not divide it", c.shape, c.want)
			}
			last[k] = n/c.want[k] - 1
			start[k] = last[k] * c.want[k]
		}
		in, err := AsStored(a).OpenStored(t.Context(), last)
		if err != nil {
			t.Fatal(err)
		}
		got, want := make([]byte, in.Size()), ndarray.New(dtype.Float32, c.want)
		if err := in.ReadAt(t.Context(), got, 0); err != nil {
			t.Fatal(err)
		}
		if err := a.ReadRegion(t.Context(), want, start); err != nil {
			t.Fatal(err)
		}
		url, offset := in.(Located).Locate()
		direct := make([]byte, in.Size())
		_ = patterned{}.ReadRange(t.Context(), "", direct, offset)
		if !slices.Equal(got, want.Data) || !slices.Equal(got, direct) || url != "file" {
			t.Errorf("%v: piece %v has other bytes", c.shape, last)
		}
	}
}

func TestDivisor(t *testing.T) {
	for _, c := range [][3]int{{12, 5, 4}, {12, 12, 12}, {12, 100, 12}, {13, 12, 1}, {1, 1, 1}, {1000003, 1000, 1}, {1 << 40, 1000, 512}} {
		if got := divisor(c[0], c[1]); got != c[2] {
			t.Errorf("the largest divisor of %d up to %d: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
