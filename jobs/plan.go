package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/stages"
)

// Plan is what a job comes to over its sources as they are now: every array
// with everything decided, nothing written. It is immutable; its holder closes
// it, after the run.
type Plan struct {
	Job    *Job
	Arrays []PlannedArray // in the order of the source
	Groups map[string]zarr.Attributes
	Files  []sources.File
	// Findings are warnings; anything worse made planning fail.
	Findings Problems

	source sources.Source
}

// PlannedArray is one array of a plan.
type PlannedArray struct {
	Source string // path in the source
	Target string // path in the target
	Info   *sources.Info
	Meta   *zarr.Array // as it will be written
	Chain  *codecs.Chain
	// Reason says why the source's objects do not become the target's as they
	// are; "" where they do.
	Reason string
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
	// Notes tell decisions: where the fill value is from, what could not be
	// kept as it was.
	Notes []string

	array   sources.Array
	stored  sources.Stored   // its objects, nil where they do not stay as they are
	convert stages.Converter // of its elements, nil where they stay
}

// Chunks is the number of stored objects, those with only the fill value
// counted.
func (a *PlannedArray) Chunks() int { return a.Meta.Grid.Len() }

// Bytes is the size of the array's elements in the source.
func (a *PlannedArray) Bytes() int64 {
	n, _ := ndarray.Bytes(a.Info.Type, a.Meta.Grid.Shape)
	return int64(n)
}

// NewPlan opens the job's sources and decides everything that can be decided
// without reading data; some chunks are read where codecs may refuse values. The
// error is Problems where the job is at fault, with
// everything that is wrong at once.
func NewPlan(ctx context.Context, j *Job, env Environment) (*Plan, error) {
	source, err := openSource(ctx, j, env)
	if err != nil {
		return nil, err
	}
	p := &Plan{Job: j, source: source, Groups: map[string]zarr.Attributes{}}
	if err := p.build(ctx, env); err != nil {
		return nil, errors.Join(err, source.Close())
	}
	return p, nil
}

// Close closes the plan's sources.
func (p *Plan) Close() error { return p.source.Close() }

func (p *Plan) build(ctx context.Context, env Environment) error {
	paths := p.source.Arrays()
	problems := p.Job.Unmatched(paths)
	for _, name := range paths {
		if !p.Job.Selected(name) {
			continue
		}
		array, err := p.source.Array(ctx, name)
		if err != nil {
			return fmt.Errorf("array %q: %w", name, err)
		}
		if mode, field := p.Job.cfMode(name); p.Job.Source.Driver == "raw" { // the others do so by themselves
			if array, err = sources.Packed(array, mode, nil); err != nil {
				problems = append(problems, p.Job.Problem(field, err.Error(), "cf: keep copies packed values and their attributes"))
				continue
			}
		}
		b := builder{plan: p, env: env, array: array, info: array.Info()}
		b.options, b.field = p.Job.Options(name)
		planned, wrong := b.build()
		problems = append(problems, wrong...)
		if planned != nil {
			p.Arrays = append(p.Arrays, *planned)
		}
	}
	if len(p.Arrays) == 0 && problems.Err() == nil {
		problems = append(problems, p.Job.Problem("source", "nothing to migrate: the source has no array that the job selects",
			"arrays there: "+clip(strings.Join(paths, ", "), 200)))
	}
	problems = append(problems, p.clashes()...)
	problems.Sort()
	if err := problems.Err(); err != nil {
		return err
	}
	p.Findings = problems
	p.Files = p.source.Files()
	for _, f := range p.Files {
		if inside(f.URL, p.Job.Target.URL) {
			return Problems{p.Job.Problem("target.url", fmt.Sprintf("the source file %s lies inside the target", f.URL), "choose another place for the target")}
		}
	}
	p.groups()
	return p.sample(ctx)
}

// clashes finds arrays that would be written to the same place, or below
// another array.
func (p *Plan) clashes() Problems {
	var list Problems
	from := map[string]string{}
	for _, a := range p.Arrays {
		_, field := p.Job.Options(a.Source)
		if other, taken := from[a.Target]; taken {
			list = append(list, p.Job.Problem(field, fmt.Sprintf("arrays %q and %q would both become %q", other, a.Source, a.Target),
				"give one of them another name with rename"))
		}
		from[a.Target] = a.Source
	}
	for _, a := range p.Arrays {
		for at := a.Target; at != "" && at != "."; {
			at = path.Dir(at)
			if other, taken := from[strings.TrimPrefix(at, ".")]; taken && a.Target != "" {
				_, field := p.Job.Options(a.Source)
				list = append(list, p.Job.Problem(field, fmt.Sprintf("array %q would lie inside of array %q", a.Source, other), "rename one of them"))
			}
		}
	}
	return list
}

// groups keeps the attributes of the groups that hold a migrated array.
func (p *Plan) groups() {
	var targets []string
	for _, a := range p.Arrays {
		targets = append(targets, a.Source)
	}
	wanted := zarr.Parents(targets)
	for _, g := range p.source.Groups() {
		if slices.Contains(wanted, g.Path) {
			p.Groups[g.Path] = g.Attributes
		}
	}
}

// Tasks returns the plan's arrays as tasks for the stages; the caller sets
// Writer and Done.
func (p *Plan) Tasks() []stages.Task {
	tasks := make([]stages.Task, len(p.Arrays))
	for i := range p.Arrays {
		tasks[i] = p.Job.task(&p.Arrays[i])
	}
	return tasks
}

func (j *Job) task(a *PlannedArray) stages.Task {
	return stages.Task{
		Path: a.Target, Source: a.array, Stored: a.stored, Convert: a.convert, Grid: a.Meta.Grid, Chain: a.Chain,
		Block: a.Block, AtOnce: a.AtOnce, KeepEmpty: j.Target.StoreEmptyChunks, StreamBytes: store.WriterBytes(j.Target.URL),
	}
}

// Manifest is the plan as a checkpoint remembers it: what has to be the same
// for a run to go on where another one stopped.
type Manifest struct {
	Version int             `json:"version"`
	Job     json.RawMessage `json:"job"`
	Files   []sources.File  `json:"files"`
	Arrays  []ManifestArray `json:"arrays"`
	Hash    string          `json:"hash"` // SHA-256 of all the above
}

// ManifestArray is an array of a manifest. Receipts name it by its index.
type ManifestArray struct {
	Source string          `json:"source"`
	Target string          `json:"target"`
	Chunks int             `json:"chunks"`
	Meta   json.RawMessage `json:"metadata"`
	// Carried says that the source's objects become the target's as they are.
	Carried bool `json:"carried,omitempty"`
}

// Manifest returns the plan's manifest. The same job over the same sources
// gives the same one.
func (p *Plan) Manifest() (*Manifest, error) {
	m := &Manifest{Version: 1, Job: p.Job.Normalised()}
	for _, f := range p.Files {
		f.URL = relative(p.Job.Dir, f.URL)
		m.Files = append(m.Files, f)
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		meta, err := json.Marshal(a.Meta)
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", a.Source, err)
		}
		m.Arrays = append(m.Arrays, ManifestArray{Source: a.Source, Target: a.Target, Chunks: a.Chunks(), Meta: meta, Carried: a.stored != nil})
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	m.Hash = hex.EncodeToString(sum[:])
	return m, nil
}

// relative returns the path of a local file below a folder as seen from there,
// so that a folder with job, data and target can move as a whole.
func relative(dir, file string) string {
	absolute, err := filepath.Abs(dir)
	if err != nil || !filepath.IsAbs(file) {
		return file
	}
	if short, err := filepath.Rel(absolute, file); err == nil && filepath.IsLocal(short) {
		return filepath.ToSlash(short)
	}
	return file
}

// Differences names what has changed between the manifest of a checkpoint and
// this one.
func (m *Manifest) Differences(was *Manifest) []string {
	if m.Hash == was.Hash {
		return nil
	}
	list := Differences(was.Job, m.Job)
	before := map[string]sources.File{}
	for _, f := range was.Files {
		before[f.URL] = f
	}
	for _, f := range m.Files {
		old, known := before[f.URL]
		delete(before, f.URL)
		switch {
		case !known:
			list = append(list, fmt.Sprintf("source file %s is new", f.URL))
		case old.Size != f.Size:
			list = append(list, fmt.Sprintf("source file %s had %d bytes, has %d", f.URL, old.Size, f.Size))
		case !old.ModTime.Equal(f.ModTime):
			list = append(list, fmt.Sprintf("source file %s was last changed %s, now %s", f.URL, old.ModTime.UTC().Format(timeFormat), f.ModTime.UTC().Format(timeFormat)))
		case old.ETag != f.ETag:
			list = append(list, fmt.Sprintf("source file %s had the ETag %s, has %s", f.URL, old.ETag, f.ETag))
		}
	}
	for _, f := range was.Files {
		if _, gone := before[f.URL]; gone {
			list = append(list, fmt.Sprintf("source file %s is gone", f.URL))
		}
	}
	if len(m.Arrays) == len(was.Arrays) && len(list) == 0 {
		for i, a := range m.Arrays {
			if string(a.Meta) != string(was.Arrays[i].Meta) || a.Target != was.Arrays[i].Target {
				list = append(list, fmt.Sprintf("the metadata of array %q", a.Target))
			}
		}
	}
	if len(list) == 0 {
		// The same job over the same files came to another plan: only another
		// version of the program does that.
		list = append(list, "the plan, made by another version of zmigrate")
	}
	return list
}

const timeFormat = "2006-01-02T15:04:05.999999999Z07:00"

// sameElements reports whether elements of both types are the same bytes with
// the same meaning, so that one type may stand for the other without a change
// of values.
func sameElements(a, b dtype.Type) bool {
	return dtype.Same(a, b) || dtype.Opaque(a) && dtype.Opaque(b) && a.Size() == b.Size()
}
