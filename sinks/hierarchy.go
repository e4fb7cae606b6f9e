// Package sinks is where finished chunks and metadata go: a Zarr v3 hierarchy
// in a store.
//
// The order of writing is the promise to readers: data objects first, an
// array's document when all of its chunks are in place, the documents of the
// groups after those, the root's, with consolidated metadata, last. Nothing
// but the hierarchy's own objects is put below the target.
package sinks

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/internal/zarr"
)

// Store is what a hierarchy needs of the place that it is written to;
// *store.Store is one.
type Store interface {
	// Put replaces an object atomically. The data are borrowed until it
	// returns; the object is visible and durable after the next Sync at the
	// latest.
	Put(ctx context.Context, key string, data []byte) error
	// Sync makes everything durable that was put before.
	Sync(ctx context.Context) error
}

// Hierarchy is a Zarr v3 hierarchy under construction. It is safe for
// concurrent use, as far as every object has one writer.
type Hierarchy struct {
	store Store
}

// New returns a hierarchy whose root is the store's root.
func New(store Store) *Hierarchy { return &Hierarchy{store: store} }

// castagnoli is the polynomial of the receipts' checksums, CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Receipt is what a stored object leaves behind.
type Receipt struct {
	Key   string
	Bytes int64
	Sum   uint32 // CRC-32C of the object
}

// ArrayWriter puts the chunks of one array.
type ArrayWriter struct {
	store Store
	path  string
}

// Array returns the writer of the array at a path, "" for an array that is
// the whole hierarchy.
func (h *Hierarchy) Array(p string) *ArrayWriter { return &ArrayWriter{h.store, p} }

// Put stores the encoded chunk with these coordinates. It is idempotent; the
// data are borrowed until it returns. The chunk counts as stored once a Sync
// that began later has returned.
func (w *ArrayWriter) Put(ctx context.Context, index []int, data []byte) (Receipt, error) {
	key := path.Join(w.path, zarr.Key(index))
	if err := w.store.Put(ctx, key, data); err != nil {
		return Receipt{}, err
	}
	return Receipt{Key: key, Bytes: int64(len(data)), Sum: crc32.Checksum(data, castagnoli)}, nil
}

// Sync makes all chunks and documents durable that were put before.
func (h *Hierarchy) Sync(ctx context.Context) error { return h.store.Sync(ctx) }

// PutArray writes the document of an array. All of its chunks must have been
// put and synced before, so that no reader takes a part for the whole.
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
// durable, the root's. arrays are all arrays of the hierarchy by their paths,
// groups the attributes of those groups that have any; groups above them come
// by themselves. A hierarchy that is a single array (path "") has no groups
// and its document is written here.
func (h *Hierarchy) Finish(ctx context.Context, arrays map[string]*zarr.Array, groups map[string]zarr.Attributes, consolidated bool) error {
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
	nodes := map[string]json.RawMessage{}
	for p, a := range arrays {
		text, err := a.MarshalJSON()
		if err != nil {
			return fmt.Errorf("metadata of %q: %w", p, err)
		}
		nodes[p] = text
	}
	all := slices.Concat(zarr.Parents(paths), paths)
	slices.Sort(all)
	for _, p := range slices.Compact(all) {
		if _, isArray := arrays[p]; isArray || p == "" {
			continue
		}
		group := &zarr.Group{Attributes: groups[p]}
		if err := h.put(ctx, p, group); err != nil {
			return err
		}
		text, err := group.MarshalJSON()
		if err != nil {
			return fmt.Errorf("metadata of %q: %w", p, err)
		}
		nodes[p] = text
	}
	if err := h.store.Sync(ctx); err != nil {
		return err
	}
	root := &zarr.Group{Attributes: groups[""]}
	if consolidated {
		root.Consolidated = nodes
	}
	if err := h.put(ctx, "", root); err != nil {
		return err
	}
	return h.store.Sync(ctx)
}
