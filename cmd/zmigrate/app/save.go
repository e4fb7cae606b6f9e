package app

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// defaultBundle is the size of a bundle, unless the command line says otherwise.
const defaultBundle = "4GiB"

// saveFlags returns the flags of plan --save.
func saveFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.BoolFlag{Name: "save", Usage: "write the plan into the checkpoint, so that the command work does parts of it on many machines"},
	}, bundleFlags()...)
}

// bundleFlags returns the flags that divide a saved plan into bundles.
func bundleFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "bundles", DefaultText: "by --bundle-bytes", Usage: "divide the saved plan into this `NUMBER` of bundles"},
		&cli.StringFlag{Name: "bundle-bytes", Value: defaultBundle, Usage: "divide the saved plan into bundles of about this `SIZE` of array elements"},
	}
}

// bundleCount returns the number of bundles for a plan.
func bundleCount(c *cli.Context, p *jobs.Plan) (int, error) {
	var bytes int64
	for i := range p.Arrays {
		bytes += p.Arrays[i].Bytes()
	}
	n, err := bundlesOf(c, bytes)
	return max(1, min(n, p.Units())), err
}

// bundlesOf returns into how many bundles the command line divides some bytes, at least 1.
func bundlesOf(c *cli.Context, bytes int64) (int, error) {
	if n := c.Int("bundles"); c.IsSet("bundles") {
		if n < 1 {
			return 0, invalid(fmt.Errorf("--bundles %d: want 1 or more", n))
		}
		return n, nil
	}
	size, ok := jobfile.ParseSize(c.String("bundle-bytes"))
	if !ok || size < 1 {
		return 0, invalid(fmt.Errorf("--bundle-bytes %s: want a size such as %s", c.String("bundle-bytes"), defaultBundle))
	}
	return int(max(1, (bytes+size-1)/size)), nil
}

// savedPlan is the result of plan --save.
type savedPlan struct {
	Job      string        `json:"job"`
	Plan     string        `json:"plan"`
	Target   string        `json:"target"`
	Complete bool          `json:"already_complete"`
	Units    int           `json:"units"`
	Memory   int64         `json:"memory"` // that a worker takes, at most
	Bundles  []savedBundle `json:"bundles"`

	count int // of the bundles, with those that have no units
}

// savedBundle is a bundle of a saved plan.
type savedBundle struct {
	jobs.Bundle
	Left int `json:"units_left"` // how many of its units are not done
}

// save writes the plan of a job into its checkpoint and prints how to go on.
func (a *app) save(c *cli.Context, j *jobs.Job) error {
	out, err := a.savePlan(c, j, nil)
	if err == nil {
		a.showSaved(j, out)
	}
	return err
}

// showSaved prints how to go on with a saved plan.
func (a *app) showSaved(j *jobs.Job, out *savedPlan) {
	switch {
	case a.json:
		a.printJSON(out)
		return
	case out.Complete:
		a.noWork(j)
		return
	}
	file := printable(shown(j.File))
	a.printf("%s: saved the plan %.12s of %s\n", j.Title(), out.Plan, words.Count(out.Units, "unit"))
	a.table([][]string{
		{"each part", fmt.Sprintf("zmigrate work %s --bundle I/%d, with I from 0 to %d", file, out.count, out.count-1)},
		{"at the end", "zmigrate finish " + file},
		{"how far", "zmigrate status " + file},
	})
}

// savePlan writes the plan of a job into its checkpoint. If repair is not nil, it has the keys of
// objects of a complete target, and these are what is left to do.
func (a *app) savePlan(c *cli.Context, j *jobs.Job, repair []string) (out *savedPlan, err error) {
	p, err := a.newPlan(c.Context, j, repair)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	a.warn(p.Findings)
	n, err := bundleCount(c, p)
	if err != nil {
		return nil, err
	}
	owner := journal.ThisProcess("zmigrate plan --save " + j.File)
	if seen := a.seen.Load(); seen != nil { // a repair, whose log names the run
		owner.Run = seen.id
	}
	campaign, complete, err := jobs.Save(c.Context, p, a.env, jobs.RunOptions{Owner: owner, Confirm: a.confirmation(c), Repair: repair})
	if err != nil {
		return nil, err
	}
	out = &savedPlan{Job: j.Title(), Target: j.Target.URL, Complete: complete, Units: p.Units(), Memory: j.Run.Memory + overhead, Bundles: []savedBundle{}, count: n}
	if complete {
		return out, nil
	}
	out.Plan = campaign.Plan
	s, err := jobs.ReadStatus(c.Context, j, a.env)
	if err != nil {
		return nil, err
	}
	for _, b := range p.Bundles(n) {
		if b.Units() == 0 {
			continue
		}
		x := savedBundle{Bundle: b}
		if s.Campaign != nil {
			for _, l := range s.Campaign.Left {
				x.Left += max(0, min(l.End, b.End)-max(l.First, b.First))
			}
		}
		out.Bundles = append(out.Bundles, x)
	}
	return out, nil
}
