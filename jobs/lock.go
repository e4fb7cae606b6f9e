package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// acquire takes the lock of the checkpoint and, when the checkpoint is not
// beside the target, that of the target, too: two jobs with checkpoints of
// their own must not write to one target. Where nothing can be written beside the
// target, the checkpoint's lock has to do. The caller releases them.
func (r *run) acquire(ctx context.Context, env Environment, opt RunOptions) (release func(context.Context) error, err error) {
	env.limits = r.plan.limits.lock
	var opened []*store.Store
	release = func(ctx context.Context) error {
		var failed error
		for _, l := range r.locks {
			failed = errors.Join(failed, l.Release(ctx))
		}
		for _, st := range opened {
			failed = errors.Join(failed, st.Close())
		}
		return failed
	}
	places := []*store.Store{r.checkpoint}
	if !r.checkpoint.Local() { // which has no limits, and one place where objects wait
		st, err := r.plan.Job.openCheckpoint(ctx, env)
		if err != nil {
			return nil, err
		}
		opened, places = append(opened, st), []*store.Store{st}
	}
	beside, err := store.Sibling(r.plan.Job.Target.URL, ".zmigrate")
	if r.plan.Job.Run.Checkpoint.URL != "" && err == nil {
		st, err := r.plan.Job.openState(ctx, beside, env)
		if err != nil {
			return nil, errors.Join(err, release(ctx))
		}
		opened = append(opened, st)
		if !st.Same(r.checkpoint) {
			places = append(places, st)
		}
	}
	for _, st := range places {
		lock, err := journal.Acquire(ctx, st, journal.LockOptions{TTL: r.plan.Job.Run.LockLifetime, Owner: opt.Owner, Log: env.Log})
		if len(r.locks) > 0 && store.Unwritable(err) {
			r.log.WarnContext(ctx, "no lock beside the target: a job with another checkpoint could write to it at the same time", "error", err)
			continue
		}
		if err != nil {
			return nil, errors.Join(unusable(st, err), release(context.WithoutCancel(ctx)))
		}
		r.locks = append(r.locks, lock)
	}
	return release, nil
}

// unusable is the error about a checkpoint whose lock cannot be had, with a way
// out where the place is at fault.
func unusable(st *store.Store, err error) error {
	_, place := errors.AsType[*fs.PathError](err)
	if place {
		err = fmt.Errorf("the folder %s cannot be used: %w", st.URL(), err)
	}
	if place && st.Local() || store.Unwritable(err) {
		err = fmt.Errorf("%w: make that place writable, or name another one in run.checkpoint.url", err)
	}
	return fmt.Errorf("checkpoint: %w", err)
}

// held fails when another run has taken over a lock: what follows must not be
// written by two.
func (r *run) held(ctx context.Context) error {
	for _, l := range r.locks {
		if err := l.Held(ctx); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
	}
	return nil
}
