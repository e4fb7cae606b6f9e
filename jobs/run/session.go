package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/stages"
)

// identify completes the owner of the locks. If the owner names no run, the run gets a
// new name, also in its log.
func identify(env *environment.Environment, opt *Options) {
	if opt.Owner == (journal.Owner{}) {
		opt.Owner = journal.ThisProcess(filepath.Base(os.Args[0]))
	}
	if opt.Owner.Run == "" {
		opt.Owner.Run = journal.NewRun()
		if env.Log != nil {
			env.Log = env.Log.With("run", opt.Owner.Run)
		}
	}
}

// open opens the target and the checkpoint of a plan. The caller closes the run.
func open(ctx context.Context, p *plan.Plan, env environment.Environment) (r *run, err error) {
	r = &run{plan: p, env: env, log: cmp.Or(env.Log, slog.New(slog.DiscardHandler)), result: Result{Target: p.Job.Target.URL, Arrays: len(p.Arrays), Unlisted: p.Unlisted}}
	options := env.StoreOptions(p.Job, p.Limits.Target)
	options.Parts = plan.PartsAtOnce(&p.Job.Run)
	if r.target, err = store.Open(ctx, p.Job.Target.URL, options); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if r.checkpoint, err = environment.OpenCheckpoint(ctx, p.Job, env, p.Limits.Target); err != nil {
		return nil, errors.Join(err, r.target.Close())
	}
	r.sink = sinks.New(r.target)
	return r, nil
}

// describe makes the manifest of the plan. The journal is open by then. If the manifest
// equals that of the completed job, both share their memory.
func (r *run) describe() (err error) {
	if r.begins, err = r.plan.ManifestAfter(manifestFirst, r.journal.Completed()); err == nil {
		r.manifest = r.begins[len(manifestFirst):len(r.begins):len(r.begins)]
	}
	return err
}

// close closes the target and the checkpoint.
func (r *run) close() error { return errors.Join(r.checkpoint.Close(), r.target.Close()) }

// locked calls do while the run has the lock, with the journal opened. The context of
// do ends if the lock is lost.
func (r *run) locked(ctx context.Context, env environment.Environment, opt Options, openJournal journalOpener, do func(ctx context.Context) error) (err error) {
	release, err := r.acquire(ctx, env, opt, openJournal)
	if err != nil {
		return err
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		if err != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, releaseTime)
			defer cancel()
		}
		// Requests that were under way when the run failed may still arrive.
		late := err != nil && !errors.Is(err, stages.ErrStopped)
		releaseErr := together(ctx, func(ctx context.Context) error { return release(ctx, late) }, func(ctx context.Context) error {
			if err == nil && r.leave != nil {
				r.leave(ctx, &r.result)
			}
			return nil
		})
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
	r.keep = func(ctx context.Context, receipts []sinks.Receipt) error {
		if err := r.journal.Append(ctx, receipts); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		return nil
	}
	if err = r.unread; err == nil {
		err = r.describe()
	}
	// The place of a new job is looked at once more while its plan is written, see renew.
	first := r.vacant && err == nil && r.journal.Blank() && r.plan.Growth() == nil && !r.locks.Before().Late
	if err == nil && !first {
		err = r.verify(ctx)
	}
	if err == nil {
		err = r.noOther(ctx)
	}
	if err == nil {
		err = r.fence(ctx, env, opt)
	}
	if err == nil {
		err = do(ctx)
	}
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, journal.ErrLost) {
		return cause
	}
	return err
}

// current returns an error if the checkpoint has changed since the plan was made. The run
// holds the lock, so no other run changes the checkpoint from then on.
func (r *run) current() error {
	if !r.plan.MadeFrom(r.journal.Manifest(), r.journal.Completed()) {
		return plan.Overtaken(r.target.URL())
	}
	return nil
}
