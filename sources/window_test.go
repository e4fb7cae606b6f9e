package sources

import (
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// counted returns an array of float64 whose elements are their numbers in C order.
func counted(shape ...int) *held {
	n, _ := ndarray.Elements(shape)
	h := &held{info: &Info{Type: dtype.Float64, Shape: shape}}
	for i := range n {
		h.values = append(h.values, float64(i))
	}
	return h
}

// TestWindow reads the middle of each dimension, and nothing beyond it.
func TestWindow(t *testing.T) {
	whole := counted(4, 5)
	for dim, want := range [][]float64{{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, {1, 2, 6, 7, 11, 12, 16, 17}} {
		w := Window(whole, dim, 1, 2)
		dst := ndarray.New(dtype.Float64, w.Info().Shape)
		if err := w.ReadRegion(t.Context(), dst, []int{0, 0}); err != nil {
			t.Fatal(err)
		}
		if got, _ := ndarray.As[float64](dst); !slices.Equal(got, want) {
			t.Errorf("dimension %d: %v, want %v", dim, got, want)
		}
		start := []int{0, 0}
		start[dim] = 1
		if err := w.ReadRegion(t.Context(), dst, start); err == nil {
			t.Errorf("dimension %d: a region beyond the window was read", dim)
		}
	}
	if !slices.Equal(whole.info.Shape, []int{4, 5}) {
		t.Errorf("the whole array has shape %v", whole.info.Shape)
	}
}
