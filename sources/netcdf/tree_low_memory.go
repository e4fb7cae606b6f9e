package netcdf

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// fewFiles is the number of files up to which the descriptions of all opened datasets
// stay in memory.
const fewFiles = 64

// distantArray is a treeArray that does not keep the description of its dataset. It
// reads the description again for each region.
type distantArray struct {
	info   *sources.Info
	file   *sources.OpenFile
	at     hdf5.Place // of the dataset
	member []string   // see treeVariable
}

// distant returns an array that reads the variable at a path and takes less memory than
// a. If there is none, it returns a.
func (t *tree) distant(a sources.Array, path string) sources.Array {
	far := distantArray{a.Info(), t.fileOf(t.byPath[path]), t.byPath[path].at, t.byPath[path].member}
	switch near := a.(type) {
	case *treeArray:
		return &far
	case *storedDataset:
		return &distantStored{far, near.chain}
	default:
		return a
	}
}

// Info implements [sources.Array].
func (a *distantArray) Info() *sources.Info { return a.info }

// ShareInfo implements [sources.Shared].
func (a *distantArray) ShareInfo(s *sources.Infos) { a.info = s.Share(a.info) }

// near returns the array with its dataset.
func (a *distantArray) near(ctx context.Context) (*treeArray, error) {
	near := &treeArray{info: a.info, url: a.file.URL}
	o, err := a.at.Object(ctx)
	if err == nil {
		near.dataset, err = fieldOf(ctx, o, a.member)
	}
	if err == nil {
		near.fill, err = elementBehind(ctx, near.dataset, a.info.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", a.file.URL, a.info.Path, err)
	}
	return near, nil
}

// ReadRegion implements [sources.Array].
func (a *distantArray) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	near, err := a.near(ctx)
	if err != nil {
		return err
	}
	return near.ReadRegion(ctx, dst, start)
}

// distantStored is a storedDataset that does not keep the description of its dataset.
type distantStored struct {
	distantArray
	chain *codecs.Chain
}

// OpenStored implements [sources.Stored].
func (s *distantStored) OpenStored(ctx context.Context, index []int) (codecs.Input, error) {
	near, err := s.near(ctx)
	if err != nil {
		return nil, err
	}
	return (&storedDataset{near, s.file, s.chain}).OpenStored(ctx, index)
}

// VerifyStored implements [sources.Stored].
func (s *distantStored) VerifyStored(ctx context.Context, index []int, in codecs.Input) error {
	near, err := s.near(ctx)
	if err != nil {
		return err
	}
	return (&storedDataset{near, s.file, s.chain}).VerifyStored(ctx, index, in)
}
