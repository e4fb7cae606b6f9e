package zarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/sources"
)

// stat asks the store for the present state of an object.
func (d *identity) stat(ctx context.Context, key string) (file, error) {
	info, err := d.store.Stat(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return file{key: key, absent: true}, err
	}
	changed := info.ModTime
	return file{key: key, size: info.Size, etag: info.ETag, seconds: changed.Unix(), nanos: int32(changed.Nanosecond())}, err
}

// add makes an object part of the identity. If the object is missing, the error wraps
// fs.ErrNotExist.
func (d *identity) add(ctx context.Context, key string) error {
	f, err := d.stat(ctx, key)
	if err != nil {
		return err
	}
	d.keep(f)
	return nil
}

func (d *identity) keep(list ...file) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files, d.sorted = append(d.files, list...), false
}

// known returns the objects in the order of their keys. If an object was added twice,
// it is in its first state.
func (d *identity) known() []file {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.sorted {
		if d.shown {
			d.files = slices.Clone(d.files)
		}
		slices.SortStableFunc(d.files, func(a, b file) int { return strings.Compare(a.key, b.key) })
		d.files, d.sorted = slices.CompactFunc(d.files, func(a, b file) bool { return a.key == b.key }), true
	}
	d.shown = true
	return slices.Clip(d.files)
}

// addChunks makes some chunks of an array part of the identity, including missing ones.
func (d *identity) addChunks(ctx context.Context, a *array) error {
	n := a.grid.Len()
	list := make([]file, min(n, sampled))
	err := sources.InParallel(ctx, len(list), func(ctx context.Context, i int) error {
		f, err := d.stat(ctx, a.key(a.grid.Index(sampleNumber(i, n))))
		list[i] = f
		if f.absent {
			return nil
		}
		return err
	})
	if err == nil {
		d.keep(list...)
	}
	return err
}

// sampleNumber returns the number of chunk i of the sample of n chunks: the first, the
// last, and others evenly between them.
func sampleNumber(i, n int) int {
	if n <= sampled {
		return i
	}
	const steps = sampled - 1
	return (n-1)/steps*i + (n-1)%steps*i/steps
}

// all yields the objects that are not missing, in the order of their keys.
func (d *identity) all() iter.Seq[sources.File] {
	return func(yield func(sources.File) bool) {
		query := d.store.Query()
		for _, f := range d.known() {
			if f.absent {
				continue
			}
			if !yield(sources.File{URL: objectURL(d.store, f.key), Size: f.size, ModTime: time.Unix(f.seconds, int64(f.nanos)).UTC(), ETag: f.etag, Query: query}) {
				return
			}
		}
	}
}

// changed asks for all objects again. It returns an error that names one that has
// changed.
func (d *identity) changed(ctx context.Context) error {
	files := d.known()
	return sources.InParallel(ctx, len(files), func(ctx context.Context, i int) error {
		was := files[i]
		is, err := d.stat(ctx, was.key)
		switch {
		case is.absent && was.absent:
			return nil
		case err != nil && !is.absent:
			return err
		case is != was:
			return fmt.Errorf("%s: %w", objectURL(d.store, was.key), sources.ErrChanged)
		}
		return nil
	})
}
