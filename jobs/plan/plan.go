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

// Plan is a job with everything decided, for its sources as they were when the plan was
// made. Making a plan writes nothing. A plan is immutable. Whoever holds it closes it after
// the run.
type Plan struct {
	Job    *jobfile.Job
	Arrays []Array // in the order of the source
	// Groups are the groups of the target that the source has, too, by their paths.
	// EmptyGroups are the paths of those groups that hold no array.
	Groups      map[string]zarr.Attributes
	EmptyGroups []string
	// Unlisted is the URL of the outermost group around the target that has consolidated
	// metadata. A run does not add its arrays to them. "": there is no such group.
	Unlisted string
	// Findings are warnings. Anything worse is an error of planning.
	Findings jobfile.Problems

	source sources.Source
	Limits Limits
	target plannedTarget
	// state is the state of the checkpoint from which the plan was made. It is nil if the
	// job does not append rows: then the plan does not depend on the checkpoint.
	state *state
	dim   string // the dimension along which the job appends rows, now or later; "": it does not
	// recorded are the digests of the arrays in a checkpoint, by their paths in the target,
	// once plannedEarlier has read them.
	recorded map[string]string
	// fileCount is the number of files of the source, once something has asked for it.
	fileCount int
	// nothing is set if the target has all rows of the source. unchanged are the arrays
	// of the target that do not have the dimension, and that equal those of the source.
	nothing   bool
	unchanged []string
	// otherwise is an error of a plan that has rows to append: an earlier run was
	// interrupted while it appended, and its source was another one. nil: there is no
	// such error.
	otherwise error
}

// Limits are the limits of requests of a plan: to the stores that it reads from, to the
// target with the checkpoint, and to the lock. The lock has no request budget. If its few
// requests waited for all others, the run could lose the lock.
type Limits struct{ Source, Target, Lock *limits.Limits }

// Requests counts the requests to remote stores that a plan has made since its source was
// opened.
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
	Meta   *zarr.Array // the document that will be written
	// Grid is the grid of the objects that are written. For a new array, it is the grid
	// of Meta. If rows are appended, it begins with the first object that gets a new row.
	Grid *zarr.Grid
	// Append says what is appended to an existing array. nil: the array is new.
	Append *Append
	Chain  *codecs.Chain
	// Reason says why the source's objects are not carried through. "": they are.
	Reason string
	*Reading
	// Notes state decisions: where the fill value is from, what could not be kept as it
	// was.
	Notes []string

	array    sources.Array
	stored   sources.Stored    // the source's objects, if they are carried through; otherwise nil
	convert  sources.Converter // converts the source's elements; nil: they keep their type
	Existing *target.Existing  // the array that the target already holds; nil: the array is new
	// removed are attributes that give values their meaning, and that the job removes.
	removed zarr.Attributes
	rebased string // the units to which times were brought; "": none were
}

// Reading says how an array is read. Arrays that are read in the same way share one.
type Reading struct {
	// Block is the shape of a block in chunks: the chunks of a block are read together.
	// nil: the objects are carried through.
	Block []int
	// AtOnce is how many chunks of a block are encoded at the same time. 0: all.
	AtOnce int
	// Decodes is how many times a source chunk is decoded, over all source chunks.
	// SourceChunks is how many source chunks there are. Both are 0 if the source stores no
	// chunks.
	Decodes, SourceChunks int
	// DecodeOnce is the least run.memory with which each source chunk is decoded only
	// once. 0: that is so already, or no memory is enough.
	DecodeOnce int
	// OnceChunks is a shape of chunks, smaller than those of Meta. With it, each source
	// chunk would be decoded only once in the present run.memory. nil: no such shape is
	// known or needed.
	OnceChunks []int
	// Cost is the most bytes in flight for one block.
	Cost int
}

// Append says how an existing array grows.
type Append struct {
	Dimension string // the dimension along which the array grows
	Axis      int    // index of that dimension
	Rows      int    // number of rows that the target already holds
	New       int    // number of incoming rows
	// Rewritten is how many of the objects to be written also hold rows that the target
	// already holds.
	Rewritten int

	place sinks.Placement // of the chunks of the plan
}

// Place says where the chunks of the array are stored in the target. For a new array it is
// the zero value.
func (a *Array) Place() sinks.Placement {
	if a.Append == nil {
		return sinks.Placement{}
	}
	return a.Append.place
}

// Key returns the key of a unit's object in the target.
func (a *Array) Key(unit int) string {
	return path.Join(a.Target, a.Place().Key(a.Grid.Index(unit)))
}

// share takes what is equal in another array from there, to save memory: thousands of
// arrays are mostly read in the same way, and have the same notes.
func (a *Array) share(other *Array) {
	if reflect.DeepEqual(a.Reading, other.Reading) {
		a.Reading = other.Reading
	}
	if slices.Equal(a.Notes, other.Notes) {
		a.Notes = slices.Clip(other.Notes) // each may get notes of its own
	}
}

// Chunks returns the number of units. It includes units that hold only the fill value, for
// which no object is stored.
func (a *Array) Chunks() int { return a.Grid.Len() }

// Bytes returns the size of the elements in these units, with the source's data type.
func (a *Array) Bytes() int64 {
	n, _ := ndarray.Bytes(a.Type, a.Grid.Shape)
	return int64(n)
}

// Sparse returns the array of the source if it knows which of its regions are stored.
// Otherwise it returns nil.
func (a *Array) Sparse() sources.Sparse { return sources.AsSparse(a.array) }

// elements returns the array of the source, with elements of the type that the chain takes.
func (a *Array) elements() sources.Array {
	if a.convert == nil {
		return a.array
	}
	return sources.Converted(a.array, a.convert, a.Chain.Chunk().Type)
}

// SourceChanged returns an error if the source has changed since it was opened.
func (p *Plan) SourceChanged(ctx context.Context) error { return p.source.Changed(ctx) }

// MadeFrom reports whether the plan was made from a checkpoint with these two documents. A
// plan that appends no rows does not depend on the checkpoint.
func (p *Plan) MadeFrom(manifest, done json.RawMessage) bool {
	return p.state == nil || p.state.same(&state{manifest: manifest, done: done})
}

// Losses lists what values lose on their way to the target: by the conversion to another
// data type, and by the codecs. Objects that are carried through lose nothing.
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

// Unchanged lists the arrays of the target that do not have the dimension to append along,
// and that equal those of the source.
func (p *Plan) Unchanged() []string { return p.unchanged }

// Nothing reports whether the target already has all rows that the plan would append.
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
	// boundsOf is the path of the coordinate that is planned, too, whose bounds these are.
	boundsOf       string
	existingCodecs []codecs.Spec // of the array in the target; nil if there is none
	// coordinate says that another array names this one as a coordinate.
	coordinate bool
	// earlier makes the choices of programs that wrote older checkpoints; chose says that
	// those differ from what was chosen.
	earlier, chose bool

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
