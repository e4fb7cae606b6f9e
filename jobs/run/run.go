package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/stages"
)

// Run does the units of the plan that are not done yet, and completes the target. If Stop
// ended the run, Run returns stages.ErrStopped, and a later run goes on from there.
// Errors name a way out.
//
// If the target already has the rows of the source, but late objects of another run have
// replaced some objects of the last run, Run writes those objects again.
func Run(ctx context.Context, p *plan.Plan, env environment.Environment, opt Options) (result *Result, err error) {
	grows := p.Growth() != nil && !p.Repeats()
	if !grows || opt.Repair == nil {
		result, err = session(ctx, p, env, opt, journal.OpenLocked, (*run).all)
		if !grows || !errors.Is(err, ErrTampered) {
			return result, err
		}
	}
	again, failed := plan.Repeat(ctx, p.Job, env)
	if failed != nil && err == nil {
		return nil, failed
	}
	if failed != nil {
		return nil, fmt.Errorf("%w\nthe objects cannot be written again: %w", err, failed)
	}
	defer func() { err = errors.Join(err, again.Close()) }()
	return session(ctx, again, env, opt, journal.OpenLocked, (*run).all)
}

// session opens the target and the checkpoint, takes the lock and calls do, which does a run
// or the last part of one. The requests and the time of the result do not include the
// release of the lock.
func session(ctx context.Context, p *plan.Plan, env environment.Environment, opt Options, openJournal journalOpener, do func(r *run, ctx context.Context, opt Options) error) (result *Result, err error) {
	began := time.Now()
	identify(&env, &opt)
	if opt.Monitor == nil {
		opt.Monitor = new(stages.Monitor)
	}
	r, err := open(ctx, p, env)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	r.result.Run = opt.Owner.Run
	r.outcome = outcomeOf(r)
	err = r.locked(ctx, env, opt, openJournal, func(ctx context.Context) error {
		if err := do(r, ctx, opt); err != nil {
			return err
		}
		if err := r.endCampaign(ctx); err != nil {
			return fmt.Errorf("the folder beside the target: %w", err)
		}
		r.result.Time, r.result.Requests = time.Since(began), p.Requests()
		if !r.result.Nothing {
			r.result.Busy = opt.Monitor.Busy()
		}
		from, to := r.result.Requests.Source, r.result.Requests.Target
		r.log.InfoContext(ctx, "done", "target", r.target.URL(), "requests", from.Requests+to.Requests,
			"retries", from.Retries+to.Retries, "throttled", from.Throttled+to.Throttled)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &r.result, nil
}

// all does what is left of a job, from its beginning to its end.
func (r *run) all(ctx context.Context, opt Options) error {
	complete, err := r.begin(ctx, opt)
	if err != nil || complete {
		return err
	}
	if err := r.resume(ctx); err != nil {
		return err
	}
	if err := r.skipEmpty(ctx); err != nil {
		return err
	}
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
	r.ends = true
	err = r.untilSettled(ctx, func() error { return r.migrate(ctx, opt) })
	if err == nil {
		err = r.finish(ctx, opt)
	}
	if err != nil {
		return r.distrust(ctx, err)
	}
	return nil
}

// begin makes the target and the checkpoint ready for the units of the plan, unless the
// job is complete already. It removes what killed runs have left. If the job is complete, it
// does so only in folders of this machine, where that takes no request.
func (r *run) begin(ctx context.Context, opt Options) (complete bool, err error) {
	if err := r.current(); err != nil {
		return false, err
	}
	if complete, err = r.outcome.begin(ctx, opt); err != nil {
		return false, err
	}
	if r.cleaned {
		return complete, nil
	}
	places := []*store.Store{r.target, r.checkpoint}
	if complete {
		places = slices.DeleteFunc(places, func(s *store.Store) bool { return !store.Local(s.URL()) })
	}
	if err := r.clean(ctx, places...); err != nil && (!complete || !store.Unwritable(err)) {
		return complete, err
	}
	return complete, nil
}

// outcomeOf chooses the outcome of a run by what lies at the target of its plan.
func outcomeOf(r *run) outcome {
	if g := r.plan.Growth(); g != nil {
		r.result.Dimension = g.Dimension
		if !r.plan.Nothing() {
			r.result.appended(g.New)
		}
		return growing{r, g}
	}
	return creating{r}
}
