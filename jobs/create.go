package jobs

import (
	"context"
	"errors"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/target"
)

// creation is the [plannedTarget] of a plan that makes a new hierarchy.
type creation struct{}

func (creation) meet(context.Context, *builder) error { return nil }

func (creation) missingGroups(*Plan) Problems { return nil }

func (creation) describe(*Manifest) {}

func (creation) outcome(r *run) outcome { return creating{r} }

func (creation) close() error { return nil }

// newArray is the [base] of an array that the target does not have yet.
type newArray struct{}

func (newArray) fits(*builder, dtype.Type) {}

func (newArray) fill() (value dtype.Scalar, exists bool) { return nil, false }

func (newArray) complete(b *builder, a *PlannedArray) { b.carry(a) }

// creating is the [outcome] of a [creation].
type creating struct{ *run }

func (creating) keepsObjects() bool { return false }

func (creating) vacate(context.Context, []journal.Receipt) error { return nil }

func (creating) wayOut() string {
	return "the target stays unfinished; set target.existing: overwrite to begin anew"
}

// prepare reads the documents of nodes that the run does not write. They become part
// of the consolidated metadata.
func (r creating) prepare(ctx context.Context) (publish func(ctx context.Context) error, err error) {
	others, err := r.others(ctx)
	if err != nil {
		return nil, err
	}
	arrays := make(map[string]*zarr.Array, len(r.plan.Arrays))
	for i := range r.plan.Arrays {
		arrays[r.plan.Arrays[i].Target] = r.plan.Arrays[i].Meta
	}
	return func(ctx context.Context) error {
		return r.sink.Finish(ctx, arrays, r.plan.Groups, others, r.plan.Job.Target.Consolidated)
	}, nil
}

// check implements [plannedTarget]. If the job appends rows later, it refuses
// coordinates to which nothing could be appended.
func (creation) check(ctx context.Context, p *Plan, _ *codecs.Registry) error {
	if p.dim == "" {
		return nil
	}
	var errs []error
	for i := range p.Arrays {
		a := &p.Arrays[i]
		e := &target.Existing{Path: a.Target, Meta: a.Meta, Incoming: a.elements(), Axis: slices.Index(a.Meta.DimensionNames, p.dim)}
		if e.Coordinate(p.dim) {
			errs = append(errs, e.CheckFirst(ctx))
		}
	}
	return errors.Join(errs...)
}
