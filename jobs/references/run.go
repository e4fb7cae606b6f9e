package references

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/sinks/kerchunk"
)

// staging is the folder beside a local table in which the table is written, until it is
// complete.
const staging = ".zmigrate-staging"

// Options say how to write a table. The zero value asks nothing.
type Options struct {
	// Confirm, if set, is called before a table is overwritten. If it returns an error, the
	// table stays, and Run returns this error.
	Confirm func(run.Removal) error
}

// Result describes a table that was written.
type Result struct {
	Target string `json:"target"`
	Arrays int    `json:"arrays"`
	// Chunks is the number of chunks of all arrays. Inline of them are in the table, and Missing
	// of them are stored nowhere and have the fill value.
	Chunks  int `json:"chunks"`
	Inline  int `json:"inline_chunks"`
	Missing int `json:"missing_chunks"`
	// Bytes is the size of the chunks to which the table refers.
	Bytes int64         `json:"bytes_referred_to"`
	Time  time.Duration `json:"nanoseconds"`
	// Nothing is set if the table was there already, with the same bytes.
	Nothing bool `json:"already_complete"`
	// Findings are warnings that only the chunks tell.
	Findings jobfile.Problems `json:"-"`
}

// Run writes the table. It appears as a whole or not at all. If there is something at the
// target, target.existing decides: with resume, Run compares it with the table and returns
// [run.ErrTargetExists] if they differ.
func (t *Table) Run(ctx context.Context, opt Options) (result *Result, err error) {
	began, j := time.Now(), t.plan.Job
	to, err := t.openTarget(ctx)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	defer func() { err = errors.Join(err, to.close()) }()
	objects, err := to.objects(ctx)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	exists := objects > 0
	switch {
	case exists && j.Target.Existing == "fail":
		return nil, fmt.Errorf("target %s: %w; set target.existing: overwrite, or choose another place", store.Shown(j.Target.URL), run.ErrTargetExists)
	case exists && j.Target.Existing == "overwrite" && opt.Confirm != nil:
		if err := opt.Confirm(run.Removal{Target: store.Shown(j.Target.URL), Objects: objects}); err != nil {
			return nil, err
		}
	case exists && j.Target.Existing != "overwrite":
		if result, err = t.made(ctx, to.compare); err == nil {
			result.Nothing, result.Time = true, time.Since(began)
			return result, nil
		}
		if errors.Is(err, errOther) {
			err = fmt.Errorf("target %s: %w and is not the table of this job and its source: set target.existing: overwrite, or choose another place", store.Shown(j.Target.URL), run.ErrTargetExists)
		}
		return nil, err
	}
	if result, err = t.made(ctx, to.write); err != nil {
		return nil, wayOut(err)
	}
	result.Time = time.Since(began)
	return result, nil
}

// made makes all entries and hands them to a table that begin begins and that end completes.
func (t *Table) made(ctx context.Context, begin func(ctx context.Context) (kerchunk.Table, func(failed error) error, error)) (*Result, error) {
	to, end, err := begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	counts, findings, err := t.write(ctx, to)
	if err == nil {
		err = t.plan.SourceChanged(ctx)
	}
	if err != nil {
		return nil, end(err)
	}
	if err := end(nil); err != nil {
		return nil, ofTarget(err)
	}
	return &Result{
		Target: store.Shown(t.plan.Job.Target.URL), Arrays: len(t.Arrays), Chunks: counts.Chunks, Inline: counts.Inline,
		Missing: counts.Missing, Bytes: counts.Bytes, Findings: findings,
	}, nil
}

// wayOut says what to do if an error is one of writing to the target.
func wayOut(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok && at.Op == "put" {
		return fmt.Errorf("%w: make that place writable, or name another one in target.url", err)
	}
	return err
}

// openTarget opens the place of the target.
func (t *Table) openTarget(ctx context.Context) (place, error) {
	j := t.plan.Job
	opt := t.env.StoreOptions(j, t.plan.Limits.Target)
	opt.Staging = staging
	if j.Target.References == jobfile.ReferencesParquet {
		st, err := store.Open(ctx, j.Target.URL, opt)
		return &folder{store: st}, err
	}
	at, key, err := store.Split(j.Target.URL)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, at, opt)
	return file{st, key}, err
}
