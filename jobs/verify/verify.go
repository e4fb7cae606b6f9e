package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/run"
)

// Verify compares the target of a completed job with its record. Differences are part of
// the result. An error says that the target could not be verified: ErrNoRecord,
// ErrUnfinished, ErrOtherJob, a [journal.HeldError], a [PartsError], or a fault of a store.
func Verify(ctx context.Context, j *jobfile.Job, env environment.Environment, opt Options) (_ *Result, err error) {
	began := time.Now()
	if opt.Level == "" {
		opt.Level = Decoded
	}
	if err := opt.checkParts(); err != nil {
		return nil, err
	}
	v := &verification{job: j, env: env.Complete(), opt: opt, pool: &ndarray.Pool{Keep: int(j.Run.Memory)}, decoders: map[string]*decoder{}, found: findings{each: opt.Each}}
	budget := limits.New(j.Run.PerSecond)
	if v.checkpoint, err = environment.OpenCheckpoint(ctx, j, env, budget); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.checkpoint.Close()) }()
	if v.record, err = readRecord(ctx, j, v.checkpoint, opt.AnyJob); err != nil {
		return nil, err
	}
	options := env.StoreOptions(j, budget)
	options.PastCache = true
	if v.target, err = store.Open(ctx, j.Target.URL, options); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	defer func() { err = errors.Join(err, v.target.Close()) }()
	v.result = Result{Target: v.target.URL(), Checkpoint: v.checkpoint.URL(), Level: opt.Level, Migrated: v.record.done.Finished,
		Sample: 1, Seed: opt.Seed, Arrays: len(v.record.manifest.Arrays)}
	if opt.Sample > 0 && opt.Level != Quick {
		v.result.Sample = min(opt.Sample, 1)
	}
	for _, a := range v.record.done.Arrays {
		v.result.Empty += a.Empty
	}
	v.memory = semaphore.NewWeighted(j.Run.Memory)
	if err := v.bound(ctx); err != nil {
		return nil, err
	}
	for _, step := range v.steps() {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, v.keep(ctx))
		}
	}
	v.found.shorten()
	slices.SortFunc(v.result.Deviations, func(a, b deviation.Deviation) int { return cmp.Compare(a.Array, b.Array) })
	v.result.Count, v.result.Differences = v.found.n, append([]Difference{}, v.found.list...)
	if opt.Part.Of > 0 {
		err = v.putPart(ctx)
	} else {
		err = v.conclude(ctx)
	}
	if err != nil {
		return nil, err
	}
	v.result.Time = time.Since(began)
	v.result.Requests = budget.Traffic()
	return &v.result, nil
}

// steps returns what a verification does, one after the other.
func (v *verification) steps() []func(context.Context) error {
	if v.opt.Part.Of > 0 {
		steps := []func(context.Context) error{v.known, v.objects}
		if v.opt.Level.includes(Source) {
			steps = append(steps, v.source)
		}
		return steps
	}
	steps := []func(context.Context) error{v.listing, v.documents, v.digests}
	if v.opt.Gather > 0 {
		return append([]func(context.Context) error{v.complete}, append(steps, v.gather)...)
	}
	steps = append([]func(context.Context) error{v.resume}, steps...)
	if v.opt.Level.includes(Stored) {
		steps = append(steps, v.objects)
	}
	if v.opt.Level.includes(Source) {
		steps = append(steps, v.source)
	}
	return steps
}

// conclude records a verification of the whole target.
func (v *verification) conclude(ctx context.Context) error {
	// A user who may read the checkpoint but not write to it can verify, too.
	err := run.PutVerified(ctx, v.checkpoint, run.Verified{Migrated: v.result.Migrated, Time: time.Now().UTC(), Level: string(v.opt.Level), Sample: v.result.Sample, Differences: v.result.Count})
	if err != nil && !store.Unwritable(err) {
		return err
	}
	if v.opt.Gather > 0 {
		return v.removeParts(ctx)
	}
	return v.forget(ctx)
}
