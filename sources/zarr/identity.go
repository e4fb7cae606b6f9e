package zarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

// sampled is the most chunks of an array that are part of a store's identity.
const sampled = 16

// identity is what a store is recognised by: some of its objects, as they were
// when it was opened. It is safe for concurrent use.
type identity struct {
	store *store.Store

	mu    sync.Mutex
	files []file
	known map[string]bool // keys of files
}

// file is an object, or a chunk that is not there, whose File has only a URL.
type file struct {
	sources.File
	key    string
	absent bool
}

// stat asks for an object as it is now.
func (d *identity) stat(ctx context.Context, key string) (file, error) {
	f := file{key: key, File: sources.File{URL: objectURL(d.store, key), Query: d.store.Query()}}
	info, err := d.store.Stat(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		f.absent = true
		return f, err
	}
	f.Size, f.ModTime, f.ETag = info.Size, info.ModTime, info.ETag
	return f, err
}

// objectURL names an object, without the parameters of its store.
func objectURL(s *store.Store, key string) string {
	if s.Local() {
		base := strings.TrimPrefix(s.URL(), "file://")
		return filepath.Join(base, filepath.FromSlash(key))
	}
	base, _, _ := strings.Cut(s.URL(), "?")
	return base + "/" + (&url.URL{Path: key}).EscapedPath()
}

// add makes an object part of the identity. One that is not there is an error
// that wraps fs.ErrNotExist.
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
	for _, f := range list {
		if !d.known[f.key] {
			d.known[f.key] = true
			d.files = append(d.files, f)
		}
	}
}

// addChunks makes some chunks of an array part of the identity, also those that
// are not there.
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

// sampleNumber returns the number of the chunk that is number i of the sample of n
// chunks: the first, the last, and those evenly between.
func sampleNumber(i, n int) int {
	if n <= sampled {
		return i
	}
	const steps = sampled - 1
	return (n-1)/steps*i + (n-1)%steps*i/steps
}

// list returns the objects that are there, in the order of their keys.
func (d *identity) list() []sources.File {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.SortFunc(d.files, func(a, b file) int { return strings.Compare(a.key, b.key) })
	var list []sources.File
	for _, f := range d.files {
		if !f.absent {
			list = append(list, f.File)
		}
	}
	return list
}

// changed asks for all objects again and names one that is no longer what it
// was.
func (d *identity) changed(ctx context.Context) error {
	d.mu.Lock()
	files := slices.Clone(d.files)
	d.mu.Unlock()
	return sources.InParallel(ctx, len(files), func(ctx context.Context, i int) error {
		was := files[i]
		is, err := d.stat(ctx, was.key)
		switch {
		case is.absent && was.absent:
			return nil
		case err != nil && !is.absent:
			return err
		case is.absent != was.absent || is.Size != was.Size || !is.ModTime.Equal(was.ModTime) || is.ETag != was.ETag:
			return fmt.Errorf("%s: %w", was.URL, sources.ErrChanged)
		}
		return nil
	})
}
