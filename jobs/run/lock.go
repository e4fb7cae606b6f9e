package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// journalOpener is journal.OpenLocked, which checks all receipts, or journal.Peek, which reads none.
type journalOpener func(context.Context, *store.Store) (*journal.Journal, error)

// acquire takes the lock of the checkpoint. If the checkpoint is not beside the target,
// acquire also takes the lock of the target, because two jobs with different checkpoints
// must not write to one target. If nothing can be written beside the target, acquire
// takes only the lock of the checkpoint. While it takes the last lock, it opens the journal. The
// caller releases the locks.
func (r *run) acquire(ctx context.Context, env environment.Environment, opt Options, openJournal journalOpener) (release func(ctx context.Context, late bool) error, err error) {
	var opened []*store.Store
	release = func(ctx context.Context, late bool) error {
		var failed error
		for _, l := range r.locks {
			failed = errors.Join(failed, l.Release(ctx, late))
		}
		for _, st := range opened {
			failed = errors.Join(failed, st.Close())
		}
		return failed
	}
	// The lock has stores of its own, because the stores of the run ask the lock before
	// each change.
	st, err := openLock(ctx, r.plan.Job, env, r.plan.Limits.Lock)
	if err != nil {
		return nil, err
	}
	opened = append(opened, st)
	places := []*store.Store{st}
	beside, err := store.Sibling(r.plan.Job.Target.URL, ".zmigrate")
	if r.plan.Job.Run.Checkpoint.URL != "" && err == nil {
		st, err := environment.OpenState(ctx, r.plan.Job, beside, environment.LockStaging, env, r.plan.Limits.Lock)
		if err != nil {
			return nil, errors.Join(err, release(ctx, false))
		}
		opened = append(opened, st)
		if !st.Same(r.checkpoint) {
			places = append(places, st)
		}
	}
	read := false
	r.verified = !r.plan.Lock.None()
	for i, st := range places {
		options := r.lockOptions(env, opt)
		if i == 0 {
			options.Seen = r.plan.Lock
		}
		if i == len(places)-1 {
			options.Reads = func(ctx context.Context) { r.firstReads(ctx, openJournal) }
		}
		lock, err := journal.Acquire(ctx, st, options)
		read = options.Reads != nil && err == nil
		if len(r.locks) > 0 && store.Unwritable(err) {
			r.log.WarnContext(ctx, "no lock beside the target: a job with another checkpoint could write to it at the same time", "error", err)
			continue
		}
		if err != nil {
			return nil, errors.Join(unusable(st, err), release(context.WithoutCancel(ctx), false))
		}
		if len(r.locks) > 0 {
			r.beside = st
		}
		r.locks = append(r.locks, lock)
		if !st.Local() {
			continue
		}
		if err := st.Clean(ctx); err != nil { // of those that died in the middle of a heartbeat
			return nil, errors.Join(unusable(st, err), release(context.WithoutCancel(ctx), false))
		}
	}
	if !read {
		r.firstReads(ctx, openJournal)
	}
	r.target.Guard(r.locks)
	r.checkpoint.Guard(r.locks)
	r.unsettled = r.locks.Before().Late
	if before := r.locks[0].Before(); before.Dead != nil && opt.Died != nil {
		opt.Died(*before.Dead, before.Seen)
	}
	return release, nil
}

// firstReads opens the journal. If nobody seems to have had the lock before, it also looks whether
// anything lies in the place of the target.
func (r *run) firstReads(ctx context.Context, openJournal journalOpener) {
	r.vacant = false
	steps := []func(context.Context) error{func(ctx context.Context) (err error) {
		r.journal, err = openJournal(ctx, r.checkpoint)
		return err
	}}
	if r.plan.Lock.None() && !r.target.Local() {
		steps = append(steps, func(ctx context.Context) error {
			found := errors.New("an object")
			r.vacant = r.target.List(ctx, "", func(store.Info) error { return found }) == nil
			return nil // otherwise the target is listed later
		})
	}
	r.unread = together(ctx, steps...)
}

// lockOptions returns the settings of a lock of the run.
func (r *run) lockOptions(env environment.Environment, opt Options) journal.LockOptions {
	return journal.LockOptions{TTL: r.plan.Job.Run.LockLifetime, Owner: opt.Owner, Log: env.Log, Remote: !r.target.Local()}
}

// openLock opens the place of a checkpoint once more, for its lock.
func openLock(ctx context.Context, j *jobfile.Job, env environment.Environment, limits *limits.Limits) (*store.Store, error) {
	url, err := j.CheckpointURL()
	if err != nil {
		return nil, err
	}
	return environment.OpenState(ctx, j, url, environment.LockStaging, env, limits)
}

// unusable returns the error about a checkpoint whose lock cannot be taken. If the place
// of the checkpoint is the cause, the error names a way out.
func unusable(st *store.Store, err error) error {
	_, place := errors.AsType[*fs.PathError](err)
	if place && st.Local() { // errors of other places name the key with its URL
		err = fmt.Errorf("the folder %s cannot be used: %w", st.URL(), err)
	}
	if place && st.Local() || store.Unwritable(err) {
		err = fmt.Errorf("%w: make that place writable, or name another one in run.checkpoint.url", err)
	}
	return fmt.Errorf("checkpoint: %w", err)
}

// verify looks at the locks if acquire did not look after it had made their markers, see
// [journal.Acquire].
func (r *run) verify(ctx context.Context) error {
	if r.verified {
		return nil
	}
	r.verified = true
	return r.held(ctx)
}

// heldLately is held, and need not look at a lock that it has just looked at.
func (r *run) heldLately(ctx context.Context) error {
	if err := r.locks.HeldLately(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// held returns an error if another run has taken a lock over. Two runs must not write
// what follows.
func (r *run) held(ctx context.Context) error {
	if err := r.locks.Prove(ctx); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
