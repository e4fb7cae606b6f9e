package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/zarr"
)

func (a *app) planCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "plan", Usage: "open the sources and show what a run would do, without writing anything", ArgsUsage: "JOB…",
		Description: jobFolders + ".",
		Flags: append(append(jobFlags(), runFlags()...),
			&cli.BoolFlag{Name: "metadata", Usage: "print the zarr.json of each array"}, sampleFlag()),
		Action: func(c *cli.Context) error {
			list, err := a.checkedApart(c)
			if err != nil {
				return err
			}
			n, err := sampleSize(c)
			if err != nil {
				return err
			}
			return a.plans(c, list, n, c.Bool("metadata"))
		},
	})
}

// plans prints what runs of jobs would do. A job that cannot be planned does not keep the others
// from being shown.
func (a *app) plans(c *cli.Context, list []*jobs.Job, sample int, metadata bool) error {
	return a.inTurn(list, turns{goOn: true, quiet: true}, func(j *jobs.Job) error {
		a.heading(list, j)
		return a.plan(c.Context, j, sample, metadata)
	})
}

// plan makes the plan of a job and prints what a run would do. It tries the given number of
// chunks of each array. With metadata it prints the documents of the arrays, too.
func (a *app) plan(ctx context.Context, j *jobs.Job, sample int, metadata bool) (err error) {
	defer forPlanning(j)()
	p, err := jobs.NewPlan(ctx, j, a.env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	estimates, err := samples(ctx, p, sample)
	if err != nil {
		return err
	}
	if a.json {
		arrays := make([]plannedJSON, 0, len(p.Arrays))
		for i := range p.Arrays {
			if p.Nothing() {
				break
			}
			one, err := p.Arrays[i].Describe(metadata)
			if err != nil {
				return err
			}
			arrays = append(arrays, plannedJSON{one, estimates.of(i)})
		}
		out := map[string]any{
			"job": j.Name, "target": j.Target.URL, "already_complete": p.Nothing(), "arrays": arrays,
			"groups_without_arrays": append([]string{}, p.EmptyGroups...), "unchanged": append([]string{}, p.Unchanged()...), "findings": list(p.Findings),
		}
		if estimates != nil {
			bytes, stored, took := estimates.whole(p)
			out["sample"] = map[string]any{"bytes": bytes, "bytes_stored": stored, "seconds_without_writing": took.Seconds()}
		}
		a.printJSON(out)
		return nil
	}
	a.warn(p.Findings)
	if p.Nothing() {
		a.printf("nothing to do: all rows of the source are in %s\n", j.Target.URL)
		return nil
	}
	var read int64
	var whose readersText
	objects := 0
	for i := range p.Arrays {
		x, err := p.Arrays[i].Describe(metadata)
		if err != nil {
			return err
		}
		read, objects = read+x.BytesRead, objects+x.Objects
		if err := a.printPlanned(x, estimates.of(i)); err != nil {
			return err
		}
		whose.add(x)
	}
	whose.print(a)
	if len(p.EmptyGroups) > 0 {
		a.printf("groups without arrays: %s\n", strings.Join(p.EmptyGroups, ", "))
	}
	if same := p.Unchanged(); len(same) > 0 {
		a.printf("as they are in the target: %s\n", strings.Join(same, ", "))
	}
	a.printf("%s, %s, %s to read, to %s\n", words.Count(len(p.Arrays), "array"), words.Count(objects, "object"), words.Size(read), j.Target.URL)
	a.printSamples(p, estimates)
	return nil
}

func (a *app) printPlanned(x plan.Description, e *jobs.Estimate) error {
	name := x.Source
	if x.Target != x.Source {
		name += " → " + x.Target
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
		{"memory", words.Size(int64(x.Memory)) + " for one block"},
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
func readsText(x plan.Description) string {
	if x.Path == plan.CarriedThrough {
		return fmt.Sprintf("%s of elements, each stored object once, as it is", words.Size(x.BytesRead))
	}
	return fmt.Sprintf("%s, %s, in blocks of %s chunks", words.Size(x.BytesRead), oftenText(x), words.Shape(x.ReadBlock))
}

// oftenText tells how many times each source chunk is decoded.
func oftenText(x plan.Description) string {
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
