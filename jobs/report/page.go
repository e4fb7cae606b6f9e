package report

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/verify"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// A page shows no more than this.
const (
	shownFiles       = 100
	shownDifferences = 100
	shownArrays      = 500
	atOnce           = 4 // samples that are taken at the same time
)

// PageOptions say what a page shows.
type PageOptions struct {
	// Pictures is the number of arrays that get a picture: the first ones.
	Pictures int
}

// WritePage makes a page of a report, for a browser. It reads slices of the target for its
// pictures. A slice that cannot be read is no error: the page says why it has no picture.
func WritePage(ctx context.Context, w io.Writer, d *Document, j *jobfile.Job, env environment.Environment, opt PageOptions) (err error) {
	env = env.Complete()
	p := newPage(d)
	arrays := arrayViews(d)
	target, failed := openTarget(ctx, j.Target.URL, zarr.Options{Store: env.StoreOptions(j, limits.New(j.Run.PerSecond)), Codecs: env.Codecs})
	if failed == nil {
		defer func() { err = errors.Join(err, target.target.Close()) }()
		if d.Migration == nil {
			for _, name := range target.target.Arrays() {
				arrays = append(arrays, arrayView{Name: "/" + name, path: name})
			}
		}
	}
	p.Arrays = arrays[:min(len(arrays), shownArrays)]
	err = sources.InParallelUpTo(ctx, atOnce, min(len(p.Arrays), opt.Pictures), func(ctx context.Context, i int) error {
		a := &p.Arrays[i]
		if failed != nil {
			a.NoPicture = failed.Error()
			return nil
		}
		s, err := target.sample(ctx, a.path)
		if err == nil {
			err = a.show(s)
		}
		if err != nil {
			a.NoPicture = err.Error()
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	count := len(arrays)
	if d.Migration != nil {
		count = d.Migration.ArrayCount
	}
	var more []string
	if count > len(p.Arrays) {
		more = append(more, fmt.Sprintf("The first %d of %d arrays are shown.", len(p.Arrays), count))
	}
	if len(p.Arrays) > opt.Pictures {
		more = append(more, fmt.Sprintf("The first %d have pictures.", opt.Pictures))
	}
	p.MoreArrays = strings.Join(more, " ")
	return pageTemplate().Execute(w, p)
}

// page is what the template page.html shows.
type page struct {
	Job, JobFile, Target, Checkpoint, Program string
	Status                                    status
	Figures                                   []fact
	FiguresText                               string
	Verification                              *verificationView
	Losses                                    []lossView
	Unmeasured                                string
	Findings                                  []string
	Notes                                     []note
	Migration                                 *migrationView
	Stages                                    template.HTML
	StagesText                                string
	History                                   []entryView
	Dropped                                   string
	Arrays                                    []arrayView
	MoreArrays                                string
}

type (
	status           struct{ Class, Text string }
	note             struct{ Text, Arrays string }
	verificationView struct {
		Facts       []fact
		Differences []verify.Difference
		More        string
	}
	lossView      struct{ Array, Steps, Bound, Max, RMS, Unequal, Worst string }
	migrationView struct {
		Source    string
		Files     []fileView
		MoreFiles string
	}
	fileView  struct{ URL, Size, Modified, Version string }
	entryView struct{ Began, Command, Outcome, Time, Chunks, Faults, Run string }
)

// newPage describes everything but the pictures and the arrays.
func newPage(d *Document) *page {
	p := &page{Job: d.Job, JobFile: d.File, Target: d.Target, Checkpoint: d.Checkpoint, Program: environment.Program(), Status: statusOf(d)}
	if d.File == "copy" {
		p.JobFile = ""
	}
	if d.Verification != nil {
		p.Verification = viewOf(d.Verification)
	}
	for _, e := range d.History {
		p.History = append(p.History, entryOf(e))
	}
	if d.Dropped > 0 {
		p.Dropped = fmt.Sprintf("%s are left out.", words.Count(d.Dropped, "older entry"))
	}
	m := d.Migration
	if m == nil {
		return p
	}
	p.migration(m)
	p.losses(d)
	p.notes(m)
	for _, e := range slices.Backward(d.History) {
		if e.Result != nil && (e.Run == m.Run || m.Run == "") {
			p.stages(m, e)
			p.figures(d, e)
			break
		}
	}
	return p
}

// statusOf says in one sentence what the last verification has proved.
func statusOf(d *Document) status {
	v := d.Verification
	switch {
	case v == nil:
		return status{"open", "Migrated, and not verified yet"}
	case v.Count > 0 && v.OnlyOtherValues():
		return status{"bad", fmt.Sprintf("Elements of the target are not those of the source, although the objects are as they were written: %s", words.Count(v.Count, "difference"))}
	case v.Count > 0:
		return status{"bad", fmt.Sprintf("The target is not what was written: %s", words.Count(v.Count, "difference"))}
	case v.Sample < 1:
		return status{"open", fmt.Sprintf("A sample of %d of %d objects was verified at the level %s, without a difference", v.Read, v.Objects, v.Level)}
	}
	what := map[verify.Level]string{
		verify.Quick:   "all objects are there, with the sizes that were written",
		verify.Stored:  "all objects have the bytes that were written",
		verify.Decoded: "all objects decode to the values that were written",
		verify.Source:  "every element was compared with the source",
	}[v.Level]
	return status{"good", "Verified: " + what}
}

// figures are the numbers at the top.
func (p *page) figures(d *Document, e Entry) {
	r := e.Result
	ratio := "–"
	if r.BytesOut > 0 {
		ratio = fmt.Sprintf("%.2f", float64(r.BytesIn)/float64(r.BytesOut))
	}
	p.Figures = []fact{
		{"arrays", fmt.Sprint(r.Arrays)},
		{"objects stored", fmt.Sprint(r.Chunks - r.Empty)},
		{"only fill value, not stored", fmt.Sprint(r.Empty)},
		{"elements", words.Size(r.BytesIn)},
		{"stored", words.Size(r.BytesOut)},
		{"ratio", ratio},
		{"time", duration(e.Seconds)},
		{"finished", d.Migration.Finished.Format("2006-01-02 15:04") + " UTC"},
	}
	if r.Dimension != "" {
		p.FiguresText = "These are the figures of the last run, which has appended rows."
		p.Figures = append(p.Figures, fact{"appended along " + r.Dimension, words.Count(r.Appended, "row")})
	}
}

// stages draws the time by stage.
func (p *page) stages(m *Migration, e Entry) {
	bars := []bar{{"plan", m.Planned, duration(m.Planned)}}
	for _, b := range e.Result.Busy {
		bars = append(bars, bar{b.Stage, b.Time.Seconds(), duration(b.Time.Seconds())})
	}
	p.Stages = stagesChart(bars)
	p.StagesText = fmt.Sprintf("How long the workers of each stage worked in the last run. They work at the same time: the run itself took %s.", duration(e.Seconds))
}

// migration tells where the data came from.
func (p *page) migration(m *Migration) {
	p.Migration = &migrationView{Source: fmt.Sprintf("%s, %s, in the state that was migrated.", words.Count(m.Files.Count, "file"), words.Size(m.Files.Bytes))}
	for _, f := range m.Files.List[:min(len(m.Files.List), shownFiles)] {
		v := fileView{URL: f.URL, Size: words.Size(f.Bytes), Version: f.ETag}
		if !f.Modified.IsZero() {
			v.Modified = f.Modified.UTC().Format("2006-01-02 15:04:05")
		}
		if v.Version == "" && f.Head != "" {
			v.Version = "first 64 KiB: " + f.Head[:min(len(f.Head), 16)] + "…"
		}
		p.Migration.Files = append(p.Migration.Files, v)
	}
	if n := m.Files.Count - len(p.Migration.Files); n > 0 {
		p.Migration.MoreFiles = fmt.Sprintf("and %s; %s lists the first 1,000.", words.Count(n, "more file"), Key)
	}
}

// losses lists the arrays with lossy steps, and the errors that a verification has measured.
func (p *page) losses(d *Document) {
	measured := map[string]deviation.Deviation{}
	if d.Verification != nil {
		for _, v := range d.Verification.Deviations {
			measured[v.Array] = v
		}
	}
	for _, a := range d.Migration.Arrays {
		if len(a.Losses) == 0 {
			continue
		}
		var steps []string
		bound := 0.0
		for _, l := range a.Losses {
			steps = append(steps, l.String())
			if bound += l.AtMost; l.AtMost == 0 {
				bound = math.NaN()
			}
		}
		v := lossView{Array: "/" + a.Target, Steps: strings.Join(steps, "; "), Bound: "–", Max: "not measured", RMS: "–", Unequal: "–"}
		if !math.IsNaN(bound) {
			v.Bound = short(bound)
		}
		if m, ok := measured[a.Target]; ok {
			v.Max, v.RMS, v.Unequal = short(float64(m.Max)), short(float64(m.RMS)), fmt.Sprintf("%d of %d", m.Unequal, m.Elements)
			if m.At != nil {
				v.Worst = fmt.Sprintf("%v: %s, in the source %s", m.At, m.Target, m.Source)
			}
		} else {
			p.Unmeasured = "Errors are measured by zmigrate verify --level source, which compares every element with the source; with --sample 1%, it compares a part of each array."
		}
		p.Losses = append(p.Losses, v)
	}
}

// notes lists the warnings, and each decision once, with its arrays.
func (p *page) notes(m *Migration) {
	p.Findings = m.Findings
	if n := m.FindingCount - len(m.Findings); n > 0 {
		p.Findings = append(slices.Clone(p.Findings), fmt.Sprintf("and %s", words.Count(n, "more warning")))
	}
	arrays, order := map[string][]string{}, []string(nil)
	for _, a := range m.Arrays {
		for _, text := range a.Notes {
			if arrays[text] == nil {
				order = append(order, text)
			}
			arrays[text] = append(arrays[text], "/"+a.Target)
		}
	}
	for _, text := range order {
		names := arrays[text]
		shown := strings.Join(names[:min(len(names), 5)], ", ")
		if n := len(names) - 5; n > 0 {
			shown += fmt.Sprintf(" and %s", words.Count(n, "more array"))
		}
		p.Notes = append(p.Notes, note{text, shown})
	}
}

// viewOf describes the last verification.
func viewOf(v *Verification) *verificationView {
	view := &verificationView{Differences: v.Differences[:min(len(v.Differences), shownDifferences)]}
	view.Facts = []fact{
		{"when", v.Time.Format("2006-01-02 15:04:05") + " UTC"},
		{"level", string(v.Level)},
		{"objects", fmt.Sprintf("%d on record, %d read (%s)", v.Objects, v.Read, words.Size(v.Bytes))},
		{"proved", fmt.Sprintf("%d objects by the digests of their values, %d by their checksums", v.ByValues, v.ByChecksums)},
	}
	if v.Level == verify.Source {
		view.Facts = append(view.Facts, fact{"compared", words.Count(int(v.Elements), "element") + " with the source"})
	}
	if v.Sample < 1 {
		view.Facts = append(view.Facts, fact{"sample", fmt.Sprintf("%g%% of the objects, seed %d", 100*v.Sample, v.Seed)})
	}
	view.Facts = append(view.Facts, fact{"differences", fmt.Sprint(v.Count)}, fact{"time", duration(v.Result.Time.Seconds())})
	if n := v.Count - len(view.Differences); n > 0 {
		view.More = fmt.Sprintf("and %s", words.Count(n, "more difference"))
	}
	return view
}

// entryOf describes a run or a verification of the past.
func entryOf(e Entry) entryView {
	v := entryView{Began: e.Began.Format("2006-01-02 15:04:05"), Command: e.Command, Outcome: e.Outcome, Time: duration(e.Seconds), Run: e.Run}
	var faults []string
	add := func(n int, noun, what string) {
		if n > 0 {
			faults = append(faults, words.Count(n, noun)+what)
		}
	}
	if r := e.Result; r != nil {
		v.Chunks = fmt.Sprint(r.Chunks)
		add(r.Appended, "row", " appended")
		add(r.Resumed, "chunk", " done by earlier runs")
		add(r.Mended, "chunk", " mended")
	}
	if e.Verified != nil {
		v.Command += " (" + e.Verified.Level + ")"
		add(e.Verified.Differences, "difference", "")
	}
	sent := e.Requests.Source.Plus(e.Requests.Target)
	add(int(sent.Requests), "request", "")
	add(int(sent.Retries), "request", " repeated")
	add(int(sent.Throttled), "request", " throttled")
	if e.Error != "" {
		faults = append(faults, e.Error)
	}
	v.Faults = strings.Join(faults, ", ")
	return v
}

// duration spells seconds.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
