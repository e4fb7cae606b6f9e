package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/stages"
)

func (a *app) workCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "work", Usage: "do a part of a plan that plan --save has saved, on any machine", ArgsUsage: "JOB",
		Description: "Any number of processes may work at the same time. Each writes objects to the target and leaves\n" +
			"receipts in the checkpoint. The command finish makes the target visible.\n\n" + exitTable,
		Flags: append(append(jobFlags(), runFlags()...), planFlag(), verifyLevelFlag("read a part of the target back instead, as zmigrate verify does with this `LEVEL`"),
			&cli.StringFlag{Name: "bundle", Usage: "do part `I/N` of the units, with I from 0 to N-1; ${NAME} stands for the value of an environment variable"},
			&cli.StringFlag{Name: "units", Usage: "do the units `FIRST-END`, END not included"},
			&cli.BoolFlag{Name: "stdin", Usage: "do the units of each line of standard input, FIRST-END or I/N, and print a line of JSON for each"},
			&cli.BoolFlag{Name: "check", Usage: "do no units, but say whether this process could"},
			&cli.BoolFlag{Name: "left", Usage: "leave out the units of the part that are done"},
			&cli.BoolFlag{Name: "end-with-input", Usage: "stop when standard input ends, whatever is left to do: the process that writes to it may have died"},
			&cli.IntFlag{Name: "end-with", DefaultText: "no process", Usage: "for scripts: end when the parent of this process is no longer the process `PID`"}),
		Action: func(c *cli.Context) error {
			set := 0
			for _, name := range []string{"bundle", "units", "stdin", "check"} {
				if c.IsSet(name) {
					set++
				}
			}
			if set != 1 {
				return invalid(errors.New("work: want one of --bundle, --units, --stdin and --check"))
			}
			j, err := a.oneJob(c)
			if err != nil {
				return err
			}
			if c.IsSet("end-with") {
				if err := endWith(c.Int("end-with"), os.Getppid); err != nil {
					return err
				}
			}
			in := &lines{}
			if c.Bool("stdin") || c.Bool("end-with-input") {
				in = a.readLines(os.Stdin, c.Bool("end-with-input"))
			}
			if c.IsSet("verify") {
				return a.workVerify(c, j, in)
			}
			return a.work(c, j, in)
		},
	})
}

// endWith ends the process when its parent has another PID than the given one: then that process
// has ended. It looks twice a second. A script of a shell that has written its parts
// to standard input cannot hold standard input open, which --end-with-input needs.
func endWith(pid int, parent func() int) error {
	if is := parent(); is != pid {
		return fmt.Errorf("--end-with %d: the parent of this process is %d", pid, is)
	}
	go func() {
		for range time.Tick(500 * time.Millisecond) {
			if parent() != pid {
				os.Exit(exitStopped)
			}
		}
	}()
	return nil
}

// workLine is what work --stdin prints for a line.
type workLine struct {
	*jobs.Receipts
	*verifiedPart
	Job   string `json:"job"`
	Line  string `json:"line"`
	Error string `json:"error,omitempty"`
}

// work does parts of the saved plan of a job.
func (a *app) work(c *cli.Context, j *jobs.Job, in *lines) (err error) {
	if err := errors.Join(a.fit(j), a.fitFiles(j)); err != nil {
		return err
	}
	p, err := a.savedPlanOf(c, j)
	if err != nil {
		return err
	}
	if p == nil {
		a.noWork(j)
		return nil
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	defer forRunning(j)()
	w, owner, err := a.newWorker(c, j, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close(context.WithoutCancel(c.Context))) }()
	a.migrating.Store(true)
	defer a.migrating.Store(false)
	switch {
	case c.Bool("check"):
		a.ready(j, owner.Host, p.Units())
		return nil
	case c.Bool("stdin"):
		return a.workLines(j, in, func(line string) (out workLine, err error) {
			b, err := parseBundle(p, line)
			if err != nil {
				return out, invalid(err)
			}
			if out.Receipts, err = a.workOn(c, w, b); err == nil || ends(err) {
				return out, err
			}
			// What has failed may still be on its way, so another worker does the next bundle.
			next, _, failed := a.newWorker(c, j, p)
			if failed == nil {
				failed, w = w.Close(context.WithoutCancel(c.Context)), next
			}
			return out, errors.Join(err, failed)
		})
	}
	text, err := withVariables(c.String("bundle") + c.String("units"))
	if err != nil {
		return invalid(err)
	}
	b, err := parseBundle(p, text)
	if err != nil {
		return invalid(err)
	}
	began := time.Now()
	made, err := a.workOn(c, w, b)
	if err != nil {
		return err
	}
	var bytes int64
	for _, x := range made.List {
		bytes += x.Bytes
	}
	if a.json {
		a.printJSON(map[string]any{"event": "bundle", "job": j.Title(), "run": owner.Run, "plan": made.Plan, "first": b.First, "end": b.End, "bytes_out": bytes, "seconds": time.Since(began).Seconds()})
	} else if b.Units() == 0 {
		a.printf("%s: this part has no units; others have them all\n", j.Title())
	} else {
		a.printf("%s: units %d-%d of %d are done, %s stored\n", j.Title(), b.First, b.End, p.Units(), words.Size(bytes))
	}
	return nil
}

// newWorker joins the campaign of a plan, under a name of its own.
func (a *app) newWorker(c *cli.Context, j *jobs.Job, p *jobs.Plan) (*jobs.Worker, journal.Owner, error) {
	owner := journal.ThisProcess("zmigrate work " + j.File)
	owner.Run = journal.NewRun()
	a.env.Log = a.log.With("run", owner.Run)
	w, err := jobs.NewWorker(c.Context, p, a.env, jobs.RunOptions{Owner: owner})
	return w, owner, err
}

// ends reports whether no more parts can be done after an error.
func ends(err error) bool {
	return errors.Is(err, journal.ErrLost) || errors.Is(err, stages.ErrStopped) || errors.Is(err, context.Canceled)
}

// workOn does a bundle.
func (a *app) workOn(c *cli.Context, w *jobs.Worker, b jobs.Bundle) (*jobs.Receipts, error) {
	made, err := w.Work(c.Context, b, jobs.RunOptions{Stop: a.stop, Left: c.Bool("left")})
	if err != nil {
		return nil, fmt.Errorf("units %d-%d: %w", b.First, b.End, err)
	}
	return made, nil
}

// ready says that this process can work on a plan.
func (a *app) ready(j *jobs.Job, host string, units int) {
	if a.json {
		a.printJSON(map[string]any{"event": "ready", "job": j.Title(), "host": host, "version": jobs.Program(), "units": units})
		return
	}
	a.printf("%s: this machine can work on the plan\n", j.Title())
}

// withVariables replaces ${NAME} by the value of an environment variable.
func withVariables(text string) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var err error
	text = os.Expand(text, func(name string) string {
		value, ok := os.LookupEnv(name)
		if !ok {
			err = fmt.Errorf("the environment variable %s is not set: the scheduler sets it for the processes that it starts", name)
		}
		return value
	})
	return text, err
}

// workLines does the parts that standard input names. A part that fails does not keep the others
// from being done. The error is that of the first one that failed.
func (a *app) workLines(j *jobs.Job, in *lines, do func(line string) (workLine, error)) error {
	var first error
	for {
		line, err := in.next(a.stop)
		if errors.Is(err, io.EOF) {
			return first
		}
		if err != nil {
			return errors.Join(first, err)
		}
		out, err := do(line)
		out.Job, out.Line = j.Title(), line
		if err != nil {
			out.Error = err.Error()
			if first == nil {
				first = err
			}
		}
		a.printJSON(out)
		if ends(err) {
			return first
		}
	}
}

// parseBundle reads a range of units: FIRST-END, or I/N for part I of N of the plan.
func parseBundle(p *jobs.Plan, text string) (b jobs.Bundle, err error) {
	separator := "-"
	if strings.Contains(text, "/") {
		separator = "/"
	}
	left, right, ok := strings.Cut(text, separator)
	from, err1 := strconv.Atoi(left)
	to, err2 := strconv.Atoi(right)
	const most = 1 << 20
	switch {
	case !ok || err1 != nil || err2 != nil || from < 0 || to < 0:
		return b, fmt.Errorf("%s is no range of units: want FIRST-END, such as 0-100, or I/N, such as 0/8", text)
	case separator == "/" && (from >= to || to > most):
		return b, fmt.Errorf("%s: want I/N with I from 0 to N-1, and N at most %d", text, most)
	case separator == "/":
		return p.Bundles(to)[from], nil
	case from >= to || to > p.Units():
		return b, fmt.Errorf("%s: the plan has the units 0-%d, and the end of a range is not part of it", text, p.Units())
	}
	return jobs.Bundle{First: from, End: to}, nil
}
