package run

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// fault is a chunk of the target whose object differs from the written one.
type fault struct {
	key         string
	array, unit int
	stray       bool // there should be no object
	gone        bool // there is no object
	bytes       int64
}

// arraysByPath returns the indexes of the plan's arrays by their paths.
func (r *run) arraysByPath() map[string]int {
	arrays := make(map[string]int, len(r.plan.Arrays))
	for i := range r.plan.Arrays {
		arrays[r.plan.Arrays[i].Target] = i
	}
	return arrays
}

// chunkAt finds the chunk whose object has a key. An array that grows may have chunks before
// the first chunk of the plan; the unit of such a chunk is -1.
func (r *run) chunkAt(key string, arrays map[string]int) (f fault, ok bool) {
	for at := parent(key); ; at = parent(at) {
		if i, known := arrays[at]; known {
			a := &r.plan.Arrays[i]
			index, chunk := a.Place().Index(below(key, at))
			counts := a.Grid.Count()
			if !chunk || len(index) != len(counts) {
				return fault{}, false
			}
			f = fault{key: key, array: i, unit: -1}
			for k, n := range index {
				if n >= counts[k] {
					return fault{}, false
				}
				if n < 0 {
					return f, true
				}
			}
			f.unit = a.Grid.Number(index)
			return f, true
		}
		if at == "" {
			return fault{}, false
		}
	}
}

// hasEarlierRows reports whether a chunk also holds rows of earlier runs.
func (r *run) hasEarlierRows(f fault) bool {
	a := &r.plan.Arrays[f.array]
	if a.Append == nil || a.Grid.Index(f.unit)[a.Append.Axis] > 0 {
		return false
	}
	return a.Append.Rows > a.Place().First[a.Append.Axis]*a.Grid.Chunk[a.Append.Axis]
}

// below returns the key of an object below the array with a path.
func below(key, array string) string { return strings.TrimPrefix(strings.TrimPrefix(key, array), "/") }

// parent returns the path of the folder in which a key lies.
func parent(key string) string { return strings.TrimPrefix(path.Dir(key), ".") }

// nodeOf returns the path of the node that an object belongs to, whether it is
// the node's document, and whether the node is one of the arrays.
func nodeOf(key string, arrays map[string]bool) (node string, document, known bool) {
	if path.Base(key) == zarr.MetadataKey {
		node = parent(key)
		return node, true, arrays[node]
	}
	// A chunk: c and numbers, below an array.
	for at := key; ; {
		above, name := parent(at), path.Base(at)
		if name == "c" && arrays[above] {
			_, chunk := zarr.ParseKey(strings.TrimPrefix(strings.TrimPrefix(key, above), "/"))
			return above, false, chunk
		}
		if above == "" {
			return "", false, false
		}
		at = above
	}
}

// ofAnother reports whether an object belongs to a node that is not one of the arrays,
// does not lie inside one of them, and is not a group above them.
func ofAnother(key string, nodes, arrays map[string]bool, groups []string) bool {
	another := false
	for at := parent(key); ; at = parent(at) {
		if arrays[at] {
			return false
		}
		another = another || nodes[at] && !slices.Contains(groups, at)
		if at == "" {
			return another
		}
	}
}

// deleteAll removes objects in any order, durably.
func (r *run) deleteAll(ctx context.Context, keys []string) error {
	err := sources.InParallel(ctx, len(keys), func(ctx context.Context, i int) error { return r.target.Delete(ctx, keys[i]) })
	if err != nil {
		return err
	}
	return r.target.Sync(ctx)
}
