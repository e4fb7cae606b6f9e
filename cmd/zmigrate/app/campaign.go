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
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/stages"
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

// onlyWith returns an error if one of some flags is set without the flag that gives them a meaning.
func onlyWith(c *cli.Context, flag string, others ...string) error {
	for _, name := range others {
		if c.IsSet(name) && !c.IsSet(flag) {
			return invalid(fmt.Errorf("%s: --%s means nothing without --%s", c.Command.Name, name, flag))
		}
	}
	return nil
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
	campaign, complete, err := jobs.Save(c.Context, p, a.env, jobs.RunOptions{Owner: journal.ThisProcess("zmigrate plan --save " + j.File), Confirm: a.confirmation(c), Repair: repair})
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

// noWork says that a job is complete.
func (a *app) noWork(j *jobs.Job) {
	if a.json {
		a.printJSON(map[string]any{"event": "summary", "job": j.Title(), "target": j.Target.URL, "nothing_to_do": true})
		return
	}
	a.printf("%s: nothing to do, %s is complete\n", j.Title(), j.Target.URL)
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

func (a *app) finishCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "finish", Usage: "complete the target when all parts of a saved plan are done", ArgsUsage: "JOB",
		Description: "Checks that the receipts of the command work cover the plan, compares them with the objects of the\n" +
			"target, and writes the metadata. Until then no reader sees the target. If units are missing, nothing\n" +
			"changes, and the exit status is 3.\n\n" + exitTable,
		Flags: append(append(jobFlags(), metricsFlags()...), planFlag(), verifyLevelFlag("add up the parts of a verification of this `LEVEL` instead, and tell the result"),
			&cli.IntFlag{Name: "bundles", Value: 1, Usage: "with --verify: the `NUMBER` of parts"},
			&cli.DurationFlag{Name: "wait", Usage: "if units are missing, or a process that works on the job is alive, wait for this `TIME` at most, such as 12h"}),
		Action: func(c *cli.Context) error {
			j, err := a.oneJob(c)
			if err != nil {
				return err
			}
			if err := onlyWith(c, "verify", "bundles"); err != nil {
				return err
			}
			if c.IsSet("verify") {
				return a.measured(c, func() error { return a.finishVerify(c, j, c.Int("bundles")) })
			}
			end := time.Now().Add(c.Duration("wait"))
			if err := a.waitForUnits(c, j); err != nil {
				return err
			}
			return a.measured(c, func() error { return a.observed(c, j, a.finishBefore(end)) })
		},
	})
}

// waitForUnits waits until all units of a saved plan are done, as long as --wait allows.
func (a *app) waitForUnits(c *cli.Context, j *jobs.Job) error {
	return a.waitFor(c, func() (left int, err error) {
		s, err := jobs.ReadStatus(c.Context, j, a.env)
		if err != nil || s.Campaign == nil || len(s.Campaign.Left) == 0 {
			return 0, err
		}
		return s.Chunks - s.Done, nil
	})
}

// waitFor waits until nothing is left, as long as --wait allows. It looks again after 5 seconds, or
// after ten times as long as a look takes.
func (a *app) waitFor(c *cli.Context, look func() (left int, err error)) error {
	const least, patience = 5 * time.Second, 10
	for end := time.Now().Add(c.Duration("wait")); time.Now().Before(end); {
		began := time.Now()
		left, err := look()
		if err != nil || left == 0 {
			return err
		}
		a.log.Info("waiting for workers", "left", left)
		select {
		case <-time.After(min(max(least, patience*time.Since(began)), time.Until(end))):
		case <-a.stop:
			return stages.ErrStopped
		case <-c.Done():
			return c.Err()
		}
	}
	return nil
}

// finishBefore returns finish. If a process that works on the job is alive, it tries again until end:
// processes of workers that were lost may need a while to end.
func (a *app) finishBefore(end time.Time) func(c *cli.Context, j *jobs.Job) error {
	const least, most = time.Second / 2, 5 * time.Second
	return func(c *cli.Context, j *jobs.Job) error {
		for pause := least; ; pause = min(2*pause, most) {
			err := a.finish(c, j)
			if _, held := errors.AsType[*journal.HeldError](err); !held || !time.Now().Before(end) {
				return err
			}
			if pause == least {
				a.log.Warn("waiting for the end of another process", "until", end.UTC().Format(time.RFC3339), "error", err)
			}
			select {
			case <-time.After(min(pause, time.Until(end))):
			case <-a.stop:
				return stages.ErrStopped
			case <-c.Done():
				return c.Err()
			}
		}
	}
}

// finish completes the target of a job from the receipts of its workers.
func (a *app) finish(c *cli.Context, j *jobs.Job) error {
	result, err := a.finishPlan(c, j)
	if err != nil || result == nil {
		return err
	}
	return a.verifyAfter(c, j, result)
}

// finishPlan is finish without a verification. The result is nil if there was nothing to do.
func (a *app) finishPlan(c *cli.Context, j *jobs.Job) (_ *jobs.Result, err error) {
	p, err := a.savedPlanOf(c, j)
	if err != nil {
		return nil, err
	}
	if p == nil {
		a.noWork(j)
		return nil, nil
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	seen := a.seen.Load()
	seen.plan(p.Requests)
	defer seen.plan(nil)
	a.migrating.Store(true)
	defer a.migrating.Store(false)
	result, err := jobs.Finish(c.Context, p, a.env, jobs.RunOptions{Begin: seen.begin, Stop: a.stop, Owner: seen.owner(), Monitor: &seen.monitor})
	if err != nil {
		return nil, fullDisk(p, err)
	}
	seen.migrated(result)
	a.summary(j, result, 0, openingOf(p.Arrays))
	return result, nil
}
