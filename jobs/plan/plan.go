package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
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
	// Lock is how the lock of a far checkpoint looked; nil: nobody has looked, or could.
	Lock *journal.Seen
	// Findings are warnings. Anything worse is an error of planning.
	Findings jobfile.Problems
	// Took is how long making the plan took.
	Took time.Duration

	source sources.Source
	Limits environment.Limits
	target plannedTarget
	// state is the state of the checkpoint from which the plan was made. It is nil if the
	// job does not append rows: then the plan does not depend on the checkpoint.
	state *environment.State
	dim   string // the dimension along which the job appends rows, now or later; "": it does not
	// ownNames is set if an earlier version of this program has made or begun the target, and
	// did not change OME-NGFF metadata.
	ownNames bool
	// recorded are the arrays in a checkpoint, by their paths in the target, once
	// plannedEarlier has read them.
	recorded map[string]recordedArray
	// fileCount is the number of files of the source, once something has asked for it.
	fileCount int
	// request is what source was opened with. waiting is the number of files that the job
	// has, too, and that another plan appends.
	request sources.Request
	waiting int
	// plain tells which files of the source, in their order, are absolute local paths
	// without links. It may be shorter than the source has files: of the others it is not
	// known.
	plain []bool
	// repeats is set for the plan of a run that has completed, see Repeat.
	repeats bool
	// nothing is set if the target has all rows of the source. unchanged are the arrays
	// of the target that do not have the dimension, and that equal those of the source.
	nothing   bool
	unchanged []string
	// otherwise is an error of a plan that has rows to append: an earlier run was
	// interrupted while it appended, and its source was another one. nil: there is no
	// such error.
	otherwise error
}

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

// Resident returns the bytes of run.memory that the source keeps as long as it is open.
func (p *Plan) Resident() int64 { return p.request.Resident.Bytes() }

// residentFits refuses a source that leaves less than half of run.memory to chunks.
func (p *Plan) residentFits() jobfile.Problems {
	const mib = 1 << 20
	resident := p.Resident()
	if resident <= p.Job.Run.Memory/2 {
		return nil
	}
	return jobfile.Problems{p.Job.Problem("run.memory",
		fmt.Sprintf("the source keeps %s in memory, such as its table of references, and run.memory is %s: half of it must be left for chunks", words.Size(resident), words.Size(p.Job.Run.Memory)),
		fmt.Sprintf("raise run.memory to %dMiB", (2*resident+mib-1)/mib))}
}

// Memory returns the bytes of run.memory that are left for chunks.
func (p *Plan) Memory() int64 { return p.Job.Run.Memory - p.Resident() }

// Repeats reports whether the plan is that of a run that has completed, see [Repeat].
func (p *Plan) Repeats() bool { return p.repeats }

// seeLock looks at the lock of a far checkpoint, so that the run need not.
func (p *Plan) seeLock(ctx context.Context, env environment.Environment) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	url, err := p.Job.CheckpointURL()
	if err != nil || !store.Far(url) {
		return
	}
	opt := env.StoreOptions(p.Job, p.Limits.Lock)
	opt.Retries = -1
	st, err := store.Open(ctx, url, opt)
	if err != nil {
		return // the run says so
	}
	if seen, err := journal.See(ctx, st); err == nil {
		p.Lock = seen
	}
	_ = st.Close() // nothing was written
}

// lookTime bounds the look at the lock. So a plan does not wait for a store that does not answer.
const lookTime = 5 * time.Second

// countFiles counts the files of the source.
func (p *Plan) countFiles() int {
	if p.fileCount == 0 {
		for range p.source.Files() {
			p.fileCount++
		}
	}
	return p.fileCount
}

// SourceChanged returns an error if the source has changed since it was opened.
func (p *Plan) SourceChanged(ctx context.Context) error { return p.source.Changed(ctx) }

// MadeFrom reports whether the plan was made from a checkpoint with these two documents. A
// plan that appends no rows does not depend on the checkpoint.
func (p *Plan) MadeFrom(manifest, done json.RawMessage) bool {
	return p.state == nil || p.state.Same(&environment.State{Manifest: manifest, Done: done})
}

// Close closes the plan's sources.
func (p *Plan) Close() error { return errors.Join(p.source.Close(), p.target.close()) }

// Unchanged lists the arrays of the target that do not have the dimension to append along,
// and that equal those of the source.
func (p *Plan) Unchanged() []string { return p.unchanged }

// Nothing reports whether the target already has all rows that the plan would append.
func (p *Plan) Nothing() bool { return p.nothing }

// Waiting is the number of files of the job that the plan leaves to another plan, which is
// made when this one is done: a run over the other files was interrupted, and is completed
// first.
func (p *Plan) Waiting() int { return p.waiting }

// recordedArray is what a checkpoint tells of an array.
type recordedArray struct {
	digest  string // of its metadata
	carried bool   // whether the objects of the source are carried through
}

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
	// overlap finds the rows of the source that the target has, and that meet leaves out.
	// Of the opened arrays some are nil. one adds the array at an index to the plan.
	overlap(ctx context.Context, p *Plan, opened []sources.Array, one func(i int) (jobfile.Problems, error)) error
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
	// describe adds to a manifest what the target was before the run. begun is the manifest of
	// a run that appended rows and was interrupted, or nil.
	describe(m *manifest.Manifest) (begun *manifest.Manifest)
	close() error
}

// builder decides everything about one array of a plan and gathers what is
// wrong with it.
type builder struct {
	plan    *Plan
	env     environment.Environment
	chains  *codecs.Chains // chains of the plan; equal arrays share one
	array   sources.Array
	info    *sources.Info
	name    string // the new name, if the job renames the dimension of this coordinate; "": none
	options jobfile.ArrayOptions
	field   string // of the options, for messages
	base    base   // of the array in the target
	// boundsOf is the path of the planned coordinate of which this array holds the bounds;
	// "": the array holds no bounds.
	boundsOf       string
	existingCodecs []codecs.Spec // of the array in the target; nil if there is none
	// coordinate says that another array names this one as a coordinate.
	coordinate bool
	// times are the dimensions whose coordinates are times of CF.
	times map[string]bool
	// earlier makes build choose chunks and codecs as earlier versions of this program did.
	// chose is set if those choices would differ.
	earlier, chose bool
	// keepsFill makes build keep a _FillValue that no element is equal to, and a missing_value
	// that is NaN alone, as earlier versions did.
	keepsFill bool
	// ownNames makes build leave out the names that axes of OME-NGFF metadata give to
	// dimensions, as earlier versions did.
	ownNames bool
	// encodes makes carry carry nothing through. Earlier versions took codecs of different
	// names for different codecs, and encoded chunks anew.
	encodes bool

	// convert converts the source's elements to the stored type. nil: they have that type.
	convert sources.Converter
	// outcome describes an array of packed elements whose codecs say what the elements
	// mean. nil: the array is not of this kind.
	outcome *cf.Outcome

	// removed are attributes that say what values mean, and that the job removes.
	removed  zarr.Attributes
	notes    []string
	problems jobfile.Problems
}

// base is what the target holds of an array before the run: an [existingArray], or nothing,
// which is a [newArray].
type base interface {
	// fits reports a data type or a shape that the existing array cannot take.
	fits(b *builder, t dtype.Type)
	// fill returns the fill value of an existing array.
	fill() (value dtype.Scalar, exists bool)
	// complete finishes a planned array whose metadata and chain are known.
	complete(b *builder, a *Array)
}
