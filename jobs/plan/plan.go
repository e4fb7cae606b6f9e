package plan

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"reflect"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/target"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Plan is what a job comes to over its sources as they are now: every array
// with everything decided, nothing written. It is immutable; its holder closes
// it, after the run.
type Plan struct {
	Job    *jobfile.Job
	Arrays []Array // in the order of the source
	// Groups are those of the target that the source has, too, by their paths, and
	// EmptyGroups the paths of those that hold no array.
	Groups      map[string]zarr.Attributes
	EmptyGroups []string
	// Unlisted is the URL of the outermost group around the target that has
	// consolidated metadata, which do not tell of what a run writes; "" for none.
	Unlisted string
	// Findings are warnings; anything worse made planning fail.
	Findings jobfile.Problems

	source sources.Source
	Limits Limits
	target plannedTarget
	// state is that of the checkpoint which the plan was made from; nil if the job does
	// not append rows, so that the plan does not depend on the checkpoint.
	state *state
	dim   string // along which the job appends rows, now or later; "" for none
	// nothing is set if the target has all rows of the source. unchanged are the arrays
	// of the target that do not have the dimension, and are those of the source.
	nothing   bool
	unchanged []string
	// otherwise is the error of a source that is not the one of an interrupted run which
	// appended rows, as long as there is something to append; nil: it is the same.
	otherwise error
}

// Limits are the limits of requests to the stores of a plan: those that it reads
// from, and the target with the checkpoint. Those of the lock are apart and have no
// budget: its few requests must not wait for all the others, or it is lost.
type Limits struct{ Source, Target, Lock *limits.Limits }

// Requests are those that a plan has made since its source was opened, to remote
// stores alone.
type Requests struct {
	Source limits.Traffic `json:"source"`
	Target limits.Traffic `json:"target"` // and the checkpoint with its lock
}

// Requests returns the counts so far. It may be called while the plan runs.
func (p *Plan) Requests() Requests {
	return Requests{p.Limits.Source.Traffic(), p.Limits.Target.Traffic().Plus(p.Limits.Lock.Traffic())}
}

// Array is one array of a plan.
type Array struct {
	Source string      // path in the source
	Target string      // path in the target
	Type   dtype.Type  // of the source's elements
	Meta   *zarr.Array // as it will be written
	// Grid is that of the objects that are written: Meta's, or where rows are
	// appended that of the rows from the first such object on.
	Grid *zarr.Grid
	// Append says what comes to an array that is there; nil: it is a new one.
	Append *Append
	Chain  *codecs.Chain
	// Reason says why the source's objects do not become the target's as they
	// are; "" where they do.
	Reason string
	*Reading
	// Notes tell decisions: where the fill value is from, what could not be
	// kept as it was.
	Notes []string

	array    sources.Array
	stored   sources.Stored    // its objects, nil where they do not stay as they are
	convert  sources.Converter // of its elements, nil where they stay
	Existing *target.Existing  // what the target holds of it, nil for a new array
	// removed are attributes that say what values mean, and that the job removes.
	removed zarr.Attributes
}

// Reading is how an array is read. Arrays that are read alike share one.
type Reading struct {
	// Block is the shape, in chunks, of the boxes that are read together; nil for
	// objects that stay as they are.
	Block []int
	// AtOnce is how many chunks of a block are encoded at the same time; 0: all.
	AtOnce int
	// Decodes is how many source chunks are decoded, and SourceChunks how many
	// there are; both are 0 where the source stores no chunks.
	Decodes, SourceChunks int
	// DecodeOnce is the least run.memory with which each is decoded once; 0 where
	// that is so already, or cannot be.
	DecodeOnce int
	// OnceChunks are chunks smaller than those of Meta with which each source
	// chunk is decoded once in the run.memory that there is, nil where none are
	// known or needed.
	OnceChunks []int
	// Cost is the most bytes in flight for one block.
	Cost int
}

// Append says how an array that is in the target grows.
type Append struct {
	Dimension string // along which it grows
	Axis      int    // number of that dimension
	Rows      int    // there are
	New       int    // come to them
	// Rewritten is how many of the objects hold rows that are there, too.
	Rewritten int

	place sinks.Placement // of the chunks of the plan
}

// Place is where the chunks of the array go in the target; the zero value puts them
// where those of a new array go.
func (a *Array) Place() sinks.Placement {
	if a.Append == nil {
		return sinks.Placement{}
	}
	return a.Append.place
}

// Key is the key of the object of a unit in the target.
func (a *Array) Key(unit int) string {
	return path.Join(a.Target, a.Place().Key(a.Grid.Index(unit)))
}

// share has the array take from another one what both have alike: thousands of arrays
// are mostly read in one way, with the same notes.
func (a *Array) share(other *Array) {
	if reflect.DeepEqual(a.Reading, other.Reading) {
		a.Reading = other.Reading
	}
	if slices.Equal(a.Notes, other.Notes) {
		a.Notes = slices.Clip(other.Notes) // each may get notes of its own
	}
}

// Chunks is the number of objects that are to be stored, those with only the
// fill value counted.
func (a *Array) Chunks() int { return a.Grid.Len() }

// Bytes is the size of the elements in these objects, as they are in the source.
func (a *Array) Bytes() int64 {
	n, _ := ndarray.Bytes(a.Type, a.Grid.Shape)
	return int64(n)
}

// Sparse is the array of the source if it tells where something is stored, else nil.
func (a *Array) Sparse() sources.Sparse { return sources.AsSparse(a.array) }

// elements is the array of the source with elements as they are stored.
func (a *Array) elements() sources.Array {
	if a.convert == nil {
		return a.array
	}
	return sources.Converted(a.array, a.convert, a.Chain.Chunk().Type)
}

// SourceChanged fails when the source is no longer what it was when it was opened.
func (p *Plan) SourceChanged(ctx context.Context) error { return p.source.Changed(ctx) }

// MadeFrom reports whether a checkpoint with these two documents still says what the plan
// was made from. A plan that appends no rows does not depend on the checkpoint.
func (p *Plan) MadeFrom(manifest, done json.RawMessage) bool {
	return p.state == nil || p.state.same(&state{manifest: manifest, done: done})
}

// Losses lists what values lose on their way to the target: by the conversion to
// another data type, and by the codecs. Objects that stay as they are lose nothing.
func (a *Array) Losses() []codecs.Loss {
	var list []codecs.Loss
	if a.stored != nil {
		return nil
	}
	if convert, ok := a.convert.(codecs.Lossy); ok {
		for _, l := range convert.Losses() {
			l.Name = "data_type"
			list = append(list, l)
		}
	}
	return append(list, a.Chain.Losses()...)
}

// Close closes the plan's sources.
func (p *Plan) Close() error { return errors.Join(p.source.Close(), p.target.close()) }

// Unchanged lists the arrays of the target that do not have the dimension to
// append along, and are those of the source.
func (p *Plan) Unchanged() []string { return p.unchanged }

// Nothing reports whether a plan to append finds all rows of the source in the
// target.
func (p *Plan) Nothing() bool { return p.nothing }

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

// builder decides everything about one array of a plan and gathers what is
// wrong with it.
type builder struct {
	plan    *Plan
	env     Environment
	chains  *codecs.Chains // that the plan has bound, which equal arrays share
	array   sources.Array
	info    *sources.Info
	name    string // that the array gets with its dimension; "": none
	options jobfile.ArrayOptions
	field   string // of the options, for messages
	base    base   // of the array in the target
	bounds  bool   // of a coordinate that is planned, too
	// coordinate says that another array names this one as a coordinate.
	coordinate bool

	// convert changes the source's elements to the type stored, nil where they
	// are of it.
	convert sources.Converter
	// outcome is what packed elements become whose codecs say what they mean,
	// else nil.
	outcome *cf.Outcome

	// removed are attributes that say what values mean, and that the job removes.
	removed  zarr.Attributes
	notes    []string
	problems jobfile.Problems
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
