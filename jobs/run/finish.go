package run

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
)

// ErrReceipts is the cause of an error about receipts that do not finish a plan.
var ErrReceipts = errors.New("the receipts do not finish the plan")

// Begin makes the target and the checkpoint ready for [Work] on the plan, as the first
// part of [Run] does. It reports whether there is nothing to do, because the job is
// complete.
func Begin(ctx context.Context, p *plan.Plan, env environment.Environment, opt Options) (complete bool, err error) {
	identify(&env, &opt)
	r, err := open(ctx, p, env)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	r.outcome = outcomeOf(r)
	err = r.locked(ctx, env, opt, func(ctx context.Context) (err error) {
		complete, err = r.begin(ctx, opt)
		return err
	})
	return complete, err
}

// Finish completes the target from the receipts of [Work] on all units of the plan, as
// the last part of [Run] does. It refuses receipts of another plan, receipts that
// contradict each other or the plan, receipts that do not cover the plan, and receipts that
// the objects in the target contradict. It refuses them before it changes anything. If
// Finish was interrupted, another Finish with the same receipts completes the target. If
// nothing is left to do, the result says so.
func Finish(ctx context.Context, p *plan.Plan, env environment.Environment, receipts []*Receipts, opt Options) (*Result, error) {
	return session(ctx, p, env, opt, func(r *run, ctx context.Context, _ Options) error { return r.finishWith(ctx, receipts) })
}

// finishWith does what Finish does. The run has the lock.
func (r *run) finishWith(ctx context.Context, receipts []*Receipts) error {
	hash, err := manifest.HashOf(r.manifest)
	if err != nil {
		return err
	}
	if err := r.covers(hash, receipts); err != nil {
		return fmt.Errorf("%w: %w", ErrReceipts, err)
	}
	if record := r.journal.Completed(); record != nil {
		return r.finishedAlready(ctx, record, hash)
	}
	if _, err := r.begun(); err != nil {
		return err
	}
	if r.unsettled && r.locks.Before().Others {
		if err := r.locks.Settle(ctx); err != nil {
			return err
		}
	}
	r.unsettled = false // because of the comparison that follows
	all := each(receipts)
	wrong, err := r.faults(ctx, func() iter.Seq2[journal.Object, error] { return r.objectsOf(read(all)) }, !r.outcome.keepsObjects())
	if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: target %s: %d objects are not what the receipts say, %s is the first: do their units again", ErrReceipts, r.target.URL(), len(wrong), wrong[0].key)
	}
	if err := r.resume(ctx); err != nil {
		return err
	}
	if err := r.keepNew(ctx, all); err != nil {
		return err
	}
	if err := r.outcome.documents(ctx); err != nil {
		return r.changedSource(err)
	}
	if err := r.finish(ctx); err != nil {
		return r.distrust(ctx, err)
	}
	return nil
}

// finishedAlready does what Finish does if the job is complete: it checks that the plan with
// the given hash is the one that was completed.
func (r *run) finishedAlready(ctx context.Context, record []byte, hash string) error {
	done, err := readCompletion(record)
	if err != nil {
		return err
	}
	was, err := manifest.ReadCompleted(record)
	if err != nil {
		return err
	}
	if was.Hash != hash {
		return fmt.Errorf("checkpoint %s: %w: %w", r.checkpoint.URL(), ErrNotBegun, plan.ErrOtherPlan)
	}
	return r.rest(ctx, done)
}

// keepNew records the receipts of units that have none on record.
func (r *run) keepNew(ctx context.Context, all iter.Seq[sinks.Receipt]) error {
	var batch []sinks.Receipt
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := r.keep(ctx, batch); err != nil {
			return err
		}
		for _, x := range batch {
			if err := r.record(x); err != nil {
				return err
			}
		}
		batch = batch[:0]
		return nil
	}
	for x := range all {
		if r.arrays[x.Array].done.has(x.Unit) && x.More == 0 {
			continue
		}
		if batch = append(batch, x); len(batch) == receiptBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// each yields receipts one by one.
func each(receipts []*Receipts) iter.Seq[sinks.Receipt] {
	return func(yield func(sinks.Receipt) bool) {
		for _, made := range receipts {
			for _, x := range made.List {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// read yields receipts in the form in which a checkpoint yields them, with an error that is
// always nil.
func read(receipts iter.Seq[sinks.Receipt]) iter.Seq2[sinks.Receipt, error] {
	return func(yield func(sinks.Receipt, error) bool) {
		for x := range receipts {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// covers fails if receipts are of another plan, if they contradict each other or the
// plan, or if a unit has none.
func (r *run) covers(hash string, receipts []*Receipts) error {
	for _, made := range receipts {
		if made.Plan != hash {
			return fmt.Errorf("%w: they are of %.12s…, and the plan is %.12s…", plan.ErrOtherPlan, made.Plan, hash)
		}
	}
	arrays := r.plan.Arrays
	type object struct {
		bytes  int64
		sum    uint32
		digest digest.Optional
	}
	found := make([]map[int]object, len(arrays)) // by their units
	empty := make([]bitset, len(arrays))
	left := make([]int, len(arrays))
	for i := range arrays {
		found[i], empty[i], left[i] = map[int]object{}, newBitset(arrays[i].Chunks()), arrays[i].Chunks()
	}
	for x := range each(receipts) {
		if err := x.Check(); err != nil {
			return fmt.Errorf("chunk %d of array %d: %w", x.Unit, x.Array, err)
		}
		if x.Array >= len(arrays) || x.Unit >= arrays[x.Array].Chunks()-x.More {
			return fmt.Errorf("chunk %d of array %d: the plan does not have it", x.Unit+x.More, x.Array)
		}
		a := &arrays[x.Array]
		if key := a.Key(x.Unit); !x.Empty && x.Key != key {
			return fmt.Errorf("array %q: chunk %d: the object %s, which is %s by the plan", a.Target, x.Unit, x.Key, key)
		}
		for unit := x.Unit; unit <= x.Unit+x.More; unit++ {
			other, stored := found[x.Array][unit]
			switch {
			case !stored && !empty[x.Array].has(unit):
				left[x.Array]--
			case stored == x.Empty || stored && other != object{x.Bytes, x.Sum, x.Digest}:
				return fmt.Errorf("array %q: chunk %d: two receipts contradict each other", a.Target, unit)
			}
			if x.Empty {
				empty[x.Array].set(unit)
			} else {
				found[x.Array][unit] = object{x.Bytes, x.Sum, x.Digest}
			}
		}
	}
	for i, n := range left {
		if n > 0 {
			return fmt.Errorf("array %q: %d of %d chunks have no receipt", arrays[i].Target, n, arrays[i].Chunks())
		}
	}
	return nil
}
