package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/engines"
)

// Submitted are the jobs of a campaign that Slurm has taken.
type Submitted struct {
	*Request
	WorkID, FinishID string // their numbers; WorkID is "" if all parts were done
}

// IDs returns the numbers of the jobs.
func (s *Submitted) IDs() []string {
	if s.WorkID == "" {
		return []string{s.FinishID}
	}
	return []string{s.WorkID, s.FinishID}
}

// UnderWayError is the error about a campaign whose jobs are still pending or running.
type UnderWayError struct {
	IDs  []string // the numbers of the jobs
	Jobs []string // the number and the state of each job or group of tasks, such as "12_[0-3] PENDING"
}

func (e *UnderWayError) Error() string {
	return fmt.Sprintf("jobs of this plan are in Slurm's queue already (%s): wait for them, or cancel them by scancel %s",
		strings.Join(e.Jobs, ", "), strings.Join(e.IDs, " "))
}

// Plan returns what Submit would ask of Slurm. If opt.Slots is set, Plan needs no Slurm, and does
// not know the most tasks that Slurm allows.
func Plan(ctx context.Context, c *engines.Campaign, opt Options) (*Request, error) {
	if err := CheckSite(opt.Site); err != nil {
		return nil, err
	}
	n := opt.Slots
	if n == 0 && len(c.Parts) > 0 {
		usable, err := slots(ctx, cmp.Or(partitionOf(opt.Site), os.Getenv("SBATCH_PARTITION")), opt.cores())
		if err != nil {
			return nil, err
		}
		most, err := mostTasks(ctx)
		if err != nil {
			return nil, err
		}
		n = min(usable, most)
	}
	return prepare(c, opt, min(n, len(c.Parts)))
}

// Submit writes the scripts of a campaign and submits its jobs. The error is an *UnderWayError if
// Slurm has jobs of the same plan already.
func Submit(ctx context.Context, c *engines.Campaign, opt Options) (*Submitted, error) {
	if err := CheckSite(opt.Site); err != nil {
		return nil, err
	}
	if err := notUnderWay(ctx, c); err != nil {
		return nil, err
	}
	if opt.Slots > 0 {
		most, err := mostTasks(ctx)
		if err != nil {
			return nil, err
		}
		opt.Slots = min(opt.Slots, most)
	}
	r, err := Plan(ctx, c, opt)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Folder, 0o777); err != nil {
		return nil, err
	}
	s := &Submitted{Request: r}
	var more []string
	if r.Work != nil {
		if s.WorkID, err = submit(ctx, r.Work, nil); err != nil {
			return nil, err
		}
		more = after(s.WorkID)
	}
	if s.FinishID, err = submit(ctx, r.Finish, more); err != nil && s.WorkID != "" {
		_, failed := output(context.WithoutCancel(ctx), "scancel", s.WorkID)
		return nil, errors.Join(err, failed)
	}
	return s, err
}

// submit writes the script of a job and submits the job. It returns the number of the job.
func submit(ctx context.Context, j *Job, more []string) (id string, err error) {
	if err := os.WriteFile(j.File, []byte(j.Script), 0o777); err != nil {
		return "", err
	}
	text, err := output(ctx, "sbatch", append(slices.Concat(j.Options, more), j.File)...)
	if err != nil {
		return "", err
	}
	id, _, _ = strings.Cut(strings.TrimSpace(text), ";") // the name of the cluster may follow
	if id == "" || strings.Trim(id, "0123456789") != "" {
		return "", fmt.Errorf("sbatch prints %q instead of the number of a job", text)
	}
	return id, nil
}

// notUnderWay returns an *UnderWayError if jobs of a campaign are pending or running.
func notUnderWay(ctx context.Context, c *engines.Campaign) error {
	text, err := output(ctx, "squeue", "--noheader", "--sort=i", "--name="+jobName(c, "work")+","+jobName(c, "finish"), "--format=%F %i %T")
	if err != nil {
		return err
	}
	return underWay(text)
}

// underWay reads lines of squeue: the number of a job, the number with those of tasks, and the state.
func underWay(text string) error {
	failed := &UnderWayError{}
	seen := map[string]bool{}
	for _, line := range lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 {
			return fmt.Errorf("squeue prints %q", line)
		}
		if !seen[f[0]] {
			failed.IDs = append(failed.IDs, f[0])
		}
		seen[f[0]] = true
		failed.Jobs = append(failed.Jobs, f[1]+" "+f[2])
	}
	if failed.Jobs == nil {
		return nil
	}
	return failed
}
