package netcdf

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// fewFiles is the number of files of which everything that was learnt of their
// datasets stays in memory.
const fewFiles = 64

// distantArray is a treeArray that forgets its dataset: it is described again for
// each region that is read.
type distantArray struct {
	treeArray // without a dataset
	hdf5      *hdf5.File
	address   uint64 // of the dataset
}

// distant returns an array of the variable at a path that takes less memory, where
// there is one.
func (t *tree) distant(a sources.Array, path string) sources.Array {
	near, ok := a.(*treeArray)
	if !ok {
		return a
	}
	far := &distantArray{*near, t.hdf5, t.byPath[path].address}
	far.dataset = nil
	return far
}

// ReadRegion implements [sources.Array].
func (a *distantArray) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	near := a.treeArray
	o, err := a.hdf5.Object(ctx, a.address)
	if err == nil {
		near.dataset, err = o.Dataset(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: array %q: %w", a.url, a.info.Path, err)
	}
	return near.ReadRegion(ctx, dst, start)
}
