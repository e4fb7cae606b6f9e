package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/engines"
	"github.com/zmigrate/zmigrate/engines/slurm"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
)

// slurmEngine returns the engine that submits campaigns to Slurm.
func slurmEngine() engine {
	return engine{name: "slurm", prepare: (*app).prepareSlurm, flags: []cli.Flag{
		&cli.IntFlag{Name: "cpus-per-task", Value: 4, Usage: "slurm: `NUMBER` of cores of a task"},
		&cli.StringSliceFlag{Name: "slurm", Usage: "slurm: an `OPTION` of sbatch for both jobs, as one word, such as --partition=long; may be repeated"},
		&cli.StringFlag{Name: "slurm-folder", DefaultText: "JOB.slurm, beside the job file if that can be written", Usage: "slurm: the `FOLDER` of the scripts and of what the tasks print; all machines need it"},
		&cli.BoolFlag{Name: "wait", Usage: "slurm: wait for the end of the jobs, and have tasks begin at once that were requeued"},
	}}
}

// prepareSlurm reads the options for Slurm.
func (a *app) prepareSlurm(c *cli.Context, _ *engines.Campaign) (func(*engines.Campaign) error, error) {
	opt := slurm.Options{Slots: c.Int("slots"), Cores: c.Int("cpus-per-task"), Attempts: c.Int("retries") + 1, Site: c.StringSlice("slurm")}
	if opt.Cores < 1 {
		return nil, invalid(fmt.Errorf("--cpus-per-task %d: want 1 or more", opt.Cores))
	}
	if err := slurm.CheckSite(opt.Site); err != nil {
		return nil, invalid(fmt.Errorf("--slurm: %w", err))
	}
	return func(campaign *engines.Campaign) error { return a.submitToSlurm(c, campaign, opt) }, nil
}

// submitToSlurm submits a campaign to Slurm.
func (a *app) submitToSlurm(c *cli.Context, campaign *engines.Campaign, opt slurm.Options) error {
	dry := c.Bool("dry-run")
	var err error
	if opt.Folder, err = slurmFolder(c.String("slurm-folder"), campaign.JobFile, dry); err != nil {
		return err
	}
	if dry {
		request, err := slurm.Plan(c.Context, campaign, opt)
		if err != nil {
			return err
		}
		if a.json {
			a.printJSON(map[string]any{"event": "request", "engine": "slurm", "job": campaign.Name, "plan": campaign.Plan, "tasks": request.Tasks, "parts": request.Parts, "script": request.Text()})
			return nil
		}
		a.printf("%s", request.Text())
		return nil
	}
	s, err := slurm.Submit(c.Context, campaign, opt)
	if err != nil {
		return err
	}
	a.submitted(campaign, s)
	if !c.Bool("wait") {
		return nil
	}
	return a.waitForSlurm(c, campaign, s)
}

// slurmFolder returns the absolute path of the folder for scripts and output. Unless a folder is
// named, it is beside the job file or, if it cannot be made there, in the working directory.
func slurmFolder(named, jobFile string, dry bool) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	folder := strings.TrimSuffix(jobFile, filepath.Ext(jobFile)) + ".slurm"
	if dry || os.MkdirAll(folder, 0o777) == nil {
		return folder, nil
	}
	return filepath.Abs(filepath.Base(folder))
}

// submitted says which jobs Slurm has taken.
func (a *app) submitted(campaign *engines.Campaign, s *slurm.Submitted) {
	if a.json {
		a.printJSON(map[string]any{
			"event": "submitted", "engine": "slurm", "job": campaign.Name, "plan": campaign.Plan, "tasks": s.Tasks, "parts": s.Parts,
			"work": s.WorkID, "finish": s.FinishID, "folder": s.Folder,
		})
		return
	}
	if s.WorkID == "" {
		a.printf("%s: all parts are done; Slurm's job %s finishes\n", campaign.Name, s.FinishID)
	} else {
		a.printf("%s: Slurm's job %s does %s in %s, and job %s finishes\n", campaign.Name, s.WorkID, words.Count(s.Parts, "part"), words.Count(s.Tasks, "task"), s.FinishID)
	}
	a.table([][]string{
		{"how far", "zmigrate status " + printable(shown(campaign.JobFile))},
		{"the jobs", "squeue --jobs=" + strings.Join(s.IDs(), ",")},
		{"their output", printable(shown(s.Folder))},
		{"to stop them", "scancel " + strings.Join(s.IDs(), " ")},
	})
}

// waitForSlurm waits until the jobs of a campaign have ended, and says whether the target is
// complete.
func (a *app) waitForSlurm(c *cli.Context, campaign *engines.Campaign, s *slurm.Submitted) error {
	failed, err := s.Wait(c.Context, a.log)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			err = &interruptedError{fmt.Sprintf("interrupted: the jobs %s go on", strings.Join(s.IDs(), " ")), err}
		}
		return err
	}
	j, err := a.oneJob(c)
	if err != nil {
		return err
	}
	now, err := jobs.ReadStatus(c.Context, j, a.env)
	if err != nil {
		return err
	}
	complete := now.State == "complete" && len(now.Differences) == 0
	if a.json {
		a.printJSON(map[string]any{"event": "ended", "engine": "slurm", "job": campaign.Name, "plan": campaign.Plan, "complete": complete, "failed": append([]slurm.Task{}, failed...)})
	}
	if complete {
		if !a.json {
			a.printf("%s: %s is complete\n", campaign.Name, j.Target.URL)
		}
		return nil
	}
	const most = 10
	var which []string
	for _, t := range failed[:min(len(failed), most)] {
		which = append(which, t.ID+" "+t.State)
	}
	if len(failed) > most {
		which = append(which, fmt.Sprintf("and %d more", len(failed)-most))
	}
	return fmt.Errorf("the target is not complete, and the jobs of Slurm have ended (%s): mend the cause, see %s and zmigrate status, and submit again", strings.Join(which, ", "), printable(shown(s.Folder)))
}
