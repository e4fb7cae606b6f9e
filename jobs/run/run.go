package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/stages"
)

// Run migrates what the plan says and is not done yet, and completes the
// target. It returns stages.ErrStopped when Stop ended it; a later run then
// goes on. Errors name what a user can do.
func Run(ctx context.Context, p *plan.Plan, env plan.Environment, opt Options) (result *Result, err error) {
	began := time.Now()
	r := &run{plan: p, log: cmp.Or(env.Log, slog.New(slog.DiscardHandler)), result: Result{Target: p.Job.Target.URL, Arrays: len(p.Arrays), Unlisted: p.Unlisted}}
	r.outcome = outcomeOf(r)
	if r.manifest, err = p.Manifest(); err != nil {
		return nil, err
	}
	options := env.StoreOptions(p.Job, p.Limits.Target)
	options.Parts = plan.PartsAtOnce(&p.Job.Run)
	if r.target, err = store.Open(ctx, p.Job.Target.URL, options); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	defer func() { err = errors.Join(err, r.target.Close()) }()
	if r.checkpoint, err = plan.OpenCheckpoint(ctx, p.Job, env, p.Limits.Target); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.checkpoint.Close()) }()
	release, err := r.acquire(ctx, env, opt)
	if err != nil {
		return nil, err
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		if err != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, releaseTime)
			defer cancel()
		}
		// What was under way when the run failed may still arrive.
		releaseErr := release(ctx, err != nil && !errors.Is(err, stages.ErrStopped))
		switch {
		case releaseErr == nil:
		case err == nil:
			err = fmt.Errorf("checkpoint: %w", releaseErr)
		default: // what went wrong first has a message; the lock will be stale
			r.log.WarnContext(ctx, "the lock could not be released", "error", releaseErr)
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, lock := range r.locks {
		go func() {
			select {
			case <-lock.Lost():
				cancel(journal.ErrLost)
			case <-ctx.Done():
			}
		}()
	}
	if err := r.locked(ctx, opt); err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, journal.ErrLost) {
			return nil, cause
		}
		return nil, err
	}
	r.result.Time, r.result.Requests = time.Since(began), p.Requests()
	from, to := r.result.Requests.Source, r.result.Requests.Target
	r.log.InfoContext(ctx, "done", "target", r.target.URL(), "requests", from.Requests+to.Requests,
		"retries", from.Retries+to.Retries, "throttled", from.Throttled+to.Throttled)
	return &r.result, nil
}

// locked does the run while the lock is held.
func (r *run) locked(ctx context.Context, opt Options) error {
	var err error
	if r.journal, err = journal.OpenLocked(ctx, r.checkpoint); err != nil {
		return err
	}
	if err := r.current(); err != nil {
		return err
	}
	complete, err := r.outcome.begin(ctx, opt)
	if err != nil || complete {
		return err
	}
	places := []*store.Store{r.target, r.checkpoint}
	if err := sources.InParallel(ctx, len(places), func(ctx context.Context, i int) error { return places[i].Clean(ctx) }); err != nil {
		return fmt.Errorf("leftovers of an earlier run: %w", err)
	}
	if err := r.resume(ctx); err != nil {
		return err
	}
	if err := r.skipEmpty(ctx); err != nil {
		return err
	}
	r.sink = sinks.New(r.target)
	if err := r.outcome.documents(ctx); err != nil {
		return r.changedSource(err)
	}
	r.log.InfoContext(ctx, "migrating", "arrays", len(r.arrays), "chunks", r.result.Chunks, "done", r.result.Resumed)
	for i := range r.plan.Arrays {
		for _, note := range r.plan.Arrays[i].Notes {
			r.log.InfoContext(ctx, "decided", "array", r.plan.Arrays[i].Source, "note", note)
		}
	}
	if opt.Begin != nil {
		opt.Begin(r.progress())
	}
	err = r.untilSettled(ctx, func() error { return r.migrate(ctx, opt) })
	if err == nil {
		err = r.finish(ctx)
	}
	if err != nil {
		return r.distrust(ctx, err)
	}
	return nil
}

// current fails when the checkpoint, which the run now has to itself, is no longer the
// one that the plan was made from.
func (r *run) current() error {
	if !r.plan.MadeFrom(r.journal.Manifest(), r.journal.Completed()) {
		return plan.Overtaken(r.target.URL())
	}
	return nil
}

// outcomeOf chooses the outcome of a run by what lies at the target of its plan.
func outcomeOf(r *run) outcome {
	if g := r.plan.Growth(); g != nil {
		return growing{r, g}
	}
	return creating{r}
}
