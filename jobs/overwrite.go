package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources"
)

// Removal is what a run is about to remove from its target.
type Removal struct {
	Target  string
	Arrays  []string // paths; "" is an array that is the whole target
	Objects int      // chunks and documents
}

// occupied is what lies in the place of a new target.
type occupied struct {
	// documents and objects are to be removed, documents above those below.
	documents, objects []string
	// groups are the documents of groups above the arrays that hold others, too.
	groups []string
}

// renew makes the target and the checkpoint those of a new run.
func (r *run) renew(ctx context.Context, opt RunOptions) error {
	there, err := r.inTheWay(ctx)
	if err != nil {
		return fmt.Errorf("target %s: %w", r.target.URL(), err)
	}
	if n := len(there.documents) + len(there.objects); n > 0 && opt.Confirm != nil {
		if err := opt.Confirm(r.removal(slices.Concat(there.documents, there.objects))); err != nil {
			return err
		}
	}
	if err := r.journal.Reset(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := r.remove(ctx, there); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	text, err := json.Marshal(r.manifest)
	if err != nil {
		return err
	}
	if err := r.journal.Begin(ctx, text); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// removal describes the removal of some objects.
func (r *run) removal(keys []string) Removal {
	removal := Removal{Target: r.target.URL(), Objects: len(keys)}
	for _, a := range r.plan.Arrays {
		below := strings.TrimPrefix(a.Target+"/", "/")
		if slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, below) }) {
			removal.Arrays = append(removal.Arrays, a.Target)
		}
	}
	return removal
}

// remove removes what is in the way: what tells of the arrays in groups that
// stay, then the documents, which are gone for good before anything that they
// describe is, and all of it before the first new object.
func (r *run) remove(ctx context.Context, there *occupied) error {
	for _, key := range there.groups {
		text, err := r.target.ReadAll(ctx, key, zarr.MaxDocument)
		if err == nil {
			text, err = zarr.Consolidated(text, nil)
		}
		if err == nil {
			err = r.target.Put(ctx, key, text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if err := r.target.Sync(ctx); err != nil {
		return err
	}
	for _, key := range there.documents {
		if err := r.target.Delete(ctx, key); err != nil {
			return err
		}
	}
	if err := r.target.Sync(ctx); err != nil {
		return err
	}
	return r.deleteAll(ctx, there.objects)
}

// deleteAll removes objects in any order, durably.
func (r *run) deleteAll(ctx context.Context, keys []string) error {
	err := sources.InParallel(ctx, len(keys), func(ctx context.Context, i int) error { return r.target.Delete(ctx, keys[i]) })
	if err != nil {
		return err
	}
	return r.target.Sync(ctx)
}

// inTheWay finds what a new run has to remove first. Without overwrite, anything
// is an error; with it, other nodes of the hierarchy stay as they are, and what is
// of no node is an error, as it is not known whose it is.
func (r *run) inTheWay(ctx context.Context) (*occupied, error) {
	var keys []string
	err := r.target.List(ctx, "", func(o store.Info) error {
		keys = append(keys, o.Key)
		return nil
	})
	if err != nil || len(keys) == 0 {
		return &occupied{}, err
	}
	nodes := map[string]bool{} // that have a document
	for _, key := range keys {
		if path.Base(key) == zarr.MetadataKey {
			nodes[parent(key)] = true
		}
	}
	if r.plan.Job.Target.Existing != "overwrite" {
		return nil, fmt.Errorf("%w and what it holds is not the whole result of this job: %s; set target.existing: overwrite, or choose another place", ErrTargetExists, holds(keys, nodes))
	}
	arrays := map[string]bool{}
	var paths []string
	for _, a := range r.plan.Arrays {
		arrays[a.Target] = true
		paths = append(paths, a.Target)
	}
	groups, there, others := zarr.Parents(paths), &occupied{}, false
	for _, key := range keys {
		node, document, known := nodeOf(key, arrays)
		switch {
		case known && !document:
			there.objects = append(there.objects, key)
		case known:
			there.documents = append(there.documents, key)
		case document && slices.Contains(groups, node):
			there.groups = append(there.groups, key)
		case nodes[""] && ofAnother(key, nodes, arrays, groups):
			others = true
		default:
			return nil, fmt.Errorf("%w and holds %s, which is not of this job: remove it or choose another place", ErrTargetExists, key)
		}
	}
	if !others {
		there.documents, there.groups = slices.Concat(there.documents, there.groups), nil
	}
	slices.SortStableFunc(there.documents, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return there, nil
}

// holds describes the objects of a target for a message.
func holds(keys []string, nodes map[string]bool) string {
	const most = 3
	text := strings.Join(keys[:min(most, len(keys))], ", ")
	if len(keys) > most {
		text += ", …"
	}
	return fmt.Sprintf("%d objects (%s), %d of them documents of groups and arrays", len(keys), text, len(nodes))
}

// parent is the path of the folder that a key is in.
func parent(key string) string { return strings.TrimPrefix(path.Dir(key), ".") }

// ofAnother reports whether an object is of a node that is neither one of the
// arrays, nor inside of one, nor a group above them.
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

// others returns the documents of all nodes of the target but the plan's arrays,
// by their paths, where its root has one: they are what a run that overwrites has
// left as it was.
func (r *run) others(ctx context.Context) (map[string]json.RawMessage, error) {
	arrays := map[string]bool{}
	for _, a := range r.plan.Arrays {
		arrays[a.Target] = true
	}
	_, err := r.target.Stat(ctx, zarr.MetadataKey)
	if errors.Is(err, fs.ErrNotExist) || arrays[""] {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var keys []string
	err = r.target.List(ctx, "", func(o store.Info) error {
		if path.Base(o.Key) == zarr.MetadataKey && !arrays[parent(o.Key)] {
			keys = append(keys, o.Key)
		}
		return nil
	})
	documents := map[string]json.RawMessage{}
	for _, key := range keys {
		if err == nil {
			documents[parent(key)], err = r.target.ReadAll(ctx, key, zarr.MaxDocument)
		}
	}
	return documents, err
}
