package app

import (
	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/stages"
)

// observation is what others can see of a run, while it works and at its end.
type observation struct {
	id      string // of the run
	monitor stages.Monitor
}

// observed runs a job, so that others can see it. All lines of its log name the run.
func (a *app) observed(c *cli.Context, j *jobs.Job, run func(*cli.Context, *jobs.Job) error) error {
	a.seen = &observation{id: journal.NewRun()}
	a.env.Log = a.log.With("run", a.seen.id)
	return run(c, j)
}

// owner is the owner of the locks of the run.
func (o *observation) owner(j *jobs.Job) journal.Owner {
	owner := journal.ThisProcess("zmigrate run " + j.File)
	owner.Run = o.id
	return owner
}
