package plan

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/target"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/stages"
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
type Limits struct{ Source, Target, Lock *store.Limits }

// Requests are those that a plan has made since its source was opened, to remote
// stores alone.
type Requests struct {
	Source store.Traffic `json:"source"`
	Target store.Traffic `json:"target"` // and the checkpoint with its lock
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
	stored   sources.Stored   // its objects, nil where they do not stay as they are
	convert  stages.Converter // of its elements, nil where they stay
	Existing *target.Existing // what the target holds of it, nil for a new array
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

// Place is where the chunks of the array go in the target; the zero value puts them
// where those of a new array go.
func (a *Array) Place() sinks.Placement {
	if a.Append == nil {
		return sinks.Placement{}
	}
	return a.Append.place
}

// share has the array take from another one what both have alike: thousands of arrays
// are mostly read in one way, with the same notes.
func (a *Array) share(other *Array) {
	if reflect.DeepEqual(a.Reading, other.Reading) {
		a.Reading = other.Reading
	}
	if slices.Equal(a.Notes, other.Notes) {
		a.Notes = other.Notes
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

// SourceChanged fails when the source is no longer what it was when it was opened.
func (p *Plan) SourceChanged(ctx context.Context) error { return p.source.Changed(ctx) }

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

// New opens the job's sources and decides everything that can be decided
// without reading data; some chunks are read where codecs may refuse values. The
// error is Problems where the job is at fault, with everything that is wrong at
// once.
func New(ctx context.Context, j *jobfile.Job, env Environment) (*Plan, error) {
	limits := Limits{store.NewLimits(j.Run.PerSecond), store.NewLimits(j.Run.PerSecond), store.NewLimits(0)}
	source, err := openSource(ctx, j, env, limits.Source)
	if err != nil {
		return nil, err
	}
	p := &Plan{Job: j, source: source, Limits: limits, target: creation{}, Groups: map[string]zarr.Attributes{}}
	if err := p.build(ctx, env); err != nil {
		return nil, errors.Join(p.overtaken(ctx, env, err), p.Close())
	}
	return p, nil
}

// Close closes the plan's sources.
func (p *Plan) Close() error { return errors.Join(p.source.Close(), p.target.close()) }

// build does what New does with the sources that it has opened. First all
// that the job is at fault for is gathered, then target and data are looked into.
func (p *Plan) build(ctx context.Context, env Environment) error {
	if err := p.openTarget(ctx, env); err != nil {
		return err
	}
	paths := p.source.Arrays()
	opened, left, err := p.openArrays(ctx, paths)
	if err != nil {
		return err
	}
	empty := p.emptyGroups(left)
	problems := slices.Concat(p.Job.Unmatched(paths, empty...), p.leftOut(left), p.grows(opened))
	coordinates, dimensions := coordinatesOf(opened), newDimensions(paths)
	chains := codecs.NewChains(env.Codecs)
	p.Arrays = make([]Array, 0, len(paths))
	for i, name := range paths {
		if opened[i] == nil {
			continue
		}
		b := builder{plan: p, env: env, chains: chains, array: opened[i], base: newArray{}, bounds: coordinates[name] != ""}
		wrong, err := p.planArray(ctx, &b, name, dimensions)
		if err != nil {
			return err
		}
		problems = append(problems, wrong...)
	}
	if len(p.Arrays) == 0 && problems.Err() == nil {
		none := p.Job.Problem("source", "nothing to migrate: the source has no array that the job selects",
			"arrays there: "+jobfile.Clip(strings.Join(paths, ", "), 200))
		if warnings := p.leftOut(left); len(warnings) > 0 {
			none.Hint = warnings[0].Message
		}
		problems = append(problems, none)
	}
	reviewed, err := p.target.review(ctx, p, coordinates)
	if err != nil {
		return err
	}
	groups, err := p.groups(empty)
	if err != nil {
		return err
	}
	problems = slices.Concat(problems, p.clashes(), p.collisions(), groups, reviewed)
	problems.Sort()
	if err := problems.Err(); err != nil {
		return err
	}
	p.Findings = problems
	if err := p.apart(); err != nil {
		return err
	}
	if err := p.around(ctx, env); err != nil {
		return err
	}
	if err := p.target.check(ctx, p, env.Codecs); err != nil {
		return err
	}
	p.Findings = append(p.Findings, p.partial()...)
	return p.sample(ctx)
}

// planArray adds an array of the source to the plan by the builder that has it, unless
// something is wrong with it.
func (p *Plan) planArray(ctx context.Context, b *builder, name string, dimensions map[string]string) (jobfile.Problems, error) {
	if p.Job.Source.Driver == "raw" { // the others do so by themselves
		mode, field := cfMode(p.Job, name)
		packed, err := sources.Packed(b.array, mode, nil)
		if err != nil {
			return jobfile.Problems{p.Job.Problem(field, err.Error(), "cf: keep copies packed values and their attributes")}, nil
		}
		b.array = packed
	}
	b.info = withDimensions(b.array.Info(), dimensions)
	b.options, b.field = p.Job.Options(name)
	if err := p.target.meet(ctx, b); err != nil {
		return nil, err
	}
	planned, problems := b.build()
	if planned == nil {
		return problems, nil
	}
	if n := len(p.Arrays); n > 0 {
		planned.share(&p.Arrays[n-1])
	}
	p.Arrays = append(p.Arrays, *planned)
	return problems, nil
}

// openArrays opens the arrays that the job selects, several at once; the others
// are nil. Those that are left out, with the reasons, lead to no array or, where the job
// says so, are beyond this program, and the job does not name them. The error tells of
// all that cannot be opened, in their order.
func (p *Plan) openArrays(ctx context.Context, paths []string) (arrays []sources.Array, left map[string]error, err error) {
	arrays, left = make([]sources.Array, len(paths)), map[string]error{}
	faults := make([]error, len(paths))
	err = sources.InParallel(ctx, len(paths), func(ctx context.Context, i int) error {
		if p.Job.Selected(paths[i]) {
			arrays[i], faults[i] = p.source.Array(ctx, paths[i])
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	var wrong []arrayFault
	for i, err := range faults {
		switch {
		case err == nil:
		case errors.Is(err, sources.ErrNoArray) && !p.Job.Names(paths[i]):
			left[paths[i]] = err
		case sources.Unsupported(err) && p.Job.Source.Unsupported == "skip" && !p.Job.Names(paths[i]):
			left[paths[i]] = err
		case sources.Unsupported(err):
			wrong = append(wrong, arrayFault{paths[i], err}.unsupported(p.Job))
		default:
			wrong = append(wrong, arrayFault{paths[i], err})
		}
	}
	if len(wrong) > 0 && store.Passing(wrong[0].err) {
		return nil, nil, wrong[0].error() // the others say the same of the store
	}
	return arrays, left, folded(wrong)
}

// coordinatesOf returns the paths of coordinates by those of their bounds, among
// arrays of which some are nil.
func coordinatesOf(arrays []sources.Array) map[string]string {
	return compare.BoundsOf(func(yield func(*sources.Info) bool) {
		for _, a := range arrays {
			if a != nil && !yield(a.Info()) {
				return
			}
		}
	})
}

// clashes finds arrays that would be written to the same place, or below
// another array.
func (p *Plan) clashes() jobfile.Problems {
	var list jobfile.Problems
	from := map[string]string{}
	for _, a := range p.Arrays {
		_, field := p.Job.Options(a.Source)
		if other, taken := from[a.Target]; taken {
			list = append(list, p.Job.Problem(field, fmt.Sprintf("arrays %q and %q would both become %q", other, a.Source, a.Target),
				"give one of them another name with rename"))
		}
		from[a.Target] = a.Source
	}
	free := map[string]bool{} // groups that lie in no array
	for i := range p.Arrays {
		a, inside := &p.Arrays[i], false
		for at, ok := zarr.Parent(a.Target); ok && !free[at]; at, ok = zarr.Parent(at) {
			if other, taken := from[at]; taken {
				inside = true
				_, field := p.Job.Options(a.Source)
				list = append(list, p.Job.Problem(field, fmt.Sprintf("array %q would lie inside of array %q", a.Source, other), "rename one of them"))
			}
		}
		for at, ok := zarr.Parent(a.Target); ok && !free[at] && !inside; at, ok = zarr.Parent(at) {
			free[at] = true
		}
	}
	return list
}

// Task is an array of the plan as a task for the stages, without what tells where it
// goes.
func (p *Plan) Task(a *Array) stages.Task {
	return stages.Task{
		Path: a.Target, Source: a.array, Stored: a.stored, Piece: carriedPiece(p.Job), Convert: a.convert, Grid: *a.Grid, First: a.Place().First, Chain: a.Chain,
		Block: a.Block, AtOnce: a.AtOnce, KeepEmpty: p.Job.Target.StoreEmptyChunks, StreamBytes: store.WriterBytes(p.Job.Target.URL, PartsAtOnce(&p.Job.Run), a.Chain.Size().Max),
	}
}

// carriedPiece is the size of the pieces in which objects are carried through, 0
// for the usual one. Where each piece is no request, small ones are faster: they
// are still in the processor's cache when they are written.
func carriedPiece(j *jobfile.Job) int {
	remote := func(l jobfile.Location) bool { return !store.Local(l.URL) }
	if !store.Local(j.Target.URL) || slices.ContainsFunc(j.Source.Locations, remote) {
		return 0
	}
	return 512 << 10
}

// PartsAtOnce is how many parts of one large object are in memory at the same time, one
// that is being collected and the others on their way to the target: as many as
// make up for the time that a server takes to answer, in a sixteenth of the memory.
func PartsAtOnce(r *jobfile.Run) int {
	const most = 4
	return int(min(max(r.Memory/16/store.PartBytes, 1), most))
}
