package run

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/zarr"
)

// occupied lists what lies in the place of a new target. It names only documents, because
// memory may have no room for the names of all chunks.
type occupied struct {
	// documents are the documents to remove, from the root downwards.
	documents []string
	// groups are the documents of the job's groups. They stay if the target also holds
	// nodes of other jobs, and are removed otherwise.
	groups []string
	// arrays has the job's arrays that have at least one object in the target.
	arrays map[string]bool
	// chunks is the number of objects of these arrays to remove, without the documents.
	chunks int
}

// ErrTargetExists is the cause of an error about a target that exists, although this job
// has no record of it.
var ErrTargetExists = errors.New("the target exists already")

// renew makes the target and the checkpoint those of a new run. If the run does not overwrite,
// an object in the target is an error.
func (r *run) renew(ctx context.Context, opt Options, overwrite bool) error {
	if err := r.distinct(ctx); err != nil {
		return err
	}
	existing := &occupied{}
	if !r.vacant {
		var err error
		if existing, err = r.inTheWay(ctx, overwrite); err != nil {
			return fmt.Errorf("target %s: %w", r.target.URL(), err)
		}
	}
	if removal := r.removal(existing); removal.Objects > 0 && opt.Confirm != nil {
		if err := opt.Confirm(removal); err != nil {
			return err
		}
	}
	if err := r.locks.Replan(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := r.journal.Reset(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := r.remove(ctx, existing); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	begin := func(ctx context.Context) error {
		if err := r.journal.Begin(ctx, r.manifest); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		return nil
	}
	if r.target.Local() || r.checkpoint.Local() {
		return begin(ctx)
	}
	r.cleaned = true
	return together(ctx, r.verify, begin, func(ctx context.Context) error { return r.clean(ctx, r.target, r.checkpoint) })
}

// distinct returns an error if the file system of the target takes the names of two nodes
// for one.
func (r *run) distinct(ctx context.Context) error {
	for _, c := range r.plan.Colliding() {
		same, err := r.target.SameName(ctx, path.Base(c.First), path.Base(c.Second))
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		if same {
			return fmt.Errorf("target %s: %+q and %+q are the same name in its file system, which ignores case or Unicode form: give one of them another name with rename, or choose another target",
				r.target.URL(), c.First, c.Second)
		}
	}
	return nil
}

// removal counts what a run removes from the target before it begins.
func (r *run) removal(existing *occupied) Removal {
	removal := Removal{Target: r.target.URL(), Objects: len(existing.documents) + existing.chunks}
	for _, a := range r.plan.Arrays {
		if existing.arrays[a.Target] {
			removal.Arrays = append(removal.Arrays, a.Target)
		}
	}
	return removal
}

// remove removes what is in the way, before the first new object is written. First the
// groups that stay stop describing the arrays. Then the documents are removed, durably.
// Then the objects that the documents describe are removed.
func (r *run) remove(ctx context.Context, existing *occupied) error {
	for _, key := range existing.groups {
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
	for _, key := range existing.documents {
		if err := r.target.Delete(ctx, key); err != nil {
			return err
		}
	}
	if err := r.target.Sync(ctx); err != nil {
		return err
	}
	for array := range existing.arrays {
		if err := r.removeChunks(ctx, array); err != nil {
			return err
		}
	}
	return nil
}

// removeChunks removes the chunks of an array, some at a time.
func (r *run) removeChunks(ctx context.Context, array string) error {
	const batch = 1000
	var keys []string
	err := r.target.List(ctx, path.Join(array, "c"), func(o store.Info) error {
		if node, document, known := nodeOf(o.Key, map[string]bool{array: true}); node != array || document || !known {
			return nil
		}
		if keys = append(keys, o.Key); len(keys) < batch {
			return nil
		}
		err := r.deleteAll(ctx, keys)
		keys = keys[:0]
		return err
	})
	if err != nil {
		return err
	}
	return r.deleteAll(ctx, keys)
}

// inTheWay finds what a new run has to remove first. Without overwrite, any object is an
// error. With overwrite, other nodes of the hierarchy stay as they are. An object that
// belongs to no node is an error, because its owner is not known.
func (r *run) inTheWay(ctx context.Context, overwrite bool) (*occupied, error) {
	const most = 3
	var first []string
	objects, documents, nodes := 0, 0, map[string]bool{} // nodes: if overwrite, the nodes that have a document
	err := r.target.List(ctx, "", func(o store.Info) error {
		if objects++; objects <= most {
			first = append(first, o.Key)
		}
		if path.Base(o.Key) == zarr.MetadataKey {
			documents++
			if overwrite {
				nodes[parent(o.Key)] = true
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%w: its path, or a part of its path, is a file: move the file away, or choose another place", err)
	case err != nil || objects == 0:
		return &occupied{}, err
	case overwrite:
		return r.replaced(ctx, nodes)
	}
	some := strings.Join(first, ", ")
	if objects > most {
		some += ", …"
	}
	how := "overwrite"
	if documents > 0 {
		how = "overwrite or append"
	}
	return nil, fmt.Errorf("%w and what it holds is not the whole result of this job: %s (%s), %d of them documents of groups and arrays; set target.existing: %s, or choose another place", ErrTargetExists, words.Count(objects, "object"), some, documents, how)
}

// replaced finds the objects of the target that an overwriting run removes. nodes are the
// nodes of the target that have a document.
func (r *run) replaced(ctx context.Context, nodes map[string]bool) (*occupied, error) {
	arrays := map[string]bool{}
	for _, a := range r.plan.Arrays {
		arrays[a.Target] = true
	}
	groups, existing, others := r.plan.GroupPaths(), &occupied{arrays: map[string]bool{}}, false
	err := r.target.List(ctx, "", func(o store.Info) error {
		node, document, known := nodeOf(o.Key, arrays)
		switch {
		case known && !document:
			existing.arrays[node] = true
			existing.chunks++
		case known:
			existing.arrays[node] = true
			existing.documents = append(existing.documents, o.Key)
		case document && slices.Contains(groups, node):
			existing.groups = append(existing.groups, o.Key)
		case nodes[""] && ofAnother(o.Key, nodes, arrays, groups):
			others = true
		default:
			return fmt.Errorf("%w and holds %s, which does not belong to this job: remove it, or choose another place", ErrTargetExists, o.Key)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !others {
		existing.documents, existing.groups = slices.Concat(existing.documents, existing.groups), nil
	}
	slices.SortStableFunc(existing.documents, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return existing, nil
}
