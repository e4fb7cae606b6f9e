package sinks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// Create begins a new hierarchy at a URL: a local folder, s3://, gs:// or azblob://. The
// place must be empty; otherwise the error wraps fs.ErrExist. Create writes nothing.
func Create(ctx context.Context, url string, opt Options) (*Writer, error) {
	return openWith(ctx, url, opt, newWriter)
}

// newWriter returns the Writer of a new hierarchy.
func newWriter(ctx context.Context, st *store.Store, opt Options) (*Writer, error) {
	if err := checkAttributes(opt.Attributes); err != nil {
		return nil, err
	}
	var first string
	err := st.List(ctx, "", func(o store.Info) error {
		first = o.Key
		return errEnough
	})
	switch {
	case errors.Is(err, errEnough):
		return nil, fmt.Errorf("%s: %w: it holds %q; remove what is there, choose another place, or use Open", st.URL(), fs.ErrExist, first)
	case err != nil:
		return nil, err
	}
	w, err := makeWriter(st, opt)
	if err == nil {
		w.groups[""] = opt.Attributes
	}
	return w, err
}

// CreateGroup adds a group with attributes. Groups above arrays need no call; without
// one they have no attributes.
func (w *Writer) CreateGroup(ctx context.Context, p string, attributes zarr.Attributes) error {
	if err := w.usable(); err != nil {
		return err
	}
	if err := checkAttributes(attributes); err != nil {
		return fmt.Errorf("group %q: %w", p, err)
	}
	if err := w.vacant(ctx, p, "group"); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, exists := w.groups[p]; exists {
		return fmt.Errorf("group %q: %w; SetAttributes changes its attributes", p, fs.ErrExist)
	}
	if err := w.free(p, "group"); err != nil {
		return err
	}
	w.groups[p] = attributes
	return nil
}

// free refuses a path that a new node cannot have: an invalid path, the path of an array,
// or a path below an array. kind is "array" or "group", for messages.
func (w *Writer) free(p, kind string) error {
	err := zarr.CheckPath(p)
	if err == nil {
		err = store.CheckKey(w.store.URL(), path.Join(p, zarr.MetadataKey))
	}
	if err != nil {
		return fmt.Errorf("%s %q: %w", kind, p, err)
	}
	for above, more := p, true; more; above, more = zarr.Parent(above) {
		if w.arrays[above] == nil {
			continue
		}
		if above == p {
			return fmt.Errorf("%s %q: %w: there is an array; choose another path", kind, p, fs.ErrExist)
		}
		return fmt.Errorf("%s %q: %q is an array and holds no nodes", kind, p, above)
	}
	return nil
}

// add adds an array.
func (w *Writer) add(a *Array) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.free(a.path, "array"); err != nil {
		return err
	}
	for below := range w.arrays {
		if a.path == "" || strings.HasPrefix(below, a.path+"/") {
			return fmt.Errorf("array %q: the array %q lies below it", a.path, below)
		}
	}
	for below := range w.groups {
		if below != "" && (below == a.path || a.path == "" || strings.HasPrefix(below, a.path+"/")) {
			return fmt.Errorf("array %q: the group %q lies there", a.path, below)
		}
	}
	w.arrays[a.path] = a
	return nil
}
