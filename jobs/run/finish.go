package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
)

// ErrReceipts is the cause of an error about receipts that do not finish a plan.
var ErrReceipts = errors.New("the receipts do not finish the plan")

// MissingError says which units of a plan have no receipt. It wraps ErrReceipts.
type MissingError struct {
	Missing []Bundle // ascending
	Units   int      // how many units are missing
	Of      int      // how many units the plan has
}

func (e *MissingError) Error() string {
	const most = 3
	var some []string
	for _, b := range e.Missing[:min(len(e.Missing), most)] {
		some = append(some, fmt.Sprintf("%d-%d", b.First, b.End))
	}
	if len(e.Missing) > most {
		some = append(some, fmt.Sprintf("and %d more ranges", len(e.Missing)-most))
	}
	return fmt.Sprintf("%v: %d of %d units have no receipt (%s): do them with zmigrate work JOB --units %s, or do all that is left with zmigrate run JOB",
		ErrReceipts, e.Units, e.Of, strings.Join(some, ", "), some[0])
}

func (e *MissingError) Unwrap() error { return ErrReceipts }

// Finish completes the target of a campaign when the checkpoint has receipts of all units of
// the plan, as the last part of [Run] does. It refuses receipts that contradict each other or
// the plan, receipts that do not cover the plan, and receipts that the objects in the target
// contradict. It refuses them before it changes anything. If Finish was interrupted, another
// Finish completes the target. If nothing is left to do, the result says so.
func Finish(ctx context.Context, p *plan.Plan, env environment.Environment, opt Options) (*Result, error) {
	// complete reads the receipts before it changes anything, so they need not be read twice.
	return session(ctx, p, env, opt, journal.Peek, (*run).complete)
}

// complete does what Finish does. The run has the lock.
func (r *run) complete(ctx context.Context, opt Options) error {
	hash, err := manifest.HashOf(r.manifest)
	if err != nil {
		return err
	}
	if record := r.journal.Completed(); record != nil {
		return r.finishedAlready(ctx, record, hash)
	}
	if _, err := r.begun(); err != nil {
		return err
	}
	expected, err := r.covers(ctx)
	if err != nil {
		return err
	}
	if err := r.clean(ctx, r.target, r.checkpoint); err != nil {
		return err
	}
	if r.unsettled && r.locks.Before().Others {
		if err := r.locks.Settle(ctx); err != nil {
			return err
		}
	}
	r.unsettled = false // because of the comparison that follows
	wrong, err := r.faultsOf(ctx, expected, func() iter.Seq2[journal.Object, error] { return r.recorded(ctx) }, !r.outcome.keepsObjects())
	if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%w: target %s: %d objects are not what the receipts say, %s is the first: do all that is left with zmigrate run JOB", ErrReceipts, r.target.URL(), len(wrong), wrong[0].key)
	}
	if r.repeated {
		r.expected = expected
	}
	r.result.Resumed = r.result.Chunks
	if opt.Begin != nil {
		opt.Begin(r.progress())
	}
	if err := r.outcome.documents(ctx); err != nil {
		return r.changedSource(err)
	}
	if err := r.finish(ctx, opt); err != nil {
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

// covers counts the units of the receipts on record, and returns the objects that the target
// should have. The error says that receipts contradict each other or the plan, or that units have
// none. covers reads the receipts once, and once more if some unit has several.
func (r *run) covers(ctx context.Context) (journal.Ledger, error) {
	r.countFromZero()
	arrays := r.plan.Arrays
	twice := make([]map[int]object, len(arrays))
	expected, err := journal.NewLedger(r.objectsOf(func(yield func(sinks.Receipt, error) bool) {
		for x, err := range r.journal.Receipts(ctx) {
			if err == nil {
				err = r.belongs(x)
			}
			if err == nil {
				for unit := x.Unit; unit <= x.Unit+x.More; unit++ {
					if !r.arrays[x.Array].done.has(unit) {
						continue
					}
					if twice[x.Array] == nil {
						twice[x.Array] = map[int]object{}
					}
					twice[x.Array][unit] = object{}
				}
				r.count(x)
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}))
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if r.repeated {
		if err := r.agree(ctx, twice); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrReceipts, err)
		}
	}
	done := make([]bitset, len(arrays))
	for i := range done {
		done[i] = r.arrays[i].done
	}
	left := missing(done, func(i int) int { return arrays[i].Chunks() })
	if left == nil {
		return expected, nil
	}
	failed := &MissingError{Missing: left, Of: r.plan.Units()}
	for _, b := range left {
		failed.Units += b.Units()
	}
	return nil, failed
}

// missing returns the ranges of units that are not done. done has the units of each array, and
// chunks returns how many units an array has.
func missing(done []bitset, chunks func(array int) int) (left []Bundle) {
	at := 0
	for i := range done {
		n := chunks(i)
		for unit := 0; unit < n; unit++ {
			if unit%64 == 0 && done[i][unit/64] == math.MaxUint64 {
				unit += 63
				continue
			}
			if done[i].has(unit) {
				continue
			}
			if k := len(left) - 1; k >= 0 && left[k].End == at+unit {
				left[k].End++
			} else {
				left = append(left, Bundle{First: at + unit, End: at + unit + 1})
			}
		}
		at += n
	}
	return left
}

// object is what a receipt says of a unit's object.
type object struct {
	known, empty bool
	bytes        int64
	sum          uint32
	digest       digest.Optional
}

// agree returns an error if two receipts of one of the given units differ. It fills the maps,
// which have the numbers of the units of each array.
func (r *run) agree(ctx context.Context, units []map[int]object) error {
	for x, err := range r.journal.Receipts(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		if len(units[x.Array]) == 0 {
			continue
		}
		is := object{true, x.Empty, x.Bytes, x.Sum, x.Digest}
		for unit := x.Unit; unit <= x.Unit+x.More; unit++ {
			was, asked := units[x.Array][unit]
			if was.known && (!sinks.Proves(was.sum) || !sinks.Proves(is.sum)) {
				is.sum = was.sum // an earlier version has written one of the receipts
			}
			if asked && was.known && was != is {
				a := &r.plan.Arrays[x.Array]
				return fmt.Errorf("array %q: chunk %d: two receipts contradict each other: the workers have not made the same bytes of %s; begin anew with zmigrate run JOB --restart", a.Target, unit, a.Key(unit))
			}
			if asked {
				units[x.Array][unit] = is
			}
		}
	}
	return nil
}
