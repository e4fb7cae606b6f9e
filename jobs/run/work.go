package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/stages"
)

// Bundle is a range of units of a plan. See [plan.Plan.Units].
type Bundle = journal.Bundle

// Receipts are what a bundle leaves in the checkpoint, and what its worker tells.
type Receipts struct {
	Plan string `json:"plan"` // the hash of the plan
	Bundle
	List []sinks.Receipt `json:"receipts"`
}

// Worker does bundles of a plan, one after the other. Any number of processes may have a
// worker of one plan at the same time, each with a [plan.Plan] that it has read for itself.
// Workers that do the same unit write the same bytes.
//
// A worker has a lock of its own, which [Run], [Save] and [Finish] take from it when it is
// dead. A worker that has lost its lock writes no more.
type Worker struct {
	r        *run
	place    *store.Store // of its lock
	campaign *journal.Campaign
	name     string // of the process as a run
	number   int    // of the attempts so far
	failed   bool   // requests may still be under way
}

// mostClockDifference bounds the difference between the clock of a worker and that of a store.
// Stores refuse signed requests whose time differs by 15 minutes from their own.
const mostClockDifference = 5 * time.Minute

// NewWorker joins the campaign of a plan that [Save] has begun. It fails if the checkpoint has
// no campaign of this plan, or one of another version of the program, and if a live run holds
// the lock of the checkpoint. The caller closes the worker.
func NewWorker(ctx context.Context, p *plan.Plan, env environment.Environment, opt Options) (_ *Worker, err error) {
	identify(&env, &opt)
	r, err := open(ctx, p, env)
	if err != nil {
		return nil, err
	}
	w := &Worker{r: r, name: opt.Owner.Run}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close(context.WithoutCancel(ctx)))
		}
	}()
	if w.campaign, err = r.saved(ctx); err != nil {
		return nil, err
	}
	if has := environment.Program(); w.campaign.Version != has {
		return nil, fmt.Errorf("the plan was saved by version %s of zmigrate, and this is version %s: use the same program on all machines, or save the plan again", w.campaign.Version, has)
	}
	if err := r.seesTarget(ctx, env, w.campaign); err != nil {
		return nil, err
	}
	place := r.journal.NewAttempt(w.name, 0, Bundle{}).WorkerPlace()
	if w.place, err = openBelow(ctx, p, place, env); err != nil {
		return nil, err
	}
	lock, err := journal.Acquire(ctx, w.place, r.lockOptions(env, opt))
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	r.locks = journal.Locks{lock}
	r.target.Guard(r.locks)
	r.checkpoint.Guard(r.locks)
	r.outcome = outcomeOf(r)
	if err := w.sameClock(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// seesTarget returns an error if the place beside a local target does not have the campaign:
// then the folder of the target is not the one that the machine which saved the plan sees.
func (r *run) seesTarget(ctx context.Context, env environment.Environment, c *journal.Campaign) (err error) {
	url, err := store.Sibling(r.plan.Job.Target.URL, ".zmigrate")
	if r.plan.Job.Run.Checkpoint.URL == "" || err != nil || !r.target.Local() {
		return nil
	}
	beside, err := environment.OpenState(ctx, r.plan.Job, url, environment.LockStaging, env, r.plan.Limits.Lock)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, beside.Close()) }()
	if beside.Same(r.checkpoint) {
		return nil
	}
	there, err := journal.ReadCampaign(ctx, beside)
	if err != nil {
		return fmt.Errorf("the folder beside the target: %w", err)
	}
	if there == nil || there.Token != c.Token {
		return fmt.Errorf("target %s: this machine does not see the folder that %s saw when it saved the plan: use a folder that all machines share, or a bucket", r.target.URL(), c.By.Host)
	}
	return nil
}

// sameClock returns an error if the clock of this machine differs much from that of the
// checkpoint's store.
func (w *Worker) sameClock(ctx context.Context) error {
	written, err := w.r.locks[0].Written(ctx)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if d := time.Since(written).Round(time.Second); !written.IsZero() && d.Abs() > mostClockDifference {
		return fmt.Errorf("the clock of this machine and that of %s differ by %s: set the clock of this machine right", w.r.checkpoint.URL(), d.Abs())
	}
	return nil
}

// Close releases the lock of the worker.
func (w *Worker) Close(ctx context.Context) (err error) {
	for _, lock := range w.r.locks {
		err = errors.Join(err, lock.Release(ctx, w.failed))
	}
	if w.place != nil {
		err = errors.Join(err, w.place.Close())
	}
	return errors.Join(err, w.r.close())
}

// Work does the units of a bundle, whether or not they were done before, unless opt.Left says
// otherwise. Once the objects are durable, it leaves their receipts in the checkpoint and returns
// them. It shows no document.
// If it fails, it leaves the error and the receipts of the units that are done. If Stop ended
// the work, the error is stages.ErrStopped.
func (w *Worker) Work(ctx context.Context, units Bundle, opt Options) (*Receipts, error) {
	r := w.r
	if units.First < 0 || units.End < units.First || units.End > r.plan.Units() {
		return nil, fmt.Errorf("the plan has no units %d to %d: it has %d units, counted from 0", units.First, units.End, r.plan.Units())
	}
	made := &Receipts{Plan: w.campaign.Plan, Bundle: units, List: []sinks.Receipt{}}
	r.only(units)
	if opt.Left {
		if left, err := w.leaveOut(ctx, units); err != nil || left == 0 {
			return made, err
		}
	}
	w.number++
	attempt := r.journal.NewAttempt(w.name, w.number, units)
	if err := r.journal.BeginAttempt(ctx, attempt); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	// A run that has taken the lock of the checkpoint since sees the attempt, or is seen here.
	err := w.current(ctx)
	if err == nil {
		err = w.work(ctx, made, opt)
	}
	if err == nil {
		err = r.held(ctx)
	}
	if err != nil {
		w.failed = w.failed || !errors.Is(err, stages.ErrStopped)
	}
	if errors.Is(err, sources.ErrChanged) {
		made.List = nil // some may be of another state of the source
	}
	if errors.Is(err, journal.ErrLost) {
		return nil, err
	}
	slices.SortFunc(made.List, func(a, b sinks.Receipt) int {
		return cmp.Or(cmp.Compare(a.Array, b.Array), cmp.Compare(a.Unit, b.Unit))
	})
	if failed := r.journal.EndAttempt(context.WithoutCancel(ctx), attempt, made.List, err); failed != nil {
		return nil, errors.Join(err, fmt.Errorf("checkpoint: %w", failed))
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

// leaveOut marks the units of a bundle as done that have receipts on record, and returns how many
// units are left.
func (w *Worker) leaveOut(ctx context.Context, units Bundle) (left int, err error) {
	r := w.r
	now, err := journal.Peek(ctx, r.checkpoint)
	if err != nil {
		return 0, fmt.Errorf("checkpoint: %w", err)
	}
	for x, err := range now.ReceiptsFor(ctx, units) {
		if err == nil {
			err = r.belongs(x)
		}
		if err != nil {
			return 0, fmt.Errorf("checkpoint: %w", err)
		}
		a := &r.arrays[x.Array]
		for unit := x.Unit; unit <= x.Unit+x.More; unit++ {
			if !a.done.has(unit) {
				a.done.set(unit)
				a.left--
			}
		}
	}
	for i := range r.arrays {
		left += r.arrays[i].left
	}
	return left, nil
}

// current returns an error if the campaign has ended, or if a live run has its plan.
func (w *Worker) current(ctx context.Context) error {
	if err := w.r.free(ctx); err != nil {
		return err
	}
	c, err := journal.ReadCampaign(ctx, w.r.checkpoint)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if c == nil || c.Token != w.campaign.Token {
		return fmt.Errorf("%w: the campaign has ended since", notBegun(w.r.checkpoint, nil))
	}
	return nil
}

// work does the units, and adds their receipts to made.
func (w *Worker) work(ctx context.Context, made *Receipts, opt Options) error {
	r := w.r
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-r.locks[0].Lost():
			cancel(journal.ErrLost)
		case <-ctx.Done():
		}
	}()
	r.keep = func(_ context.Context, receipts []sinks.Receipt) error {
		made.List = append(made.List, receipts...)
		return nil
	}
	err := r.skipEmpty(ctx)
	if err == nil {
		err = r.migrate(ctx, opt)
	}
	if err == nil {
		err = r.unchanged(ctx)
	}
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, journal.ErrLost) {
		return cause
	}
	return r.changedSource(err)
}

// only restricts the run to the units of a bundle. The run then writes no documents.
func (r *run) only(units Bundle) {
	r.arrays = make([]progress, len(r.plan.Arrays))
	at := 0 // the number of the array's first unit
	for i := range r.arrays {
		n := r.plan.Arrays[i].Chunks()
		first, end := min(max(units.First-at, 0), n), min(max(units.End-at, 0), n)
		r.arrays[i] = progress{done: newBitset(n), left: end - first, written: true}
		r.arrays[i].done.setRange(0, first)
		r.arrays[i].done.setRange(end, n)
		at += n
	}
}
