package sources

import (
	"context"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// held is an array of float64 in memory.
type held struct {
	info   *Info
	values []float64
}

func (h *held) Info() *Info { return h.info }

func (h *held) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(h.info, dst, start); err != nil {
		return err
	}
	whole := ndarray.New(dtype.Float64, h.info.Shape)
	list, _ := ndarray.As[float64](whole)
	copy(list, h.values)
	ndarray.Copy(dst, whole.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}
