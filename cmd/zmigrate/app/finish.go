package app

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/stages"
)

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
