package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/engines"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/preview"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/verify"
	"github.com/zmigrate/zmigrate/stages"
)

// jobFlags returns the flags of commands that read a job file.
func jobFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "set", Usage: "set a field of the job, as `FIELD=VALUE`, such as run.memory=2GiB; may be repeated"},
	}
}

// runFlags returns the flags that override the job's run section.
func runFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "memory", Usage: "most chunk data in memory at the same time: a `SIZE` such as 512MiB"},
		&cli.IntFlag{Name: "workers", DefaultText: "what the job says", Usage: "`NUMBER` of workers of each stage: reading, encoding, writing"},
	}
}

// overrides returns the fields that the command line sets, as FIELD=VALUE. Flags take precedence
// over --set, and --set over variables of the environment.
func (a *app) overrides(c *cli.Context) []string {
	var variables, flags []string
	add := func(flag, field string, value any) {
		set := fmt.Sprintf("%s=%v", field, value)
		if a.overriding == nil {
			a.overriding = map[string]string{}
		}
		a.overriding["--set "+set] = a.given(flag, value)
		if a.variables[flag] {
			variables = append(variables, set)
		} else {
			flags = append(flags, set)
		}
	}
	if c.IsSet("memory") {
		add("memory", "run.memory", c.String("memory"))
	}
	if c.IsSet("workers") {
		for _, stage := range []string{"read", "encode", "write"} {
			add("workers", "run.workers."+stage, c.Int("workers"))
		}
	}
	if c.Bool("verify") {
		flags = append(flags, "run.verify="+string(verify.Decoded))
	}
	a.settings = c.StringSlice("set")
	return slices.Concat(variables, a.settings, flags)
}

// warn prints problems, each once in the life of the program, and those that are alike in one
// line. A problem of the file may be found again when the sources are open.
func (a *app) warn(problems jobs.Problems) {
	if a.warned == nil {
		a.warned = map[jobs.Problem]bool{}
	}
	for _, p := range a.ofFlags(problems).Folded() {
		if !a.warned[p] {
			a.warned[p] = true
			_, _ = fmt.Fprintln(a.err, p.String())
		}
	}
}

func (a *app) runCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "run", Usage: "migrate; if an earlier run stopped, go on from there", ArgsUsage: "JOB…",
		Description: jobFolders + ".\n\n" +
			"All jobs are checked before the first begins. If there are several, the first that fails ends the\n" +
			"command, and a summary at the end says how each job has ended. The exit status of several jobs is\n" +
			"the first that is not 0.\n\n" + exitTable,
		Flags: append(slices.Concat(jobFlags(), runFlags(), metricsFlags()),
			yesFlag(), verifyFlag(), keepGoingFlag(),
			&cli.BoolFlag{Name: "restart", Usage: "forget what earlier runs of the job have done, and make the target anew"},
			&cli.BoolFlag{Name: "dry-run", Usage: "do what the command plan does: open the sources, write nothing"}),
		Action: func(c *cli.Context) error {
			each := func() error {
				list, err := a.checkedApart(c)
				if err != nil {
					return err
				}
				for _, j := range list {
					if c.Bool("restart") && j.Target.Existing == "append" {
						return invalid(fmt.Errorf("%s: --restart: %w", j.File, run.ErrRestartAppends))
					}
				}
				if c.Bool("dry-run") {
					return a.plans(c, list, planShows{})
				}
				return a.inTurn(list, turns{goOn: c.Bool("keep-going")}, func(j *jobs.Job) error { return a.observed(c, j, a.run) })
			}
			if c.Bool("dry-run") {
				return each()
			}
			return a.measured(c, each)
		},
	})
}

const exitTable = exitTitle + " 0 done; 1 failed; 2 the job or the command line is invalid;\n" +
	"3 stopped before the end, or 130 interrupted: run it again to resume; 4 --verify found a difference;\n" +
	"5 another run holds the job's lock."

// overhead is the memory that the garbage collector allows beside the chunks in flight:
// for tables of compressors, open files, garbage. The program's own pages, some 20 MiB,
// are not included.
const overhead = 24 << 20

// planning is the least memory limit while a plan is made. A limit below the memory in use
// would make the garbage collector work all the time.
const planning = 160 << 20

// planGarbage is the least garbage that is allowed while a plan is made. The plan stays in memory,
// and with it the room for this garbage.
const planGarbage = 16 << 20

// leastRunGarbage is the least percentage of garbage that is allowed while a plan is run.
const leastRunGarbage = 20

// forPlanning sets the garbage collector for making and showing a plan: garbage takes at most a
// sixteenth of run.memory, which holds no chunks yet. done ends that.
func forPlanning(j *jobs.Job) (done func()) {
	debug.SetMemoryLimit(max(j.Run.Memory+overhead, planning))
	return boundGarbage(max(planGarbage, j.Run.Memory/16))
}

// newPlan makes the plan of a run. repair has the keys of objects to write again, or is nil.
func (a *app) newPlan(ctx context.Context, j *jobs.Job, repair []string) (*jobs.Plan, error) {
	defer forPlanning(j)()
	if repair != nil {
		return jobs.NewRepairPlan(ctx, j, a.env)
	}
	return jobs.NewPlan(ctx, j, a.env)
}

// forRunning sets the garbage collector for a run: beside the chunks in flight it allows the memory
// that the plan takes, and some garbage. done ends that.
func forRunning(j *jobs.Job) (done func()) {
	debug.FreeOSMemory() // gives back the memory that only making the plan took
	plan := liveHeap()
	debug.SetMemoryLimit(j.Run.Memory + overhead + plan)
	usual := debug.SetGCPercent(100)
	debug.SetGCPercent(min(usual, runGarbage(j.Run.Memory, plan)))
	return func() { debug.SetGCPercent(usual) }
}

// runGarbage returns how much garbage is allowed while a plan is run, in percent of the live data:
// a quarter of overhead and an eighth of run.memory, beside a plan of so many bytes. Each collection
// reads the whole plan. If there are many arrays, they are usually small, and their chunks leave most
// of run.memory unused. If chunks do need all of run.memory, the memory limit makes the collector run
// earlier. With 100,000 arrays and the default run.memory, a run takes 0.7 of the processor time that
// it takes with leastRunGarbage, and 110 MiB more.
func runGarbage(memory, plan int64) int {
	return max(leastRunGarbage, int(100*min(plan, overhead/4+memory/8)/plan))
}

// run migrates one job and prints the result. It makes another plan in two cases: if another
// run has appended to the target since the plan was made, and if files are left because an
// interrupted run had to be completed first.
//
// If the job or the command line asks for a verification, run verifies the target at the
// end, unless there was nothing to do since the last verification.
func (a *app) run(c *cli.Context, j *jobs.Job) error {
	if j.Target.References != "" {
		return a.refer(c, j)
	}
	r, err := a.migrate(c, j, nil)
	if err != nil {
		return err
	}
	return a.verifyAfter(c, j, r)
}

// verifyAfter verifies the target at the end of a run, if the job asks for that and there was
// something to do since the last verification.
func (a *app) verifyAfter(c *cli.Context, j *jobs.Job, r *jobs.Result) error {
	level := verify.Level(j.Run.Verify)
	if level == "" || level == "none" || r.Nothing && verify.Proves(r.Verified, level) {
		return nil
	}
	return a.verify(c, j, jobs.VerifyOptions{Level: level})
}

// migrate is run without a verification. The objects with the keys of repair are written
// again if the job is complete; nil: no object is repaired.
func (a *app) migrate(c *cli.Context, j *jobs.Job, repair []string) (*jobs.Result, error) {
	if err := errors.Join(a.fit(j), a.fitFiles(j)); err != nil {
		return nil, err
	}
	result, waiting, err := a.attempt(c, j, repair)
	if errors.Is(err, jobs.ErrOvertaken) {
		result, waiting, err = a.attempt(c, j, repair)
	}
	if err == nil && waiting > 0 {
		result, _, err = a.attempt(c, j, nil)
	}
	return result, err
}

// attempt makes a plan and runs it. It returns the result, and the number of files that are
// left to another plan.
func (a *app) attempt(c *cli.Context, j *jobs.Job, repair []string) (_ *jobs.Result, waiting int, err error) {
	plan, err := a.newPlan(c.Context, j, repair)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	defer forRunning(j)()
	a.warn(plan.Findings)
	show := a.newProgress(j.Title(), plan.Requests, func(i int) string { return plan.Arrays[i].Target })
	seen := a.seen.Load()
	seen.plan(plan.Requests)
	defer seen.plan(nil) // the plan may be large
	a.migrating.Store(true)
	defer a.migrating.Store(false)
	result, err := jobs.Run(c.Context, plan, a.env, jobs.RunOptions{
		Begin:   func(todo jobs.Progress) { seen.begin(todo); show.begin(todo) },
		Observe: func(e stages.Event) { seen.observe(e); show.observe(e) },
		Stop:    a.stop, Confirm: a.confirmation(c), Repair: repair, Restart: c.Bool("restart"),
		Owner: seen.owner(), Monitor: &seen.monitor,
	})
	show.end()
	if err != nil {
		return nil, 0, fullDisk(plan, err)
	}
	seen.migrated(result)
	a.summary(j, result, show.first, openingOf(plan.Arrays))
	return result, plan.Waiting(), nil
}

// summary prints the result of a run. resumed is the number of bytes that earlier runs
// have migrated. opens is how Python opens the target.
func (a *app) summary(j *jobs.Job, r *jobs.Result, resumed int64, opens opening) {
	if a.json {
		a.printJSON(struct {
			Event string `json:"event"`
			Job   string `json:"job"`
			*jobs.Result
		}{"summary", j.Title(), r})
		return
	}
	if r.Nothing && r.Dimension != "" {
		a.printf("%s: nothing to do, all rows of the source are in %s; %s\n", j.Title(), r.Target, a.verifiedText(j, r))
		return
	}
	if r.Nothing {
		a.printf("%s: nothing to do, %s is complete and the source has not changed; %s\n", j.Title(), r.Target, a.verifiedText(j, r))
		return
	}
	ratio := "–"
	if r.BytesOut > 0 {
		ratio = fmt.Sprintf("%.2f", float64(r.BytesIn)/float64(r.BytesOut))
	}
	rows := [][]string{
		{"arrays", fmt.Sprint(r.Arrays)},
		{"chunks", chunkSummary(r)},
		{"bytes in", words.Size(r.BytesIn)},
		{"bytes out", words.Size(r.BytesOut)},
		{"ratio", ratio},
		{"time", fmt.Sprintf("%s (%s/s)", r.Time.Round(time.Millisecond), words.Size(int64(float64(r.BytesIn-resumed)/max(r.Time.Seconds(), 1e-9))))},
		{"target", r.Target},
	}
	if how := openWith(r.Target, opens); how != "" {
		rows = append(rows, []string{"open with", how})
	}
	if r.Unlisted != "" {
		rows = append(rows, []string{"not listed in", "the consolidated metadata of " + shown(r.Unlisted) + ": write that metadata again"})
	}
	if r.Dimension != "" {
		rows = slices.Insert(rows, 1, []string{"appended", appendedText(r.Dimension, r.Appended, r.AppendedIn)})
	}
	if q := r.Requests; q.Source.Requests+q.Target.Requests > 0 {
		rows = append(rows, []string{"requests", fmt.Sprintf("%d to the source, %d to the target%s", q.Source.Requests, q.Target.Requests, trouble(q))})
	}
	a.printf("%s: done\n", j.Title())
	a.table(rows)
}

// verifiedText tells when the target of a complete job was verified, or how to do that.
func (a *app) verifiedText(j *jobs.Job, r *jobs.Result) string {
	if v := r.Verified; v != nil {
		sample := ""
		if v.Sample < 1 {
			sample = fmt.Sprintf(", a sample of %g%%", 100*v.Sample)
		}
		return fmt.Sprintf("verified %s (%s%s): %s", v.Time.Format(time.RFC3339), v.Level, sample, words.Count(v.Differences, "difference"))
	}
	command := "zmigrate verify "
	// If nothing was appended, the record is of the job that appended last, which may name other
	// files. The target's name leads to that record, unless the job keeps it elsewhere.
	if j.File == "copy" || r.Dimension != "" && j.Run.Checkpoint.URL == "" {
		return "not verified since: " + command + engines.ShellWord(shown(r.Target))
	}
	for _, set := range a.settings {
		command += "--set " + engines.ShellWord(shown(set)) + " "
	}
	return "not verified since: " + command + engines.ShellWord(shown(j.File))
}

// appendedText tells how many rows were appended. in has the numbers by group, or is
// nil if there is one number for all.
func appendedText(dimension string, rows int, in map[string]int) string {
	if in == nil {
		return fmt.Sprintf("%s along %s", words.Count(rows, "row"), dimension)
	}
	var parts []string
	for _, group := range slices.Sorted(maps.Keys(in)) {
		parts = append(parts, fmt.Sprintf("%s in /%s", words.Count(in[group], "row"), group))
	}
	return fmt.Sprintf("%s, along %s", strings.Join(parts, ", "), dimension)
}

// trouble tells how many requests were retries or were throttled; "" for none.
func trouble(r jobs.Requests) string {
	retries, throttled := r.Source.Retries+r.Target.Retries, r.Source.Throttled+r.Target.Throttled
	if retries+throttled == 0 {
		return ""
	}
	return fmt.Sprintf(", %d repeated, %d throttled", retries, throttled)
}

func chunkSummary(r *jobs.Result) string {
	text := fmt.Sprint(r.Chunks)
	if r.Empty > 0 {
		text += fmt.Sprintf(", %d of them only the fill value and not stored", r.Empty)
	}
	if r.Resumed > 0 {
		text += fmt.Sprintf(", %d done by earlier runs", r.Resumed)
	}
	if r.Mended > 0 {
		text += fmt.Sprintf(", %d mended, because the target no longer had what was written", r.Mended)
	}
	return text
}

// fullDisk says of a full disk how much room there is, and how much the target may take.
func fullDisk(p *jobs.Plan, err error) error {
	if !errors.Is(err, syscall.ENOSPC) || !store.Local(p.Job.Target.URL) {
		return err
	}
	total, text := preview.CostsOf(p).Total(), ""
	if free, files, known := freeSpace(existingFolder(store.Resolved(p.Job.Target.URL))); known {
		text = words.Size(free) + " are free there, and "
		if files < total.Objects {
			text = fmt.Sprintf("there is room for %s, and the target has %s; %s", words.Count(int(files), "more file"), words.Count(int(total.Objects), "object"), text)
		}
	}
	return fmt.Errorf("%w; %sthe whole target takes at most %s: make room and run the job again, which goes on from here", err, text, words.Size(total.BytesAtMost))
}
