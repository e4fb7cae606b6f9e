package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
)

// oneJob reads the only job file that a command names.
func (a *app) oneJob(c *cli.Context) (*jobs.Job, error) {
	names, err := jobFiles(c)
	if err != nil {
		return nil, err
	}
	if len(names) > 1 {
		return nil, invalid(fmt.Errorf("%s takes one job file", c.Command.Name))
	}
	return a.checked(c, names[0])
}

// planFlag returns the flag that names the plan which is worked on or finished.
func planFlag() cli.Flag {
	return &cli.StringFlag{Name: "plan", DefaultText: "the one that was saved last", Usage: "refuse if the saved plan has another `HASH`"}
}

// savedPlanOf reads the saved plan of a job; nil if the job is complete.
func (a *app) savedPlanOf(c *cli.Context, j *jobs.Job) (*jobs.Plan, error) {
	defer forPlanning(j)()
	p, err := jobs.ReadSaved(c.Context, j, a.env)
	if errors.Is(err, jobs.ErrFinished) {
		return nil, nil
	}
	if err != nil || p == nil || !c.IsSet("plan") {
		return p, err
	}
	hash, err := p.Hash()
	if err == nil && (c.String("plan") == "" || !strings.HasPrefix(hash, c.String("plan"))) {
		err = fmt.Errorf("--plan %s: the saved plan is %s", c.String("plan"), hash)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// noWork says that a job is complete.
func (a *app) noWork(j *jobs.Job) {
	if a.json {
		a.printJSON(map[string]any{"event": "summary", "job": j.Title(), "target": j.Target.URL, "nothing_to_do": true})
		return
	}
	a.printf("%s: nothing to do, %s is complete\n", j.Title(), j.Target.URL)
}
