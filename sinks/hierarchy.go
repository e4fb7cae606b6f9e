package sinks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// Store is where a hierarchy is written, such as a *store.Store.
type Store interface {
	// Put replaces an object atomically. The data are borrowed until Put returns. The
	// object is visible and durable after the next Sync at the latest.
	Put(ctx context.Context, key string, data []byte) error
	// PutVersion is Put, and returns the version of the object that lists have, too.
	PutVersion(ctx context.Context, key string, data []byte) (version string, err error)
	// NewWriter begins an object that comes in pieces. Closing the writer has the effect
	// of Put.
	NewWriter(ctx context.Context, key string) (*store.Writer, error)
	// Sync makes every object durable that was put before.
	Sync(ctx context.Context) error
}

// Hierarchy is a Zarr v3 hierarchy that is being written. It is safe for
// concurrent use, as long as each object has one writer.
type Hierarchy struct {
	store Store
}

// New returns a hierarchy whose root is the store's root.
func New(store Store) *Hierarchy { return &Hierarchy{store: store} }

// Sync makes all chunks and documents durable that were put before.
func (h *Hierarchy) Sync(ctx context.Context) error { return h.store.Sync(ctx) }

// PutArray writes the document of an array. All chunks of the array must have been
// put and synced before. Otherwise a reader would take a part of the array for the whole.
func (h *Hierarchy) PutArray(ctx context.Context, p string, array *zarr.Array) error {
	return h.put(ctx, p, array)
}

func (h *Hierarchy) put(ctx context.Context, p string, node json.Marshaler) error {
	text, err := zarr.Document(node)
	if err != nil {
		return fmt.Errorf("metadata of %q: %w", p, err)
	}
	return h.store.Put(ctx, path.Join(p, zarr.MetadataKey), text)
}

// Finish writes the documents of the groups and, after everything else is
// durable, the root's. arrays are all arrays of the hierarchy by path. groups are the
// attributes of groups by path, also of groups without arrays. Finish adds the groups
// above all of them. A hierarchy that is a single array (path "") has no groups; Finish
// writes the array's document.
//
// others are the documents of existing nodes. Finish does not write them, but it replaces
// the consolidated metadata of an existing root.
func (h *Hierarchy) Finish(ctx context.Context, arrays map[string]*zarr.Array, groups map[string]zarr.Attributes, others map[string]json.RawMessage, consolidated bool) error {
	if root, ok := arrays[""]; ok {
		if err := h.store.Sync(ctx); err != nil {
			return err
		}
		if err := h.put(ctx, "", root); err != nil {
			return err
		}
		return h.store.Sync(ctx)
	}
	var paths []string
	for p := range arrays {
		paths = append(paths, p)
	}
	for p := range groups {
		paths = append(paths, p)
	}
	for p := range others {
		paths = append(paths, p)
	}
	all := slices.Concat(zarr.Parents(paths), paths)
	slices.Sort(all)
	all = slices.Compact(all)[1:] // without the root
	node := func(p string) json.Marshaler {
		if a, ok := arrays[p]; ok {
			return a
		}
		if others[p] != nil {
			return others[p]
		}
		return &zarr.Group{Attributes: groups[p]}
	}
	err := eachOf(ctx, all, func(ctx context.Context, p string) error {
		if group, ok := node(p).(*zarr.Group); ok {
			return h.put(ctx, p, group)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := h.store.Sync(ctx); err != nil {
		return err
	}
	if err := h.putRoot(ctx, groups[""], others[""], all, node, consolidated); err != nil {
		return err
	}
	return h.store.Sync(ctx)
}

// eachOf calls f for paths, for some of them at the same time.
func eachOf(ctx context.Context, paths []string, f func(ctx context.Context, p string) error) error {
	const most = 16
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(most)
	for _, p := range paths {
		group.Go(func() error { return f(each, p) })
	}
	return group.Wait()
}

// fewNodes is the most nodes whose consolidated metadata are built in memory before they
// are written. The metadata of more nodes are written piece by piece.
const fewNodes = 1000

// putRoot writes the root's document: document, or a new one if that is nil. If
// consolidated is set, the documents of all nodes are its consolidated metadata.
func (h *Hierarchy) putRoot(ctx context.Context, attributes zarr.Attributes, document json.RawMessage, paths []string, node func(path string) json.Marshaler, consolidated bool) error {
	switch {
	case document != nil:
		var nodes map[string]json.RawMessage
		if consolidated {
			nodes = map[string]json.RawMessage{}
		}
		for _, p := range paths {
			if !consolidated {
				break
			}
			text, err := node(p).MarshalJSON()
			if err != nil {
				return fmt.Errorf("metadata of %q: %w", p, err)
			}
			nodes[p] = text
		}
		text, err := zarr.Consolidated(document, nodes)
		if err != nil {
			return fmt.Errorf("metadata of the root: %w", err)
		}
		return h.store.Put(ctx, zarr.MetadataKey, text)
	case !consolidated:
		return h.put(ctx, "", &zarr.Group{Attributes: attributes})
	}
	nodes := func(yield func(string, json.Marshaler) bool) {
		for _, p := range paths {
			if !yield(p, node(p)) {
				return
			}
		}
	}
	if len(paths) <= fewNodes {
		var text bytes.Buffer
		if err := zarr.WriteConsolidated(&text, attributes, nodes); err != nil {
			return err
		}
		return h.store.Put(ctx, zarr.MetadataKey, text.Bytes())
	}
	w, err := h.store.NewWriter(ctx, zarr.MetadataKey)
	if err != nil {
		return err
	}
	if err := zarr.WriteConsolidated(w, attributes, nodes); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}
