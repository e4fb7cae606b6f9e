package plan

import (
	"context"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// plannedTarget is what lies at the place that a job writes to, and what becomes of it.
// There are two:
//
//   - [creation] makes a new hierarchy. What lies there is the beginning of it, by an
//     earlier run, or is in the way: target.existing says whether it is refused or
//     overwritten.
//   - [Growth] appends rows to the arrays of an existing hierarchy, which keeps the
//     objects of earlier runs.
//
// [Plan.openTarget] chooses one of them, once for each plan. Nothing else asks whether
// a plan appends rows: New asks its target, and the builder of an array the base of
// that array. A run asks [Plan.Growth] once, and then its outcome.
type plannedTarget interface {
	// meet finds what the target holds of the array that a builder plans, and sets the
	// builder's base.
	meet(ctx context.Context, b *builder) error
	// review returns what is wrong with the planned arrays as a whole. coordinates are
	// the paths of coordinates by the paths of their bounds. Sources have been opened,
	// and no elements are read.
	review(ctx context.Context, p *Plan, coordinates map[string]string) (jobfile.Problems, error)
	// missingGroups warns of groups without arrays that the plan cannot make, and takes
	// them out of it.
	missingGroups(p *Plan) jobfile.Problems
	// check reads elements, such as those of coordinates, and refuses a plan whose
	// result would be wrong, or could not be appended to if the job asks for that.
	check(ctx context.Context, p *Plan, registry *codecs.Registry) error
	// describe adds to a manifest what the target was before the run.
	describe(m *Manifest)
	close() error
}

// base is what the target holds of an array before it is planned: nothing, for a
// [newArray], or an [existingArray].
type base interface {
	// fits reports elements of a type that the array cannot take.
	fits(b *builder, t dtype.Type)
	// fill returns the fill value of an existing array.
	fill() (value dtype.Scalar, exists bool)
	// complete finishes a planned array whose metadata and chain are known.
	complete(b *builder, a *Array)
}
