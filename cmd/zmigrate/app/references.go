package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// refer writes the table of references of a job.
func (a *app) refer(c *cli.Context, j *jobs.Job) (err error) {
	if c.Bool("restart") {
		return invalid(fmt.Errorf("%s: --restart: there is no checkpoint to forget: target.existing: overwrite replaces a table of references", j.File))
	}
	defer forPlanning(j)()
	p, err := jobs.NewPlan(c.Context, j, a.env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	t, err := jobs.NewReferences(c.Context, p, a.env)
	if err != nil {
		return err
	}
	a.warn(t.Findings)
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	go func() {
		select {
		case <-a.stop:
			cancel(stages.ErrStopped)
		case <-ctx.Done():
		}
	}()
	r, err := t.Run(ctx, jobs.ReferenceOptions{Confirm: a.confirmation(c)})
	if err != nil && errors.Is(context.Cause(ctx), stages.ErrStopped) {
		return stages.ErrStopped
	}
	if err != nil {
		return err
	}
	a.warn(r.Findings)
	switch {
	case a.json:
		a.printJSON(struct {
			Event string `json:"event"`
			Job   string `json:"job"`
			*jobs.ReferenceResult
		}{"summary", j.Title(), r})
	case r.Nothing:
		a.printf("%s: nothing to do, %s is complete and the source has not changed\n", j.Title(), r.Target)
	default:
		a.printf("%s: done\n", j.Title())
		a.table([][]string{
			{"arrays", fmt.Sprint(r.Arrays)},
			{"chunks", fmt.Sprintf("%d: %d in the table, %d stored nowhere", r.Chunks, r.Inline, r.Missing)},
			{"referred to", words.Size(r.Bytes)},
			{"time", r.Time.Round(time.Millisecond).String()},
			{"target", r.Target},
		})
	}
	return nil
}

// referredJSON is an array of a table of references, as --json prints it.
type referredJSON struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Chunks int    `json:"chunks"`
	Inline bool   `json:"inline"`
	Why    string `json:"inline_because,omitempty"`
}

// planReferences prints what a run would have in the table of references of a job.
func (a *app) planReferences(ctx context.Context, j *jobs.Job) (err error) {
	defer forPlanning(j)()
	p, err := jobs.NewPlan(ctx, j, a.env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	t, err := jobs.NewReferences(ctx, p, a.env)
	if err != nil {
		return err
	}
	arrays := make([]referredJSON, len(t.Arrays))
	for i, x := range t.Arrays {
		arrays[i] = referredJSON{x.Source, x.Target, x.Chunks(), x.Inline, x.Why}
		if x.Inline {
			arrays[i].Chunks = 1
		}
	}
	if a.json {
		a.printJSON(map[string]any{"job": j.Title(), "target": j.Target.URL, "references": j.Target.References, "arrays": arrays, "findings": list(a.ofFlags(t.Findings))})
		return nil
	}
	a.warn(t.Findings)
	for i, x := range t.Arrays {
		name := nodeName(x.Source)
		if x.Target != x.Source {
			name += " → " + nodeName(x.Target)
		}
		a.printf("%s\n", name)
		text := words.Count(arrays[i].Chunks, "chunk") + " referred to"
		if x.Inline {
			text = "in the table: " + x.Why
		}
		a.table([][]string{{"shape", words.Shape(x.Grid.Shape)}, {"elements", words.Size(x.Bytes())}, {"references", text}})
	}
	a.printf("%s, to %s\n", words.Count(len(t.Arrays), "array"), j.Target.URL)
	return nil
}
