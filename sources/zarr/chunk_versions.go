package zarr

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

// mostVersions bounds the chunks of a source whose versions are on record, in four
// bytes each.
const mostVersions = 1 << 24

// versions remember of which version, by ETag or generation, each chunk of a remote
// source was when a list or an answer first told of it. All that is read later of the
// chunk has to be of that version, and so has what is there in the end. It is safe for
// concurrent use.
type versions struct {
	mu     sync.Mutex
	arrays map[string]*held // by path
	chunks int              // of all arrays
}

// held are the versions of an array's chunks.
type held struct {
	array  *array
	record []atomic.Uint32 // of each chunk a hash, or one of those below; nil: there are too many chunks
}

const (
	unseen  = 0 // nothing is known of the chunk
	missing = 1 // it is not there
)

// of returns the record of an array.
func (v *versions) of(a *array) *held {
	v.mu.Lock()
	defer v.mu.Unlock()
	if h := v.arrays[a.path]; h != nil {
		return h
	}
	h := &held{array: a}
	if n := a.grid.Len(); n <= mostVersions-v.chunks {
		h.record = make([]atomic.Uint32, n)
		v.chunks += n
	}
	if v.arrays == nil {
		v.arrays = map[string]*held{}
	}
	v.arrays[a.path] = h
	return h
}

// hold fails with an error that wraps ErrChanged where a chunk is of another version
// than before. A version "" is not known, and not looked at.
func (a *array) hold(index []int, version string) error {
	if version == "" {
		return nil
	}
	return a.holdAs(index, max(crc32.ChecksumIEEE([]byte(version)), missing+1))
}

// holdMissing is hold for a chunk that is not there.
func (a *array) holdMissing(index []int) error { return a.holdAs(index, missing) }

func (a *array) holdAs(index []int, now uint32) error {
	if a.source.store.Local() {
		return nil
	}
	record, number := a.source.versions.of(a).record, a.grid.Number(index)
	if number < len(record) && !record[number].CompareAndSwap(unseen, now) && record[number].Load() != now {
		return sources.ErrChanged
	}
	return nil
}

// changed lists the arrays of which chunks were read, where that can be done, and
// fails where a chunk is no longer of the version that was read. Arrays of a few
// chunks are not listed: all of those are part of the identity.
func (v *versions) changed(ctx context.Context) error {
	v.mu.Lock()
	var all []*held
	for _, h := range v.arrays {
		if len(h.record) > sampled {
			all = append(all, h)
		}
	}
	v.mu.Unlock()
	slices.SortFunc(all, func(x, y *held) int { return strings.Compare(x.array.path, y.array.path) })
	return sources.InParallel(ctx, len(all), func(ctx context.Context, i int) error { return all[i].changed(ctx) })
}

func (h *held) changed(ctx context.Context) error {
	read, there := 0, 0 // chunks
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
		if err := a.hold(index, o.Version); err != nil {
			return fmt.Errorf("%s: %w", objectURL(a.source.store, o.Key), err)
		}
		return nil
	})
	switch {
	case errors.Is(err, store.ErrNoList), errors.Is(err, fs.ErrPermission): // whoever may read may not list
		return nil
	case err == nil && there < read:
		return fmt.Errorf("%s: array %q: %d chunks that were read are gone: %w", a.source.store.URL(), a.path, read-there, sources.ErrChanged)
	}
	return err
}
