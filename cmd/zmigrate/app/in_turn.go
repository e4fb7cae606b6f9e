package app

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// turns says how a command does several jobs.
type turns struct {
	// goOn begins the jobs after one that has failed.
	goOn bool
	// quiet prints no summary at the end: the results of the jobs say it all.
	quiet bool
}

// The states of a job when its command ends.
const (
	jobDone    = "done"
	jobNothing = "nothing_to_do"
	jobFailed  = "failed"
	jobWaits   = "not_begun"
)

// turn is how one of several jobs has ended.
type turn struct {
	Job    string `json:"job"`
	File   string `json:"file"`
	State  string `json:"state"`
	Status *int   `json:"status,omitempty"` // nil: the job was not begun
	Run    string `json:"run,omitempty"`
	Error  string `json:"error,omitempty"`
}

func keepGoingFlag() cli.Flag {
	return &cli.BoolFlag{Name: "keep-going", Usage: "of several jobs, begin the next one even if one has failed"}
}

// inTurn does jobs, one after the other. A signal ends them all. The error is that of the first job
// that has failed.
//
// If there are several jobs, each message names its job, and a summary at the end has a line for
// each job. A single job is done as if there were no others.
func (a *app) inTurn(list []*jobs.Job, how turns, do func(*jobs.Job) error) error {
	if len(list) == 1 {
		return do(list[0])
	}
	log := a.log
	defer func() { a.log, a.env.Log = log, log }()
	var first error
	ended := make([]turn, len(list))
	for i, j := range list {
		x := &ended[i]
		*x = turn{Job: j.Title(), File: j.File, State: jobWaits}
		if a.stopping() && first == nil {
			first = fmt.Errorf("%s was not begun: %w", j.Title(), stages.ErrStopped)
			a.report("", first)
		}
		if a.stopping() || first != nil && !how.goOn {
			continue
		}
		a.log = log.With("job", j.Title())
		a.env.Log = a.log
		before := a.seen.Load()
		err := do(j)
		status := a.status(err)
		x.Status, x.State = &status, jobDone
		if seen := a.seen.Load(); seen != before {
			x.Run = seen.id
			if r := seen.result; r != nil && r.Nothing {
				x.State = jobNothing
			}
		}
		if err == nil {
			continue
		}
		x.State, x.Error = jobFailed, err.Error()
		a.report(j.Title(), err)
		if first == nil {
			first = err
		}
	}
	if !how.quiet {
		a.printTurns(ended, a.status(first))
	}
	if first != nil {
		return silent{first}
	}
	return nil
}

// stopping reports whether a signal has asked the program to end.
func (a *app) stopping() bool {
	select {
	case <-a.stop:
		return true
	default:
		return false
	}
}

// printTurns prints the summary of several jobs. status is the exit status of the command.
func (a *app) printTurns(ended []turn, status int) {
	if a.json {
		a.printJSON(map[string]any{"event": "jobs", "status": status, "jobs": ended})
		return
	}
	rows := make([][]string, len(ended))
	count := map[string]int{}
	for i, x := range ended {
		count[x.State]++
		rows[i] = []string{printable(x.Job), strings.ReplaceAll(x.State, "_", " ")}
		if x.State == jobFailed {
			rows[i][1] += fmt.Sprintf(" (status %d)", *x.Status)
		}
	}
	var parts []string
	for _, state := range []string{jobDone, jobNothing, jobFailed, jobWaits} {
		if count[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[state], strings.ReplaceAll(state, "_", " ")))
		}
	}
	a.printf("%d jobs: %s\n", len(ended), strings.Join(parts, ", "))
	a.table(rows)
}

// heading prints the name of a job over its result, if a command has several jobs.
func (a *app) heading(list []*jobs.Job, j *jobs.Job) {
	if len(list) > 1 && !a.json {
		a.printf("%s:\n", printable(j.Title()))
	}
}
