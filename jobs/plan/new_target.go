package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/target"
	"github.com/zmigrate/zmigrate/sources"
)

// creation is the [plannedTarget] of a plan that makes a new hierarchy.
type creation struct{}

// overlap implements [plannedTarget].
func (creation) overlap(context.Context, *Plan, []sources.Array, func(int) (jobfile.Problems, error)) error {
	return nil
}

// meet implements [plannedTarget].
func (creation) meet(ctx context.Context, b *builder) error {
	return b.rebaseToUnits(ctx, b.env.Codecs.Types())
}

func (creation) missingGroups(*Plan) jobfile.Problems { return nil }

func (creation) describe(*manifest.Manifest) *manifest.Manifest { return nil }

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

// review implements [plannedTarget]. If the job appends rows later, it reports arrays to
// which nothing could be appended: those that share the dimension and have several
// lengths, and those with chunks of several sizes.
func (creation) review(_ context.Context, p *Plan, _ map[string]string) (ps jobfile.Problems, err error) {
	if p.dim == "" {
		return nil, nil
	}
	g := Growth{Dimension: p.dim}
	planned, seen := map[string]bool{}, map[string]*Array{} // by scope
	for i := range p.Arrays {
		planned[p.Arrays[i].Target] = true
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		axis := slices.Index(a.Meta.DimensionNames, p.dim)
		if axis < 0 {
			continue
		}
		_, field := p.Job.Options(a.Source)
		if a.Meta.Grid.Runs != nil {
			ps = append(ps, p.Job.Problem(field, fmt.Sprintf("array %q has chunks of several sizes: only arrays with regular chunks can be appended to", a.Target), "chunks: auto, or a list of integers"))
		}
		scope := g.scope(a.Target, planned)
		other := seen[scope]
		if other == nil {
			seen[scope] = a
			continue
		}
		if own, want := a.Meta.Grid.Shape[axis], other.Meta.Grid.Shape[slices.Index(other.Meta.DimensionNames, p.dim)]; own != want {
			ps = append(ps, p.Job.Problem(field, fmt.Sprintf("array %q has %d rows along %s, array %q has %d: nothing could be appended to them", a.Target, own, p.dim, other.Target, want),
				"arrays that share a dimension have to have the same length along it"))
		}
	}
	return ps, nil
}
