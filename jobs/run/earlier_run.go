package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// again begins a run of a complete job, whose target is whole. It returns true if there is nothing to
// do. It returns false if chunks of the target have changed since they were written, or are to be
// repaired: these are written again. list has the chunks that have changed.
func (r *run) again(ctx context.Context, done *Completion, list []fault, opt Options) (complete bool, err error) {
	r.overtaken = done.Overtaken
	if opt.Repair != nil {
		if list, err = r.withRepairs(ctx, list, opt.Repair); err != nil {
			return false, fmt.Errorf("checkpoint: %w", err)
		}
		r.repaired = done.Groups
	} else if len(list) == 0 {
		return true, r.rest(ctx, done)
	}
	if err := r.mend(ctx, list); err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	return false, nil
}

// withRepairs adds the chunks that are to be written again to those that differ. A chunk that is
// not on record holds only the fill value, so its object is a stray one.
func (r *run) withRepairs(ctx context.Context, list []fault, keys []string) ([]fault, error) {
	arrays, known := r.arraysByPath(), map[string]bool{}
	for _, f := range list {
		known[f.key] = true
	}
	added := map[string]int{} // indexes in list
	for _, key := range keys {
		if f, ok := r.chunkAt(key, arrays); ok && !known[key] {
			added[key], known[key] = len(list), true
			list = append(list, f)
		}
	}
	if len(added) == 0 || !r.journal.HasObjects() {
		return list, nil
	}
	for o, err := range r.journal.Objects(ctx) {
		if err != nil {
			return nil, err
		}
		delete(added, o.Key)
	}
	for _, i := range added {
		list[i].stray = true
	}
	return list, nil
}

// compare lists the differences between the manifest on record and that of this run. text is
// the manifest on record, and read parses it. If the two texts are equal, compare does not
// call read, and was is nil. compare also warns of source files that were touched: they may
// have been edited beyond their heads and had their times put back, which cannot be told
// from other permissions or a new link.
func (r *run) compare(ctx context.Context, text json.RawMessage, read func() (*manifest.Manifest, error)) (was *manifest.Manifest, differences []string, err error) {
	if bytes.Equal(text, r.manifest) {
		return nil, nil, nil
	}
	if was, err = read(); err != nil {
		return nil, nil, err
	}
	is, err := manifest.Read(r.manifest)
	if err != nil {
		return nil, nil, err
	}
	if name, count := is.Touched(was); count > 0 {
		r.log.WarnContext(ctx, "source files have their size and their time, but something was done to them since they were read: permissions, a link, a restored backup, or an edit that put the time back; if it was an edit, set target.existing: overwrite once",
			"first", name, "files", count)
	}
	return was, is.Differences(was), nil
}

// whole reports whether the target has the documents of the root and of every array.
func (r *run) whole(ctx context.Context) (bool, error) {
	paths := []string{""}
	for _, a := range r.plan.Arrays {
		paths = append(paths, a.Target)
	}
	err := sources.InParallel(ctx, len(paths), func(ctx context.Context, i int) error {
		_, err := r.target.Stat(ctx, path.Join(paths[i], zarr.MetadataKey))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("target: %w", err)
	}
	return true, nil
}

// rest copies the result of the earlier run that completed the job.
func (r *run) rest(ctx context.Context, done *Completion) (err error) {
	id := r.result.Run
	r.result = done.Result
	r.result.Run = id
	r.result.Target = r.plan.Job.Target.URL // the folder may have moved
	r.result.Nothing, r.result.Resumed, r.result.Mended, r.result.Time = true, done.Result.Chunks, 0, 0
	r.result.Verified = nil
	if err := r.journal.Tidy(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	r.result.Verified, err = r.lastVerified(ctx, done.Finished)
	return err
}

// lastVerified is [lastVerified] of the checkpoint. It asks for the record only if the journal has
// seen it.
func (r *run) lastVerified(ctx context.Context, migrated time.Time) (*Verified, error) {
	if !r.journal.Lists(verifiedKey) {
		return nil, nil
	}
	return lastVerified(ctx, r.checkpoint, migrated)
}

func (r *run) changed(complete bool, was *manifest.Manifest, differences []string) error {
	is, err := manifest.Read(r.manifest)
	return &environment.ChangedError{Program: err == nil && is.SameInputs(was), Checkpoint: r.checkpoint.URL(), Complete: complete, Appends: r.plan.Job.Target.Existing == "append", Appended: was.Append != "", Differences: differences}
}
