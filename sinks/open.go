package sinks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// Open opens an existing Zarr v3 hierarchy for writing, of this program or of another one.
// Array opens its arrays, CreateArray adds new ones, and SetAttributes changes nodes. If
// there is no hierarchy, the error wraps fs.ErrNotExist. Open writes nothing.
//
// Readers see nothing of new nodes, of new rows and of new attributes before Commit, which
// writes the documents last. Elements that readers see already are different: WriteRegion
// replaces them object by object, at the latest at Commit, and Close does not bring the
// old ones back. Each object is replaced as a whole.
//
// A hierarchy has one Writer at a time. Commit refuses an array that another program has
// changed since it was opened. Consolidated metadata are kept up to date if the
// hierarchy has them, also those of groups in between, but not those of groups above the
// URL: open a hierarchy at its root. Options.Attributes and Options.Unconsolidated are
// settings of Create.
func Open(ctx context.Context, url string, opt Options) (*Writer, error) {
	return openWith(ctx, url, opt, existingWriter)
}

// existingWriter returns the Writer of an existing hierarchy.
func existingWriter(ctx context.Context, st *store.Store, opt Options) (*Writer, error) {
	w, err := makeWriter(st, opt)
	if err != nil {
		return nil, err
	}
	if opt.Attributes != nil || opt.Unconsolidated {
		return nil, fmt.Errorf("%s: Open takes no Attributes and no Unconsolidated: use SetAttributes; the hierarchy keeps consolidated metadata if it has them", st.URL())
	}
	w.existing = true
	text, err := w.document(ctx, "")
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return nil, fmt.Errorf("%s: %w: it has no %s; Create makes a new hierarchy, and a job converts Zarr v2", st.URL(), fs.ErrNotExist, zarr.MetadataKey)
	}
	if _, err := zarr.NodeType(text); err != nil {
		return nil, fmt.Errorf("%s: %w", st.URL(), err)
	}
	return w, nil
}

// document reads the document of a node; nil: there is no node.
func (w *Writer) document(ctx context.Context, p string) ([]byte, error) {
	text, err := w.store.ReadAll(ctx, path.Join(p, zarr.MetadataKey), zarr.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Arrays lists the paths of all arrays in order, also of those that are not committed. In
// an existing hierarchy, it takes the paths from the consolidated metadata. If there are
// none, it looks into the folders of all groups.
func (w *Writer) Arrays(ctx context.Context) ([]string, error) {
	var paths []string
	if w.existing {
		text, err := w.document(ctx, "")
		if err != nil {
			return nil, err
		}
		group, err := zarr.ParseGroup(text)
		switch kind, _ := zarr.NodeType(text); {
		case kind == "array":
			paths = []string{""}
		case err != nil:
			return nil, fmt.Errorf("%s: %w", w.store.URL(), err)
		case group.Consolidated == nil:
			if paths, err = w.walk(ctx); err != nil {
				return nil, err
			}
		}
		if group != nil {
			for p, node := range group.Consolidated {
				if kind, err := zarr.NodeType(node); err == nil && kind == "array" {
					paths = append(paths, p)
				}
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for p := range w.arrays {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// walk looks for arrays in the folders of all groups, level by level.
func (w *Writer) walk(ctx context.Context) (arrays []string, err error) {
	for level := []string{""}; len(level) > 0; {
		kinds, folders := make([]string, len(level)), make([][]string, len(level))
		g, below := errgroup.WithContext(ctx)
		g.SetLimit(w.atOnce)
		for i, p := range level {
			g.Go(func() error {
				text, err := w.document(below, p)
				if err != nil {
					return err
				}
				if text != nil {
					if kinds[i], err = zarr.NodeType(text); err != nil {
						return fmt.Errorf("%q: %w", p, err)
					}
				}
				if kinds[i] != "array" {
					folders[i], err = w.store.Folders(below, p)
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return nil, err
		}
		var next []string
		for i, p := range level {
			if kinds[i] == "array" {
				arrays = append(arrays, p)
			}
			for _, name := range folders[i] {
				next = append(next, path.Join(p, name))
			}
		}
		level = next
	}
	return arrays, nil
}

// Array returns an array of the hierarchy by its path; "" is a hierarchy that is one
// array. All calls for a path return the same Array. If there is no such array, the error
// wraps fs.ErrNotExist. An array whose chunks have several shapes, those of a
// rectilinear grid, is an error that wraps errors.ErrUnsupported.
func (w *Writer) Array(ctx context.Context, path string) (*Array, error) {
	if a := w.opened(path); a != nil || !w.existing {
		return a, w.noArray(a, path)
	}
	text, err := w.document(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", path, err)
	}
	if text == nil {
		return nil, w.noArray(nil, path)
	}
	a := &Array{writer: w, path: path, objects: map[string]*object{}, document: text}
	if err := a.bindExisting(); err != nil {
		return nil, fmt.Errorf("array %q: %w", path, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if other := w.arrays[path]; other != nil {
		return other, nil // another goroutine was faster
	}
	w.arrays[path] = a
	return a, nil
}

func (w *Writer) opened(path string) *Array {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.arrays[path]
}

// noArray is the error about a path without an array, nil if there is one.
func (w *Writer) noArray(a *Array, path string) error {
	if a != nil {
		return nil
	}
	return fmt.Errorf("array %q of %s: %w", path, w.store.URL(), fs.ErrNotExist)
}

// bindExisting sets the fields of an array that follow from its document.
func (a *Array) bindExisting() error {
	meta, err := zarr.ParseArray(a.document, a.writer.options.Codecs.Types())
	if err != nil {
		return err
	}
	grid, regular := meta.Grid.Regular()
	if !regular {
		return fmt.Errorf("a rectilinear chunk grid: %w; a job can write the array with chunks of one shape", errors.ErrUnsupported)
	}
	a.meta, a.shape, a.committed, a.extent = *meta, grid.Shape, grid.Shape, grid.Chunk
	a.known = append([]int{}, grid.Shape...)
	if a.chain, err = a.writer.options.Codecs.Bind(meta.Codecs, codecs.Chunk{Type: meta.Type, Shape: grid.Chunk, Fill: meta.Fill}); err != nil {
		return fmt.Errorf("codecs: %w", err)
	}
	a.lookInside()
	a.chunks = a.writer.hierarchy.Array(a.path, Placement{Keys: meta.Keys})
	return nil
}
