package zarr

import (
	"context"
	"errors"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/filters"
)

// wholeObject is the size up to which an object of a remote store is read by one
// request when it is opened.
const wholeObject = 8 << 20

// storedArray is an array that implements [sources.Stored].
type storedArray struct{ *array }

// withObjects returns an array that is [sources.Stored], unless no codecs of Zarr v3 make
// the same objects or the chunks have several shapes. Then it returns a, and Obstacle says
// why.
func (a *array) withObjects() sources.Array {
	if a.n5 != nil {
		a.info.Codecs, a.info.Obstacle = nil, "few readers of Zarr know the blocks of N5"
		return a
	}
	if name := filters.Without(a.source.codecs, a.chain.Specs()); name != "" {
		a.info.Codecs, a.info.Obstacle = nil, "Zarr v3 has no codec like "+name
		if name == "json2" || name == "msgpack2" {
			a.info.Notes = append(slices.Clip(a.info.Notes), "objects that are None become the empty text")
		}
		return a
	}
	if a.reorder != nil || a.grid.Runs != nil {
		a.info.Obstacle = "no Zarr v3 array with a regular chunk grid has the same objects"
		return a
	}
	return storedArray{a}
}

// OpenStored implements [sources.Stored].
func (a storedArray) OpenStored(ctx context.Context, index []int) (codecs.Input, error) {
	var in codecs.Input
	key := a.key(index)
	found, err := a.source.presence.read(ctx, key, func() (err error) {
		in, err = a.open(ctx, index)
		return err
	})
	if err == nil && !found && a.source.allChunks {
		err = ErrMissingChunk
	}
	if err == nil && !found {
		err = a.checkMissing(index)
	}
	if err != nil {
		return nil, a.wrong(index, err)
	}
	if !found {
		return nil, nil
	}
	return in, nil
}

// PlaceStored implements [sources.Placed].
func (a storedArray) PlaceStored(index []int, in codecs.Input) (*store.Store, store.Info) {
	if opened, ok := in.(input); ok {
		return opened.store, opened.object
	}
	return a.source.store, store.Info{Key: a.key(index), Size: in.Size()}
}

// VerifyStored implements [sources.Stored].
func (a storedArray) VerifyStored(ctx context.Context, index []int, in codecs.Input) error {
	if err := a.chain.Verify(ctx, in); err != nil {
		return a.wrong(index, err)
	}
	return nil
}

func (a storedArray) open(ctx context.Context, index []int) (codecs.Input, error) {
	st, size, key := a.source.store, a.chain.Size(), a.key(index)
	if !st.Local() && !size.Unbounded && size.Max <= wholeObject {
		data, version, err := a.readObject(ctx, index, key, int64(size.Max), func(size int) []byte { return make([]byte, size) })
		if err == nil {
			err = a.checkVersion(index, version)
		}
		if !errors.Is(err, store.ErrTooLarge) || !a.chain.HasSpace() {
			return codecs.InMemory(data), err
		}
	}
	info, err := st.Stat(ctx, key)
	if err == nil {
		err = a.checkVersion(index, info.Version)
	}
	return input{st, info}, err
}

// WithFill implements [sources.Refilled].
func (a *array) WithFill(fill dtype.Scalar) sources.Array { return a.withFill(fill) }

// WithFill implements [sources.Refilled].
func (a storedArray) WithFill(fill dtype.Scalar) sources.Array { return storedArray{a.withFill(fill)} }

func (a *array) withFill(fill dtype.Scalar) *array {
	other, own, info := *a, *a.kind, *a.Info()
	own.fill, info.Fill = fill, fill
	other.kind, other.info = &own, &info
	return &other
}
