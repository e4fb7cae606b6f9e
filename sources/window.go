package sources

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// window is a range of an array along one dimension.
type window struct {
	array Array
	info  Info
	dim   int
	first int
}

// Window returns a part of an array: n indices of a dimension, from first on. They must lie
// within the array. The description differs from that of the whole array only in the
// shape.
func Window(array Array, dim, first, n int) Array {
	w := &window{array: array, info: *array.Info(), dim: dim, first: first}
	w.info.Shape = slices.Clone(w.info.Shape)
	w.info.Shape[dim] = n
	return w
}

func (w *window) Info() *Info { return &w.info }

// ReadRegion implements [Array].
func (w *window) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(&w.info, dst, start); err != nil {
		return err
	}
	start = slices.Clone(start)
	start[w.dim] += w.first
	return w.array.ReadRegion(ctx, dst, start)
}
