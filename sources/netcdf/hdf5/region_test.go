package hdf5_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// checkRegions compares random regions of a dataset with the same parts of the whole.
// Several goroutines read the regions, into memory with any order of dimensions.
func checkRegions(ctx context.Context, d *hdf5.Dataset, whole ndarray.Array) error {
	errs := make([]error, 3)
	var readers sync.WaitGroup
	for i := range errs {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(i)))
			for range 6 {
				if err := checkRegion(ctx, r, d, whole); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	readers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkRegion(ctx context.Context, r *rand.Rand, d *hdf5.Dataset, whole ndarray.Array) error {
	rank := len(whole.Shape)
	at := ndarray.Region{Start: make([]int, rank), Shape: make([]int, rank)}
	for k, n := range whole.Shape {
		at.Shape[k] = r.IntN(n + 1)
		at.Start[k] = r.IntN(n - at.Shape[k] + 1)
	}
	order, shape, back := r.Perm(rank), make([]int, rank), make([]int, rank)
	for i, k := range order {
		shape[i], back[k] = at.Shape[k], i
	}
	dst := ndarray.New(whole.Type, shape).Transpose(back)
	if err := d.ReadRegion(ctx, dst, at.Start); err != nil {
		return err
	}
	if !slices.EqualFunc(slices.Collect(dst.Items()), slices.Collect(whole.Sub(at).Items()), bytes.Equal) {
		return fmt.Errorf("region %v differs from the same part of the whole", at)
	}
	return nil
}
