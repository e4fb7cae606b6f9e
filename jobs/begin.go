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
)

// ErrTargetExists is the cause of an error about a target that is there
// without a record of this job.
var ErrTargetExists = errors.New("the target exists already")

// ChangedError says that a checkpoint belongs to another job, or to sources
// as they no longer are.
type ChangedError struct {
	Checkpoint  string
	Complete    bool // the earlier job ran to its end
	Differences []string
}

func (e *ChangedError) Error() string {
	what := "interrupted"
	if e.Complete {
		what = "completed"
	}
	return fmt.Sprintf("the checkpoint %s is of a job that was %s with something else:\n  %s\n"+
		"put it back as it was, choose another target, or set target.existing: overwrite to begin anew",
		e.Checkpoint, what, strings.Join(e.Differences, "\n  "))
}

// begin decides what this run is: nothing to do (true), the continuation of an
// earlier one, or a new one, for which the target has to be free. What is on
// record is forgotten only when nothing stands in the way any more.
func (r *run) begin(ctx context.Context) (complete bool, err error) {
	existing := r.plan.Job.Target.Existing
	if record := r.journal.Completed(); record != nil {
		var done Completion
		if err := json.Unmarshal(record, &done); err != nil {
			return false, fmt.Errorf("checkpoint: the record of completion: %w", err)
		}
		differences := r.manifest.Differences(&done.Manifest)
		if len(differences) > 0 && existing != "overwrite" {
			return false, r.changed(true, differences)
		}
		whole, err := r.whole(ctx)
		if err != nil {
			return false, err
		}
		if whole && len(differences) == 0 {
			return true, r.rest(ctx, &done)
		}
	} else if text := r.journal.Manifest(); text != nil {
		var was Manifest
		if err := json.Unmarshal(text, &was); err != nil {
			return false, fmt.Errorf("checkpoint: the plan: %w", err)
		}
		differences := r.manifest.Differences(&was)
		switch {
		case existing == "fail":
			return false, fmt.Errorf("%w: an interrupted run of this job has begun it; target.existing: resume goes on with it", ErrTargetExists)
		case len(differences) == 0:
			return false, nil
		case existing != "overwrite":
			return false, r.changed(false, differences)
		}
	}
	return false, r.renew(ctx)
}

// whole reports whether the documents of the root and of every array are there.
func (r *run) whole(ctx context.Context) (bool, error) {
	paths := []string{""}
	for _, a := range r.plan.Arrays {
		paths = append(paths, a.Target)
	}
	for _, p := range paths {
		_, err := r.target.Stat(ctx, path.Join(p, zarr.MetadataKey))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("target: %w", err)
		}
	}
	return true, nil
}

// rest takes the result of an earlier run that completed the job.
func (r *run) rest(ctx context.Context, done *Completion) error {
	r.result = done.Result
	r.result.Target = r.plan.Job.Target.URL // the folder may have moved
	r.result.Nothing, r.result.Resumed, r.result.Time = true, done.Result.Chunks, 0
	if err := r.journal.Tidy(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// renew makes the target and the checkpoint those of a new run.
func (r *run) renew(ctx context.Context) error {
	documents, objects, err := r.inTheWay(ctx)
	if err != nil {
		return fmt.Errorf("target %s: %w", r.target.URL(), err)
	}
	if err := r.journal.Reset(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	// The documents are gone for good before anything that they describe is,
	// and all of it before the first new object.
	for _, keys := range [][]string{documents, objects} {
		for _, key := range keys {
			if err := r.target.Delete(ctx, key); err != nil {
				return fmt.Errorf("target: %w", err)
			}
		}
		if err := r.target.Sync(ctx); err != nil {
			return fmt.Errorf("target: %w", err)
		}
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

func (r *run) changed(complete bool, differences []string) error {
	return &ChangedError{Checkpoint: r.checkpoint.URL(), Complete: complete, Differences: differences}
}

// inTheWay lists what a new run has to delete first, documents above those
// below. Without overwrite, anything is an error; with it, only what is not of
// this job's arrays is, which is never touched.
func (r *run) inTheWay(ctx context.Context) (documents, objects []string, err error) {
	overwrite := r.plan.Job.Target.Existing == "overwrite"
	arrays := map[string]bool{}
	var paths []string
	for _, a := range r.plan.Arrays {
		arrays[a.Target] = true
		paths = append(paths, a.Target)
	}
	groups := zarr.Parents(paths)
	err = r.target.List(ctx, "", func(o store.Info) error {
		array, document, known := nodeOf(o.Key, arrays)
		switch {
		case !overwrite:
			return fmt.Errorf("%w and what it holds (%s) is not the whole result of this job: set target.existing: overwrite, or choose another place", ErrTargetExists, o.Key)
		case known && !document:
			objects = append(objects, o.Key)
		case document && (known || slices.Contains(groups, array)):
			documents = append(documents, o.Key)
		default:
			return fmt.Errorf("%w and holds %s, which is not of this job: remove it or choose another place", ErrTargetExists, o.Key)
		}
		return nil
	})
	slices.SortStableFunc(documents, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return documents, objects, err
}

// nodeOf returns the path of the node that an object belongs to, whether it is
// the node's document, and whether the node is one of the arrays.
func nodeOf(key string, arrays map[string]bool) (node string, document, known bool) {
	if path.Base(key) == zarr.MetadataKey {
		node = strings.TrimSuffix(strings.TrimSuffix(key, zarr.MetadataKey), "/")
		return node, true, arrays[node]
	}
	// A chunk: c and numbers, below an array.
	for at := key; ; {
		parent, name := path.Split(at)
		parent = strings.TrimSuffix(parent, "/")
		if name == "c" && arrays[parent] {
			_, chunk := zarr.ParseKey(strings.TrimPrefix(strings.TrimPrefix(key, parent), "/"))
			return parent, false, chunk
		}
		if parent == "" {
			return "", false, false
		}
		at = parent
	}
}
