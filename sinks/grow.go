package sinks

import (
	"context"
	"maps"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/internal/zarr"
)

// Grow replaces the documents of arrays and groups of a hierarchy that is there,
// each given as text by its path: those of the arrays, when all of their chunks
// are durable, then those of the groups, the root's last. What readers see of
// the hierarchy through the root's consolidated metadata thus changes at once.
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
		for _, p := range slices.Sorted(maps.Keys(documents)) {
			if err := h.store.Put(ctx, path.Join(p, zarr.MetadataKey), documents[p]); err != nil {
				return err
			}
		}
	}
	return h.store.Sync(ctx)
}
