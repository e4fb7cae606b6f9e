package zarr

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

// Forget drops the recorded versions of the chunks of src. The next read of a chunk records
// the version that the chunk has then. Forget must not run while regions are read. It does
// nothing for a source that [Open] did not open.
func Forget(src sources.Source) {
	s, ok := src.(*source)
	if !ok {
		return
	}
	s.versions.forget()
	s.opened.forget()
}

func (v *versions) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.arrays, v.chunks = nil, 0
}

const (
	unseen  = 0 // nothing is known of the chunk
	missing = 1 // the chunk is missing
)

// of returns the record of an array.
func (v *versions) of(a *array) *arrayVersions {
	v.mu.Lock()
	defer v.mu.Unlock()
	if h := v.arrays[a.path]; h != nil {
		return h
	}
	h := &arrayVersions{array: a}
	if n := a.grid.Len(); n <= mostVersions-v.chunks {
		h.record = make([]atomic.Uint32, n)
		v.chunks += n
	}
	if v.arrays == nil {
		v.arrays = map[string]*arrayVersions{}
	}
	v.arrays[a.path] = h
	return h
}

// checkVersion records the version of a chunk. It returns an error that wraps
// ErrChanged if the chunk had another version before. The version "" is unknown and is
// not compared.
func (a *array) checkVersion(index []int, version string) error {
	if version == "" {
		return nil
	}
	return a.checkRecorded(index, max(crc32.ChecksumIEEE([]byte(version)), missing+1))
}

// checkMissing is checkVersion for a missing chunk.
func (a *array) checkMissing(index []int) error { return a.checkRecorded(index, missing) }

func (a *array) checkRecorded(index []int, now uint32) error {
	if a.source.store.Local() {
		return nil
	}
	record, number := a.source.versions.of(a).record, a.grid.Number(index)
	if number < len(record) && !record[number].CompareAndSwap(unseen, now) && record[number].Load() != now {
		return sources.ErrChanged
	}
	return nil
}

// changed lists the chunks of each array that was read, if the store can list. It returns
// an error if the version of a chunk is no longer the one that was read. Arrays of a few
// chunks are not listed, because all of their chunks are part of the identity.
func (v *versions) changed(ctx context.Context) error {
	v.mu.Lock()
	var all []*arrayVersions
	for _, h := range v.arrays {
		if len(h.record) > sampled {
			all = append(all, h)
		}
	}
	v.mu.Unlock()
	slices.SortFunc(all, func(x, y *arrayVersions) int { return strings.Compare(x.array.path, y.array.path) })
	return sources.InParallel(ctx, len(all), func(ctx context.Context, i int) error { return all[i].changed(ctx) })
}

func (h *arrayVersions) changed(ctx context.Context) error {
	read, there := 0, 0 // how many chunks were read, and how many of these are listed
	for i := range h.record {
		if h.record[i].Load() > missing {
			read++
		}
	}
	a := h.array
	err := a.objects(ctx, func(index []int, o store.Info) error {
		if h.record[a.grid.Number(index)].Load() > missing {
			there++
		}
		if err := a.checkVersion(index, o.Version); err != nil {
			return fmt.Errorf("%s: %w", objectURL(a.source.store, o.Key), err)
		}
		return nil
	})
	switch {
	case errors.Is(err, store.ErrNoList), errors.Is(err, fs.ErrPermission): // a reader may have no right to list
		return nil
	case err == nil && there < read:
		return fmt.Errorf("%s: array %q: %d chunks that were read are gone: %w", a.source.store.URL(), a.path, read-there, sources.ErrChanged)
	}
	return err
}
