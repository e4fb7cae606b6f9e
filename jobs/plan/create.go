package plan

import (
	"context"
	"errors"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/target"
)

// creation is the [plannedTarget] of a plan that makes a new hierarchy.
type creation struct{}

func (creation) meet(context.Context, *builder) error { return nil }

func (creation) missingGroups(*Plan) jobfile.Problems { return nil }

func (creation) describe(*Manifest) {}

func (creation) close() error { return nil }

// newArray is the [base] of an array that the target does not have yet.
type newArray struct{}

func (newArray) fits(*builder, dtype.Type) {}

func (newArray) fill() (value dtype.Scalar, exists bool) { return nil, false }

func (newArray) complete(b *builder, a *Array) { b.carry(a) }

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
