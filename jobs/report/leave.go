package report

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/preview"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/verify"
	"github.com/zmigrate/zmigrate/stages"
)

// Run does what [run.Run] does, and leaves the report of the job in its checkpoint.
func Run(ctx context.Context, p *plan.Plan, env environment.Environment, opt run.Options) (*run.Result, error) {
	return leave(ctx, p, env, opt, func(opt run.Options) (*run.Result, error) { return run.Run(ctx, p, env, opt) })
}

// Finish does what [run.Finish] does, and leaves the report of the job in its checkpoint.
func Finish(ctx context.Context, p *plan.Plan, env environment.Environment, opt run.Options) (*run.Result, error) {
	return leave(ctx, p, env, opt, func(opt run.Options) (*run.Result, error) { return run.Finish(ctx, p, env, opt) })
}

// leave runs a plan and adds the run to the report, and before it an earlier run that has died.
// It does not add a run that had nothing to do, or that failed before its first chunk. If the
// report cannot be written, the run is done nevertheless, so leave only logs a warning.
func leave(ctx context.Context, p *plan.Plan, env environment.Environment, opt run.Options, do func(run.Options) (*run.Result, error)) (*run.Result, error) {
	began, begun, begin := time.Now(), false, opt.Begin
	opt.Begin = func(todo run.Progress) {
		begun = true
		if begin != nil {
			begin(todo)
		}
	}
	opt.Died = func(earlier journal.Owner, seen time.Time) {
		e := Entry{Command: CommandRun, Run: earlier.Run, Began: earlier.Started.UTC(), Seconds: seen.Sub(earlier.Started).Seconds(), Outcome: Died}
		lost(ctx, env, change(ctx, p.Job, env, func(d *Document) error {
			if !slices.ContainsFunc(d.History, func(known Entry) bool { return known.Run == e.Run }) {
				d.add(e)
			}
			d.Job, d.File = p.Job.Name, p.Job.File
			return nil
		}))
	}
	entry := func(result *run.Result, err error) Entry {
		e := Entry{Command: CommandRun, Run: opt.Owner.Run, Began: began.UTC(), Seconds: time.Since(began).Seconds(), Outcome: Done, Result: result}
		if opt.Repair != nil {
			e.Command = CommandRepair
		}
		switch {
		case errors.Is(err, stages.ErrStopped) || errors.Is(err, context.Canceled):
			e.Outcome = Stopped
		case err != nil:
			e.Outcome, e.Error = Failed, err.Error()
		default:
			e.Run, e.Requests = result.Run, result.Requests
		}
		if err != nil {
			e.Requests = p.Requests()
		}
		return e
	}
	record := func(d *Document, result *run.Result, err error) error {
		d.add(entry(result, err))
		d.Job, d.File = p.Job.Name, p.Job.File
		if result == nil {
			return nil
		}
		earlier := d.Migration
		d.Target, d.Verification = result.Target, nil
		if d.Migration, err = migrationOf(p, result); err == nil && earlier != nil && result.Dimension != "" {
			d.Migration.keep(earlier)
		}
		return err
	}
	written := false
	var o opened
	opt.Ending = func(ctx context.Context) func(context.Context, *run.Result) {
		var err error
		if o, err = openReport(ctx, p.Job, env); err != nil || ctx.Err() != nil {
			return nil // the report is read and written after the run
		}
		return func(ctx context.Context, result *run.Result) {
			written = true
			lost(ctx, env, o.change(ctx, func(d *Document) error { return record(d, result, nil) }))
		}
	}
	result, err := do(opt)
	if o.checkpoint != nil {
		lost(ctx, env, o.checkpoint.Close())
	}
	if err == nil && (result.Nothing || written) || err != nil && !begun {
		return result, err
	}
	lost(ctx, env, change(ctx, p.Job, env, func(d *Document) error {
		// A run whose lock could not be released has an entry already.
		if n := len(d.History); written && n > 0 && d.History[n-1].Began.Equal(began) {
			d.History = d.History[:n-1]
		}
		return record(d, result, err)
	}))
	return result, err
}

// lost warns if the report of a run could not be written.
func lost(ctx context.Context, env environment.Environment, err error) {
	if err != nil && env.Log != nil {
		env.Log.WarnContext(ctx, "the report of the run could not be written", "error", err)
	}
}

// Verify does what [verify.Verify] does, and leaves its result in the report of the job, unless it
// is that of a part. If the user may read the checkpoint but not write to it, the report stays as it is.
func Verify(ctx context.Context, j *jobfile.Job, env environment.Environment, opt verify.Options) (*verify.Result, error) {
	began := time.Now()
	result, err := verify.Verify(ctx, j, env, opt)
	if err != nil || opt.Part.Of > 0 {
		return result, err
	}
	e := Entry{Command: CommandVerify, Began: began.UTC(), Seconds: result.Time.Seconds(), Outcome: Verified, Requests: plan.Requests{Target: result.Requests}}
	if result.Count > 0 {
		e.Outcome = Differs
	}
	e.Verified = &run.Verified{Migrated: result.Migrated, Time: began.UTC(), Level: string(result.Level), Sample: result.Sample, Differences: result.Count}
	err = change(ctx, j, env, func(d *Document) error {
		d.add(e)
		if !opt.AnyJob {
			d.Job, d.File = j.Name, j.File
		}
		d.Job = cmp.Or(d.Job, j.Name) // with AnyJob, j is made from the URL of the target
		short := *result
		short.Differences = short.Differences[:min(len(short.Differences), mostDifferences)]
		d.Target, d.Verification = result.Target, &Verification{Time: began.UTC(), Result: &short}
		return nil
	})
	if err != nil && !store.Unwritable(err) && env.Log != nil {
		env.Log.WarnContext(ctx, "the report of the verification could not be written", "error", err)
	}
	return result, nil
}

// Read reads the report of a job. The error wraps fs.ErrNotExist if there is none.
func Read(ctx context.Context, j *jobfile.Job, env environment.Environment) (_ *Document, err error) {
	checkpoint, err := environment.OpenCheckpoint(ctx, j, env.Complete(), limits.New(j.Run.PerSecond))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, checkpoint.Close()) }()
	return read(ctx, checkpoint)
}

// mostText bounds the text of a report, in bytes.
const mostText = 256 << 20

func read(ctx context.Context, checkpoint *store.Store) (*Document, error) {
	text, err := checkpoint.ReadAll(ctx, Key, mostText)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	d := &Document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("checkpoint %s: %s: %w", checkpoint.URL(), Key, err)
	}
	if d.Version != Version {
		return nil, fmt.Errorf("checkpoint %s: %s: version %d, and this program knows version %d", checkpoint.URL(), Key, d.Version, Version)
	}
	return d, nil
}

// patience bounds the time that an interrupted run takes to write the report.
const patience = 15 * time.Second

// opened is the report of a job, opened to be changed.
type opened struct {
	*Document
	checkpoint *store.Store
}

// openReport reads the report of a job. If the report cannot be read, openReport begins it anew.
func openReport(ctx context.Context, j *jobfile.Job, env environment.Environment) (opened, error) {
	checkpoint, err := environment.OpenCheckpoint(ctx, j, env.Complete(), limits.New(j.Run.PerSecond))
	if err != nil {
		return opened{}, err
	}
	d, err := read(ctx, checkpoint)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && env.Log != nil {
			env.Log.WarnContext(ctx, "the report of earlier runs is lost", "error", err)
		}
		d = &Document{}
	}
	d.Version, d.Target, d.Checkpoint = Version, cmp.Or(d.Target, j.Target.URL), checkpoint.URL()
	return opened{d, checkpoint}, nil
}

// change changes the report by f and writes it.
func (o opened) change(ctx context.Context, f func(*Document) error) error {
	if err := f(o.Document); err != nil {
		return err
	}
	text, err := json.Marshal(o.Document)
	if err != nil {
		return err
	}
	if err := o.checkpoint.Put(ctx, Key, append(text, '\n')); err != nil {
		return err
	}
	return o.checkpoint.Sync(ctx)
}

// change changes the report of a job by f.
func change(ctx context.Context, j *jobfile.Job, env environment.Environment, f func(*Document) error) (err error) {
	if ctx.Err() != nil {
		var cancel func()
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
	}
	o, err := openReport(ctx, j, env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.checkpoint.Close()) }()
	return o.change(ctx, f)
}

// add adds an entry to the history.
func (d *Document) add(e Entry) {
	if e.Outcome != Died {
		e.Program = environment.Program()
	}
	d.History = append(d.History, e)
	if n := len(d.History) - mostEntries; n > 0 {
		d.History, d.Dropped = d.History[n:], d.Dropped+n
	}
}

// keep adds the arrays of an earlier migration that the run of m did not write, because they
// do not have the dimension that grows.
func (m *Migration) keep(earlier *Migration) {
	known := map[string]bool{}
	for _, a := range m.Arrays {
		known[a.Target] = true
	}
	for _, a := range earlier.Arrays {
		if known[a.Target] {
			continue
		}
		if m.ArrayCount++; len(m.Arrays) >= mostArrays {
			continue
		}
		var readers []preview.ReadBy
		if a.ReadBy >= 0 && a.ReadBy < len(earlier.Readers) {
			readers = earlier.Readers[a.ReadBy]
		}
		a.ReadBy = m.readers(readers)
		m.Arrays = append(m.Arrays, a)
	}
}

// readers returns the index of a list in m.Readers. It adds the list if it is new.
func (m *Migration) readers(list []preview.ReadBy) int {
	i := slices.IndexFunc(m.Readers, func(known []preview.ReadBy) bool { return reflect.DeepEqual(known, list) })
	if i < 0 {
		i, m.Readers = len(m.Readers), append(m.Readers, list)
	}
	return i
}

// migrationOf describes a run that has completed its job.
func migrationOf(p *plan.Plan, result *run.Result) (*Migration, error) {
	m := &Migration{Run: result.Run, Finished: time.Now().UTC(), Job: p.Job.Normalised(), Planned: p.Took.Seconds(),
		Arrays: []Array{}, ArrayCount: len(p.Arrays), Findings: []string{}, Readers: [][]preview.ReadBy{}, Files: Files{List: []File{}}}
	for f := range p.Files() {
		if m.Files.Count++; m.Files.Count <= mostFiles {
			m.Files.List = append(m.Files.List, File{URL: f.URL, Bytes: f.Size, Modified: f.ModTime, ETag: f.ETag, Head: f.Head})
		}
		m.Files.Bytes += f.Size
	}
	folded := p.Findings.Folded()
	m.FindingCount = len(folded)
	for _, f := range folded[:min(len(folded), mostFindings)] {
		m.Findings = append(m.Findings, f.String())
	}
	for i := range p.Arrays[:min(len(p.Arrays), mostArrays)] {
		a := &p.Arrays[i]
		d, err := preview.Describe(a, false)
		if err != nil {
			return nil, err
		}
		one := Array{Description: d, Dimensions: a.Meta.DimensionNames, Fill: json.RawMessage(a.Meta.Type.FormatScalar(dtype.V3, a.Meta.Fill))}
		one.ReadBy, one.Description.ReadBy = m.readers(d.ReadBy), nil
		for _, c := range a.Meta.Codecs {
			one.Codecs = append(one.Codecs, Codec(c))
		}
		if i < len(result.ByArray) {
			by := result.ByArray[i]
			one.BytesOut, one.Empty, one.Digest = by.BytesOut, by.Empty, by.Digest
		}
		m.Arrays = append(m.Arrays, one)
	}
	return m, nil
}
