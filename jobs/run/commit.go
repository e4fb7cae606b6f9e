package run

import (
	"context"
	"fmt"
	"time"

	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
)

// commit makes the objects durable, then records their receipts, then writes the
// documents of the arrays that are complete now.
func (r *run) commit(ctx context.Context, receipts []sinks.Receipt) error {
	if err := r.held(ctx); err != nil {
		return err
	}
	if err := r.outcome.vacate(ctx, receipts); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	if err := r.sink.Sync(ctx); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	if !r.plan.Job.Source.Far() { // a remote source is checked only at the end
		if err := r.unchangedSoFar(ctx); err != nil {
			return err
		}
	}
	if err := r.keep(ctx, receipts); err != nil {
		return err
	}
	for _, x := range receipts {
		if err := r.record(x); err != nil {
			return err
		}
	}
	return r.outcome.documents(ctx)
}

// finish checks that the receipts cover the plan, writes the last documents of the
// target, and shrinks the checkpoint to the record of completion.
func (r *run) finish(ctx context.Context) error {
	for i := range r.arrays {
		if n := r.arrays[i].left; n > 0 {
			return fmt.Errorf("array %q: %d chunks have no receipt", r.plan.Arrays[i].Target, n)
		}
	}
	var publish func(ctx context.Context) error
	if r.plan.Job.Target.DigestAttribute {
		for _, err := range r.digesting(ctx) {
			if err != nil {
				return fmt.Errorf("checkpoint: %w", err)
			}
		}
	}
	looks := []func(context.Context) error{r.unchanged, r.held, func(ctx context.Context) (err error) {
		publish, err = r.outcome.prepare(ctx)
		return err
	}}
	if err := sources.InParallel(ctx, len(looks), func(ctx context.Context, i int) error { return looks[i](ctx) }); err != nil {
		return err
	}
	ends := []func(context.Context) error{
		func(ctx context.Context) error {
			if err := publish(ctx); err != nil {
				return fmt.Errorf("target: %w", err)
			}
			return nil
		},
		func(ctx context.Context) error {
			if err := r.journal.List(ctx, r.digesting(ctx)); err != nil {
				return fmt.Errorf("checkpoint: %w", err)
			}
			return nil
		},
	}
	if err := sources.InParallel(ctx, len(ends), func(ctx context.Context, i int) error { return ends[i](ctx) }); err != nil {
		return err
	}
	record := recorder(func() ([]byte, error) {
		r.result.ByArray = r.completedArrays()
		return Completion{Arrays: r.result.ByArray, Result: r.result, Groups: r.groups, Finished: time.Now().UTC(), Overtaken: r.overtaken || r.locks.Before().Late}.text(r.begins)
	})
	if err := r.journal.Complete(ctx, record, nil); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// recorder makes the record of completion when the objects are known.
type recorder func() ([]byte, error)

// MarshalJSON implements [json.Marshaler].
func (f recorder) MarshalJSON() ([]byte, error) { return f() }
