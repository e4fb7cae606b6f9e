package sinks

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/zarr"
)

// Grow replaces documents of an existing hierarchy, given as texts by path. Chunks
// become durable first. Then come the documents of the arrays, then those of the groups,
// and last the root's. So the hierarchy that readers see through the root's consolidated
// metadata changes all at once.
func (h *Hierarchy) Grow(ctx context.Context, arrays, groups map[string][]byte) error {
	root := map[string][]byte{}
	below := func(documents map[string][]byte) map[string][]byte {
		rest := maps.Clone(documents)
		if text, ok := rest[""]; ok {
			root[""] = text
			delete(rest, "")
		}
		return rest
	}
	for _, documents := range []map[string][]byte{below(arrays), below(groups), root} {
		if err := h.store.Sync(ctx); err != nil {
			return err
		}
		paths := slices.Sorted(maps.Keys(documents))
		err := eachOf(ctx, paths, func(ctx context.Context, p string) error {
			return h.store.Put(ctx, path.Join(p, zarr.MetadataKey), documents[p])
		})
		if err != nil {
			return err
		}
	}
	return h.store.Sync(ctx)
}
