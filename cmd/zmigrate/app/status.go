package app

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
)

func (a *app) statusCommand() *cli.Command {
	return a.subcommand(&cli.Command{
		Name: "status", Usage: "show what a job's checkpoint holds", ArgsUsage: "JOB…",
		Description: jobFolders + ". Opens neither source nor target.",
		Flags:       append(jobFlags(), &cli.BoolFlag{Name: "live", Usage: "ask the run, which must be on this machine, what each of its workers does"}),
		Action: func(c *cli.Context) error {
			names, err := jobFiles(c)
			if err != nil {
				return err
			}
			list, err := a.checkedAll(c, names)
			if err != nil {
				return err
			}
			return a.inTurn(list, turns{goOn: true, quiet: true}, func(j *jobs.Job) error { return a.showStatus(c, j, len(list) > 1) })
		},
	})
}

// showStatus prints what the checkpoint of a job holds or, with --live, what the run does. As JSON,
// the status of one of several jobs has the name of the job.
func (a *app) showStatus(c *cli.Context, j *jobs.Job, several bool) error {
	s, err := jobs.ReadStatus(c.Context, j, a.env)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("live"):
		l, err := askLive(c.Context, s)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", j.Title(), err)
		case a.json:
			a.printJSON(l)
		default:
			a.printf("%s", l.text())
		}
	case a.json && several:
		a.printJSON(struct {
			Job string `json:"job"`
			*jobs.Status
		}{j.Title(), s})
	case a.json:
		a.printJSON(s)
	default:
		a.printStatus(j, s)
	}
	return nil
}

// runText names a run for people. It is "" for a run of an earlier version of this program,
// because such runs have no name.
func runText(id string) string {
	if id == "" {
		return ""
	}
	return ", run " + id
}

func (a *app) printStatus(j *jobs.Job, s *jobs.Status) {
	name := j.Title()
	if s.Differences != nil {
		a.printf("%s: this job has no checkpoint; the checkpoint at %s belongs to another job, which differs in:\n", name, s.Checkpoint)
		for _, d := range s.Differences {
			a.printf("  %s\n", d)
		}
		name = "that job"
	}
	switch s.State {
	case "none":
		a.printf("%s: no checkpoint at %s\n", name, s.Checkpoint)
		return
	case "complete":
		a.printf("%s: complete since %s%s\n", name, s.Finished.Format(time.RFC3339), runText(s.Run))
	case "saved":
		a.printf("%s: the plan is saved and no process works on it\n", name)
	case "running":
		if s.Owner == nil {
			a.printf("%s: running\n", name)
			break
		}
		a.printf("%s: running on %s, process %d%s, since %s, last heartbeat %s\n", name,
			s.Owner.Host, s.Owner.PID, runText(s.Owner.Run), s.Owner.Started.Format(time.RFC3339), s.Heartbeat.Format(time.RFC3339))
	default:
		a.printf("%s: interrupted; run it again to go on\n", name)
		if s.Owner != nil {
			a.printf("process %d on %s%s has ended without releasing the lock, last heartbeat %s\n",
				s.Owner.PID, s.Owner.Host, runText(s.Owner.Run), s.Heartbeat.Format(time.RFC3339))
		}
	}
	switch {
	case s.Dimension != "" && s.State == "complete":
		a.printf("appended last: %s\n", appendedText(s.Dimension, s.Appended, s.AppendedIn))
	case s.Dimension != "":
		a.printf("appending along %s\n", s.Dimension)
	}
	a.printf("%d of %d chunks done, %d left, %s stored\n", s.Done, s.Chunks, s.Chunks-s.Done, words.Size(s.BytesOut))
	a.printCampaign(s.Campaign)
	rows := make([][]string, 0, len(s.Arrays))
	for _, x := range s.Arrays {
		rows = append(rows, []string{nodeName(x.Path), fmt.Sprintf("%d of %d", x.Done, x.Chunks)})
	}
	a.table(rows)
}

// printCampaign prints how far several processes are with a saved plan, and which attempts have
// failed or are under way.
func (a *app) printCampaign(s *jobs.CampaignStatus) {
	if s == nil {
		return
	}
	a.printf("plan %.12s, saved on %s at %s: %d bundles done, %d running, %d failed\n", s.Plan, s.Host, s.Saved.Format(time.RFC3339), s.Done, s.Running, s.Failed)
	const most = 20
	var rows [][]string
	for _, x := range s.Attempts[:min(len(s.Attempts), most)] {
		who, why := "", x.Error
		if x.Owner != nil {
			who = fmt.Sprintf("process %d on %s%s", x.Owner.PID, x.Owner.Host, runText(x.Owner.Run))
		}
		if x.State == "lost" {
			why = "the process has ended without a word"
		}
		rows = append(rows, []string{fmt.Sprintf("units %d-%d", x.First, x.End), x.State, who, printable(why)})
	}
	a.table(rows)
	if n := len(s.Attempts) - most; n > 0 {
		a.printf("and %d more attempts\n", n)
	}
}
