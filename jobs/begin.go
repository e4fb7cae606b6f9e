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
// earlier one, or a new one, for which the target has to be free.
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
		_, err := r.target.Stat(ctx, zarr.MetadataKey)
		if err == nil && len(differences) == 0 {
			r.result = done.Result
			r.result.Target = r.plan.Job.Target.URL // the folder may have moved
			r.result.Nothing, r.result.Resumed, r.result.Time = true, done.Result.Chunks, 0
			if err := r.journal.Tidy(ctx); err != nil {
				return false, fmt.Errorf("checkpoint: %w", err)
			}
			return true, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("target: %w", err)
		}
		if err := r.journal.Reset(ctx); err != nil {
			return false, fmt.Errorf("checkpoint: %w", err)
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
		if err := r.journal.Reset(ctx); err != nil {
			return false, fmt.Errorf("checkpoint: %w", err)
		}
	}
	if err := r.vacate(ctx); err != nil {
		return false, err
	}
	text, err := json.Marshal(r.manifest)
	if err != nil {
		return false, err
	}
	if err := r.journal.Begin(ctx, text); err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	return false, nil
}

func (r *run) changed(complete bool, differences []string) error {
	return &ChangedError{Checkpoint: r.checkpoint.URL(), Complete: complete, Differences: differences}
}

// vacate makes sure that nothing is in the way of a new run. With overwrite it
// deletes the arrays of this job, their documents first, so that no reader
// takes what is left for whole; nodes that are not of this job are never
// touched, and are an error.
func (r *run) vacate(ctx context.Context) error {
	overwrite := r.plan.Job.Target.Existing == "overwrite"
	var documents, objects []string
	err := r.target.List(ctx, "", func(o store.Info) error {
		switch {
		case !overwrite:
			return fmt.Errorf("%w and has no record of this job (it holds %s): set target.existing: overwrite, or choose another place", ErrTargetExists, o.Key)
		case !r.owns(o.Key):
			return fmt.Errorf("%w and holds %s, which is not of this job: remove it or choose another place", ErrTargetExists, o.Key)
		case path.Base(o.Key) == zarr.MetadataKey:
			documents = append(documents, o.Key)
		default:
			objects = append(objects, o.Key)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("target %s: %w", r.target.URL(), err)
	}
	slices.SortFunc(documents, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for _, key := range slices.Concat(documents, objects) {
		if err := r.target.Delete(ctx, key); err != nil {
			return fmt.Errorf("target: %w", err)
		}
	}
	return nil
}

// owns reports whether an object belongs to an array of the plan, or is the
// document of a group above one.
func (r *run) owns(key string) bool {
	var arrays []string
	for _, a := range r.plan.Arrays {
		if a.Target == "" || strings.HasPrefix(key, a.Target+"/") {
			return true
		}
		arrays = append(arrays, a.Target)
	}
	return path.Base(key) == zarr.MetadataKey &&
		slices.Contains(zarr.Parents(arrays), strings.TrimSuffix(strings.TrimSuffix(key, zarr.MetadataKey), "/"))
}
