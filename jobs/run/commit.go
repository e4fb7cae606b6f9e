package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/sinks"
)

// commit makes the objects durable, records their receipts and writes the documents of the
// arrays that are complete now, both at the same time. If an error keeps the receipts from being
// recorded, the next run stores the chunks of such an array once more, with the same bytes. With the
// last receipts of a run, commit also looks at what the end of the run needs.
func (r *run) commit(ctx context.Context, receipts []sinks.Receipt) error {
	r.publish, r.read = nil, false
	if err := r.heldLately(ctx); err != nil {
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
	for _, x := range receipts {
		if err := r.record(x); err != nil {
			return err
		}
	}
	last := r.ends && !r.unsettled && !r.plan.Job.Target.DigestAttribute && !slices.ContainsFunc(r.arrays, func(a progress) bool { return a.left > 0 })
	steps := []func(context.Context) error{
		func(ctx context.Context) error { return r.keep(ctx, receipts) },
		func(ctx context.Context) error {
			if last {
				if err := r.unchanged(ctx); err != nil {
					return err
				}
				r.read = true
			}
			return r.outcome.documents(ctx)
		},
	}
	var publish func(context.Context) error
	if last {
		steps = append(steps, r.held, func(ctx context.Context) (err error) {
			publish, err = r.outcome.prepare(ctx)
			return err
		})
	}
	err := together(ctx, steps...)
	if err == nil {
		r.publish = publish
	}
	return err
}

// finish checks that the receipts cover the plan, writes the last documents of the
// target, and shrinks the checkpoint to the record of completion.
func (r *run) finish(ctx context.Context, opt Options) error {
	for i := range r.arrays {
		if n := r.arrays[i].left; n > 0 {
			return fmt.Errorf("array %q: %d chunks have no receipt", r.plan.Arrays[i].Target, n)
		}
	}
	objects := r.digesting(ctx)
	if r.plan.Job.Target.DigestAttribute { // publish reads the digests, while the objects are listed
		for _, err := range objects {
			if err != nil {
				return fmt.Errorf("checkpoint: %w", err)
			}
		}
		objects = r.objects(ctx)
	}
	if r.publish == nil {
		err := together(ctx, r.unchanged, r.held, func(ctx context.Context) (err error) {
			r.publish, err = r.outcome.prepare(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	err := together(ctx, func(ctx context.Context) error {
		if err := r.publish(ctx); err != nil {
			return fmt.Errorf("target: %w", err)
		}
		return nil
	}, func(ctx context.Context) error {
		if err := r.journal.List(ctx, objects); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.result.ByArray = r.completedArrays()
	record, err := Completion{Arrays: r.result.ByArray, Result: r.result, Groups: r.groups, Finished: time.Now().UTC(), Overtaken: r.overtaken || r.locks.Before().Late}.text(r.begins)
	if err == nil {
		err = r.journal.Record(ctx, record)
	}
	if err == nil {
		err = together(ctx, r.journal.Tidy, func(ctx context.Context) error {
			if opt.Ending != nil {
				r.leave = opt.Ending(ctx)
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
