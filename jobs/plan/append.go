package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/target"
	zarrsource "github.com/zmigrate/zmigrate/sources/zarr"
	"github.com/zmigrate/zmigrate/stages"
	"github.com/zmigrate/zmigrate/zarr"
)

// ErrOvertaken is the cause of an error about a plan that another run has made void. A
// new plan goes on from what that run has left.
var ErrOvertaken = fmt.Errorf("another run has appended to it since this one was planned: %w", stages.ErrStopped)

// Overtaken returns an error for a target that another run has changed. Its cause is
// [ErrOvertaken].
func Overtaken(target string) error { return fmt.Errorf("target %s: %w", target, ErrOvertaken) }

// overtaken returns the error to report if making a plan has failed. It is the error that
// says why another run works on the target, or has worked on it in the meantime; otherwise
// it is failed.
func (p *Plan) overtaken(ctx context.Context, env environment.Environment, failed error) error {
	if p.state == nil {
		return failed
	}
	if p.otherwise != nil && !errors.Is(failed, p.otherwise) {
		failed = errors.Join(p.otherwise, failed)
	}
	now, owner, err := environment.ReadState(ctx, p.Job, env, p.Limits.Target)
	same := err == nil && p.state.Same(now)
	switch {
	case err != nil || same && (owner == nil || now.Done != nil):
		return failed
	case owner != nil: // another run is at work, perhaps on what this plan found
		return owner
	default:
		return Overtaken(p.Job.Target.URL)
	}
}

// openTarget chooses the target of the plan. It is a Growth if the job appends rows
// and the hierarchy exists. A hierarchy that is missing, or that the first run has not
// completed, is created.
func (p *Plan) openTarget(ctx context.Context, env environment.Environment) (err error) {
	if p.Job.Target.Existing != "append" {
		return nil
	}
	if p.dim, err = p.dimension(ctx); err != nil {
		return err
	}
	if p.state, _, err = environment.ReadState(ctx, p.Job, env, p.Limits.Target); err != nil {
		return err
	}
	g := &Growth{Dimension: p.dim, packed: map[string]bool{}, met: map[string]bool{}}
	begun, err := g.recall(p.state)
	if err != nil {
		return err
	}
	if p.repeats {
		begun = g.completed
	}
	if err := p.filesOf(ctx, begun); err != nil {
		return err
	}
	if p.repeats && g.completed != nil {
		g.repeat()
		if g.Begun == nil {
			return nil // the last run was the first one
		}
	}
	if p.state.Manifest != nil && g.Begun == nil {
		return nil // the first run was interrupted
	}
	if g.store, err = store.Open(ctx, p.Job.Target.URL, env.StoreOptions(p.Job, p.Limits.Target)); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	exists, err := g.exists(ctx)
	if err == nil && !exists && (g.Begun != nil || p.state.Done != nil) {
		err = fmt.Errorf("the Zarr hierarchy of which the checkpoint tells is gone: put it back, or delete the checkpoint to begin anew")
	}
	if err != nil || !exists {
		if err != nil {
			err = fmt.Errorf("target %s: %w", g.store.URL(), err)
		}
		return errors.Join(err, g.store.Close())
	}
	g.target, err = zarrsource.Open(ctx, p.Job.Target.URL, zarrsource.Options{
		Store: env.StoreOptions(p.Job, p.Limits.Target), Codecs: env.Codecs,
		Kept: func(path string, _ dtype.Type) bool { return g.packed[path] },
	})
	if err != nil {
		return errors.Join(err, g.close())
	}
	p.target = g
	return nil
}

// filesOf leaves files out of the source that an interrupted run did not have. They came
// later and have their turn when that run is complete. filesOf does nothing if the job does
// not leave out rows that the target has. begun is the manifest of the interrupted run, or
// nil.
func (p *Plan) filesOf(ctx context.Context, begun *manifest.Manifest) error {
	if begun == nil || !p.Job.Target.LeavesOut() {
		return nil
	}
	had := make(map[string]bool, len(begun.Files))
	for _, f := range begun.Files {
		had[manifest.NameOf(f)] = true
	}
	r := p.request
	r.URLs, r.From = nil, nil
	i := 0
	for f := range p.Files() {
		if i < len(p.request.URLs) && had[manifest.NameOf(f)] {
			r.URLs, r.From = append(r.URLs, p.request.URLs[i]), append(r.From, p.request.From[i])
		}
		i++
	}
	waiting := len(p.request.URLs) - len(r.URLs)
	if i != len(p.request.URLs) || waiting == 0 || len(r.URLs) == 0 {
		return nil
	}
	source, err := p.Job.Driver().Open(ctx, r)
	if err != nil {
		return err
	}
	old := p.source
	p.source, p.request, p.waiting, p.plain, p.fileCount = source, r, waiting, nil, 0
	return old.Close()
}

// waits warns of files that are appended only after an interrupted run is complete.
func (p *Plan) waits() jobfile.Problems {
	if p.waiting == 0 {
		return nil
	}
	w := p.Job.Problem("source.url", fmt.Sprintf("an earlier run was interrupted: it is completed first, with the %d files that it had, and %d files that came later are appended then", len(p.request.URLs), p.waiting), "")
	w.Warning, w.Code = true, "append-waits"
	return jobfile.Problems{w}
}

// goesOn sets p.otherwise if a run was interrupted whose job or files were others. Before
// that run is complete, nothing else can be appended.
func (g *Growth) goesOn(p *Plan) {
	if g.Begun == nil {
		return
	}
	is := &manifest.Manifest{Job: p.Job.Normalised(), Files: slices.Collect(p.Files())}
	if list := is.OtherInputs(g.Begun); len(list) > 0 {
		p.otherwise = &environment.ChangedError{Checkpoint: p.state.Checkpoint, Appends: true, Differences: list}
	}
}

// review implements [plannedTarget].
func (g *Growth) review(ctx context.Context, p *Plan, coordinates map[string]string) (jobfile.Problems, error) {
	g.goesOn(p)
	ragged, err := g.ragged(ctx, p)
	if err != nil {
		return nil, err
	}
	return slices.Concat(ragged, g.sameBounds(p, coordinates), g.sameRemoved(p)), nil
}

// meet implements [plannedTarget]. The options that the job leaves open are those of the
// existing array.
func (g *Growth) meet(ctx context.Context, b *builder) error {
	t := &target.Existing{Path: b.path(), Source: b.info.Path, Axis: -1}
	g.met[t.Path] = true
	var err error
	t.Text, err = g.store.ReadAll(ctx, path.Join(t.Path, zarr.MetadataKey), zarr.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		b.problems = append(b.problems, b.plan.Job.Problem(b.field, fmt.Sprintf("array %q: the target has no array %q, whose earlier rows would be missing", b.info.Path, t.Path),
			"leave it out with source.exclude, or migrate all of it to the target first"))
		return nil
	}
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	if t.Meta, err = zarr.ParseArray(t.Text, b.env.Codecs.Types()); err != nil {
		return fmt.Errorf("target: array %q: %w", t.Path, err)
	}
	g.packed[t.Path] = b.info.Packing != nil
	if t.Array, err = g.target.Array(ctx, t.Path); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	names := t.Meta.DimensionNames
	if names == nil && len(b.info.Shape) == len(t.Meta.Grid.Shape) {
		names = b.info.DimensionNames
	}
	if t.Axis = slices.Index(names, g.Dimension); t.Axis >= 0 {
		err = g.measure(t, names)
	}
	if err != nil {
		return fmt.Errorf("target %s: array %q: %w", g.store.URL(), t.Path, err)
	}
	g.leaveOut(b, t)
	if err := g.rebaseToTarget(ctx, b, t.Meta.Attributes, t.Meta.Type); err != nil {
		return err
	}
	b.base, b.existingCodecs = existingArray{t}, t.Meta.Codecs
	b.shapes().Follow(t.Array.Info())
	b.options = follow(t, b.options, b.env.Codecs)
	return nil
}

// measure sets t.Rows to the number of rows that the target had before this run, or before
// the interrupted run that this one completes.
func (g *Growth) measure(t *target.Existing, names []string) error {
	if slices.Contains(names[t.Axis+1:], g.Dimension) {
		return fmt.Errorf("it has the dimension %q twice and cannot grow along it", g.Dimension)
	}
	if t.Meta.Grid.Runs != nil {
		return fmt.Errorf("it has chunks of several sizes: only arrays with regular chunks can be appended to")
	}
	t.Rows = t.Meta.Grid.Shape[t.Axis]
	seen := t.Array.Info().Shape[t.Axis]
	if g.Begun != nil {
		a := g.Begun.Array(t.Path)
		if a == nil {
			return fmt.Errorf("the run that was interrupted did not append to it")
		}
		t.Undigested = a.Undigested
		return wasBegun(t, *a, seen)
	}
	if t.Rows != seen {
		return fmt.Errorf("%s says that there are %d rows along %s, the consolidated metadata %d: consolidate the metadata of the target anew", zarr.MetadataKey, t.Rows, g.Dimension, seen)
	}
	t.Undigested = t.Rows > 0 && !g.knowsDigests(t)
	return nil
}

// knowsDigests reports whether the record of the last run has the digest of all rows of an
// array.
func (g *Growth) knowsDigests(t *target.Existing) bool {
	if g.completed == nil || !g.digested[t.Path] {
		return false
	}
	a := g.completed.Array(t.Path)
	rows, err := a.RowsAfter(t.Axis)
	return err == nil && rows == t.Rows
}

// wasBegun does what measure does for an array to which an interrupted run appended. The
// document of the array has either the number of rows from before that run, or the number
// that the run was to reach. Any other number is an error.
func wasBegun(t *target.Existing, m manifest.Array, seen int) error {
	grown, err := m.RowsAfter(t.Axis)
	if err != nil {
		return err
	}
	is := t.Meta.Grid.Shape[t.Axis]
	switch t.Rows = m.Rows; {
	case t.Rows > seen || t.Rows > is:
		return fmt.Errorf("it has become shorter than the %d rows that it had when the interrupted run began: put it back as it was, or delete the checkpoint and append anew", t.Rows)
	case is != t.Rows && is != grown:
		return fmt.Errorf("it has %d rows, but the interrupted run was to make %d of %d: something else has appended rows, and going on would overwrite them; delete the checkpoint, which gives up what was begun, and append anew",
			is, grown, t.Rows)
	}
	return nil
}
