package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/preview"
	"github.com/zmigrate/zmigrate/zarr"
)

func (a *app) planCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "plan", Usage: "open the sources and show what a run would do, without writing anything", ArgsUsage: "JOB…",
		Description: jobFolders + ".",
		Flags: append(slices.Concat(jobFlags(), runFlags(), saveFlags(), []cli.Flag{yesFlag()}, planAdviceFlags()),
			&cli.BoolFlag{Name: "metadata", Usage: "print the zarr.json of each array"}, sampleFlag(), pricesFlag(),
			&cli.BoolFlag{Name: "diff", Usage: "compare the metadata of the arrays that the target has now with those of the plan"}),
		Action: func(c *cli.Context) error {
			if err := onlyWith(c, "save", "bundles", "bundle-bytes"); err != nil {
				return err
			}
			list, err := a.checkedApart(c)
			if err != nil {
				return err
			}
			if c.Bool("save") {
				if c.Bool("advise") {
					return invalid(errors.New("--advise: --save prints no plan, so plan --advise is a command of its own"))
				}
				return a.inTurn(list, turns{quiet: true}, func(j *jobs.Job) error { return a.save(c, j) })
			}
			shows := planShows{metadata: c.Bool("metadata"), diff: c.Bool("diff")}
			if shows.sample, err = sampleSize(c); err != nil {
				return err
			}
			if shows.prices, err = readPrices(c); err != nil {
				return err
			}
			if shows.advice, err = planAdvice(c); err != nil {
				return invalid(err)
			}
			return a.plans(c, list, shows)
		},
	})
}

// planShows says what is printed of a plan, beside what is always printed.
type planShows struct {
	sample   int            // how many chunks of each array are tried
	metadata bool           // the documents of the arrays
	diff     bool           // what the target has now
	prices   []priceList    // what the migration costs; nil: nothing is said of that
	advice   *adviceRequest // what advise says of the arrays; nil: nothing
}

// planAdviceFlags returns the flags of plan --advise.
func planAdviceFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.BoolFlag{Name: "advise", Usage: "try codec chains and chunk shapes on samples, and say which are best, as the command advise does"},
	}, adviceFlags("with --advise: ")...)
}

// planAdvice returns what advice the command line asks for, or nil.
func planAdvice(c *cli.Context) (*adviceRequest, error) {
	if c.Bool("advise") {
		return newAdviceRequest(c)
	}
	for _, f := range adviceFlags("") {
		if name := f.Names()[0]; c.IsSet(name) {
			return nil, fmt.Errorf("--%s is for --advise, which is not set", name)
		}
	}
	return nil, nil
}

// plans prints what runs of jobs would do. A job that cannot be planned does not keep the others
// from being shown.
func (a *app) plans(c *cli.Context, list []*jobs.Job, shows planShows) error {
	return a.inTurn(list, turns{goOn: true, quiet: true}, func(j *jobs.Job) error {
		a.heading(list, j)
		return a.plan(c.Context, j, shows)
	})
}

// plan makes the plan of a job and prints what a run would do.
func (a *app) plan(ctx context.Context, j *jobs.Job, shows planShows) (err error) {
	if j.Target.References != "" {
		return a.planReferences(ctx, j)
	}
	defer forPlanning(j)()
	p, err := jobs.NewPlan(ctx, j, a.env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	estimates, err := samples(ctx, p, shows.sample)
	if err != nil {
		return err
	}
	var now []preview.Difference
	if shows.diff && !p.Nothing() {
		if now, err = preview.Differences(ctx, p, a.env); err != nil {
			return err
		}
	}
	var advice []*jobs.Advice
	if shows.advice != nil && !p.Nothing() {
		if advice, err = a.adviseOn(ctx, p, shows.advice); err != nil {
			return err
		}
	}
	sum, findings := a.totalOf(ctx, p, estimates, shows.prices)
	findings = append(slices.Clip(p.Findings), findings...)
	if a.json {
		arrays, err := plannedArrays(p, shows, estimates, now)
		if err != nil {
			return err
		}
		out := map[string]any{
			"job": j.Title(), "target": j.Target.URL, "already_complete": p.Nothing(), "arrays": arrays,
			"groups_without_arrays": append([]string{}, p.EmptyGroups...), "unchanged": append([]string{}, p.Unchanged()...), "findings": list(a.ofFlags(findings)),
			"total": sum,
		}
		if estimates != nil {
			bytes, stored, took := estimates.whole(p)
			out["sample"] = map[string]any{"bytes": bytes, "bytes_stored": stored, "seconds_without_writing": took.Seconds()}
		}
		if shows.advice != nil {
			out["advice"] = append([]*jobs.Advice{}, advice...)
		}
		a.printJSON(out)
		return nil
	}
	a.warn(findings)
	if p.Nothing() {
		a.printf("nothing to do: all rows of the source are in %s\n", j.Target.URL)
		return nil
	}
	read, objects, err := a.printArrays(p, shows, estimates, now)
	if err != nil {
		return err
	}
	if len(p.EmptyGroups) > 0 {
		a.printf("groups without arrays: %s\n", nodeNames(p.EmptyGroups))
	}
	if same := p.Unchanged(); len(same) > 0 {
		a.printf("as they are in the target: %s\n", nodeNames(same))
	}
	a.printf("%s, %s, %s to read, to %s\n", words.Count(len(p.Arrays), "array"), words.Count(objects, "object"), words.Size(read), j.Target.URL)
	a.printTotal(sum)
	a.printSamples(p, estimates)
	for _, one := range advice {
		a.printAdvice(one, shows.advice.all)
	}
	if shows.advice != nil && advice == nil {
		a.printf("%s\n", shows.advice.noArray(p))
	}
	return nil
}

// plannedArrays returns what a run would do with each array, for JSON.
func plannedArrays(p *jobs.Plan, shows planShows, estimates estimates, now []preview.Difference) ([]plannedJSON, error) {
	arrays := make([]plannedJSON, 0, len(p.Arrays))
	if p.Nothing() {
		return arrays, nil
	}
	costs := preview.CostsOf(p)
	for i := range p.Arrays {
		one, err := preview.Describe(&p.Arrays[i], shows.metadata)
		if err != nil {
			return nil, err
		}
		x := plannedJSON{one, costs.Array(&p.Arrays[i]), estimates.of(i), nil}
		if now != nil {
			x.Now = &now[i]
		}
		arrays = append(arrays, x)
	}
	return arrays, nil
}

// printArrays prints what a run would do with each array. It returns how many bytes the run would
// read, and how many objects it would write.
func (a *app) printArrays(p *jobs.Plan, shows planShows, estimates estimates, now []preview.Difference) (read int64, objects int, err error) {
	var whose readersText
	shared := sharedNotes(p)
	for i := range p.Arrays {
		x, err := preview.Describe(&p.Arrays[i], shows.metadata)
		if err != nil {
			return 0, 0, err
		}
		x.Notes = slices.DeleteFunc(slices.Clone(x.Notes), func(note string) bool { return shared.arrays[note] != nil })
		read, objects = read+x.BytesRead, objects+x.Objects
		if err := a.printPlanned(x, estimates.of(i)); err != nil {
			return 0, 0, err
		}
		if now != nil {
			a.printf("  now: %s\n", nowText(now[i]))
		}
		whose.add(x)
	}
	shared.print(a)
	whose.print(a)
	return read, objects, nil
}

// mostNoted is how many arrays with the same note, or in a list, are spelled out.
const mostNoted = 20

// manyNotes are notes that more than mostNoted arrays have. They stand behind the arrays, each
// once.
type manyNotes struct {
	order  []string
	arrays map[string][]string // by the note
}

func sharedNotes(p *jobs.Plan) *manyNotes {
	m := &manyNotes{arrays: map[string][]string{}}
	for i := range p.Arrays {
		for _, note := range p.Arrays[i].Notes {
			if m.arrays[note] == nil {
				m.order = append(m.order, note)
			}
			m.arrays[note] = append(m.arrays[note], nodeName(p.Arrays[i].Target))
		}
	}
	m.order = slices.DeleteFunc(m.order, func(note string) bool {
		if len(m.arrays[note]) > mostNoted {
			return false
		}
		delete(m.arrays, note)
		return true
	})
	return m
}

func (m *manyNotes) print(a *app) {
	for _, note := range m.order {
		a.printf("note of %d arrays (%s): %s\n", len(m.arrays[note]), words.Some(m.arrays[note]), note)
	}
}

// nodeName is the path of an array or group as people read it: the root has the name /.
func nodeName(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// nodeNames lists the paths of arrays or groups, and counts them if they are many.
func nodeNames(paths []string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = nodeName(path)
	}
	if len(names) <= mostNoted {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s (%d in all)", words.Some(names), len(names))
}

// nowText tells what the target has in the place of an array.
func nowText(d preview.Difference) string {
	switch d.State {
	case preview.Absent:
		return "nothing is at the target"
	case preview.Equal:
		return "an array with the same metadata is at the target"
	}
	return "what is at the target differs in: " + strings.Join(d.Fields, "; ")
}

func (a *app) printPlanned(x preview.Description, e *jobs.Estimate) error {
	name := nodeName(x.Source)
	if x.Target != x.Source {
		name += " → " + nodeName(x.Target)
	}
	a.printf("%s\n", name)
	chunks := words.Shape(x.Chunks)
	if x.Shards != nil {
		chunks += " in shards of " + words.Shape(x.Shards)
	}
	written := words.Count(x.Objects, "object")
	if x.BytesAtMost > 0 {
		written += fmt.Sprintf(", at most %s written", words.Size(x.BytesAtMost))
	}
	rows := [][]string{
		{"data type", strings.Trim(string(x.DataType), `"`)},
		{"shape", words.Shape(x.Shape)},
	}
	if to := x.Append; to != nil {
		rows = append(rows, []string{"append", fmt.Sprintf("%s in the target, %d new along %s; %s with rows of both rewritten", words.Count(to.Rows, "row"), to.New, to.Dimension, words.Count(to.Rewritten, "object"))})
	}
	rows = append(rows, [][]string{
		{"chunks", fmt.Sprintf("%s (%s)", chunks, written)},
		{"codecs", chainText(x.Codecs)},
		{"reads", readsText(x)},
		{"memory", memoryText(x)},
		{"path", strings.TrimSuffix(x.Path+": "+x.Reason, ": ")},
	}...)
	if e != nil {
		rows = append(rows, []string{"sample", estimateText(*e)})
	}
	a.table(rows)
	if e != nil && e.Deviation != nil {
		a.printf("  measured: %s\n", deviationText(*e.Deviation))
	}
	for _, loss := range x.Losses {
		a.printf("  lossy: %s\n", loss)
	}
	for _, note := range x.Notes {
		a.printf("  note: %s\n", note)
	}
	if x.Metadata != nil {
		text, err := zarr.Document(x.Metadata)
		if err != nil {
			return err
		}
		a.printf("%s", text)
	}
	return nil
}

// readsText tells how the source is read.
func readsText(x preview.Description) string {
	if x.Path == preview.CarriedThrough {
		return fmt.Sprintf("%s of elements, each stored object once, as it is", words.Size(x.BytesRead))
	}
	text := fmt.Sprintf("%s, %s", words.Size(x.BytesRead), oftenText(x))
	switch {
	case len(x.ReadBlock) == 0: // a scalar
	case slices.Max(x.ReadBlock) == 1:
		text += ", one chunk at a time"
	default:
		text += fmt.Sprintf(", in blocks of %s chunks", words.Shape(x.ReadBlock))
	}
	return text
}

// memoryText tells what one block of an array takes.
func memoryText(x preview.Description) string {
	text := words.Size(int64(x.Memory)) + " for one block"
	if x.Unsized {
		text += ", without the contents of its elements, which have no fixed size"
	}
	return text
}

// oftenText tells how many times each source chunk is decoded.
func oftenText(x preview.Description) string {
	switch {
	case x.Stored == 0:
		return "each element once"
	case x.Decodes == x.Stored:
		return "each source chunk decoded once"
	}
	text := fmt.Sprintf("each source chunk decoded %.2f times", float64(x.Decodes)/float64(x.Stored))
	var once []string
	if x.DecodeOnce > 0 {
		const mib = 1 << 20
		once = append(once, fmt.Sprintf("run.memory of %dMiB", (x.DecodeOnce+mib-1)/mib))
	}
	if x.OnceChunks != nil {
		once = append(once, "chunks of "+words.Shape(x.OnceChunks))
	}
	if once != nil {
		text += " (once with " + strings.Join(once, " or ") + ")"
	}
	return text
}

// chainText spells a codec chain in one line.
func chainText(specs []codecs.Spec) string {
	parts := make([]string, len(specs))
	for i, s := range specs {
		parts[i] = s.Name
		var fields bytes.Buffer
		if json.Compact(&fields, s.Configuration) == nil && fields.String() != "{}" {
			parts[i] += " " + fields.String()
		}
	}
	return strings.Join(parts, ", ")
}
