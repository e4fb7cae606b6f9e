package zarr

import (
	"context"
	"errors"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
)

// StoredRegions implements [sources.Sparse] by a list of the array's objects. It
// reports nothing if the server cannot list, or if the list lacks an object that the
// server has.
func (a *array) StoredRegions(ctx context.Context, f func(ndarray.Region)) (dtype.Scalar, error) {
	if a.source.allChunks || a.Info().Type.Size() == 0 {
		return nil, nil
	}
	sample := a.sample()
	listed := map[string]bool{}
	err := a.objects(ctx, func(index []int, o store.Info) error {
		if sample[o.Key] {
			listed[o.Key] = true
		}
		f(a.grid.Region(index))
		return nil
	})
	if errors.Is(err, store.ErrNoList) || absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for key := range sample {
		if a.source.store.Local() || listed[key] {
			continue
		}
		if _, err := a.source.store.Stat(ctx, key); err == nil {
			return nil, nil
		} else if !absent(err) {
			return nil, err
		}
	}
	return a.fill, nil
}

// sample returns the keys of the chunks that are part of the store's identity.
func (a *array) sample() map[string]bool {
	keys := map[string]bool{}
	for i := range min(a.grid.Len(), sampled) {
		keys[a.key(a.grid.Index(sampleNumber(i, a.grid.Len())))] = true
	}
	return keys
}
