package slurm

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Task is a task of the array job, or the job that ends the campaign.
type Task struct {
	ID       string `json:"id"`       // such as 12_3
	State    string `json:"state"`    // as Slurm spells it, such as COMPLETED
	Requeued int    `json:"requeued"` // how often

	job, reason string
}

// final are the states that a job does not leave by itself.
func final() []string {
	return []string{"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE"}
}

// Wait waits until the jobs of a campaign have ended. It returns the tasks that Slurm still knows
// and that have not succeeded.
//
// Slurm begins a task that it has requeued, such as one whose node was lost, two minutes later.
// Wait has it begin at once.
func (s *Submitted) Wait(ctx context.Context, log *slog.Logger) (failed []Task, err error) {
	// Slurm's controller has many users, so pauses grow while nothing changes.
	const least, most = time.Second, 10 * time.Second
	var before []Task
	for pause := least; ; pause = min(pause*3/2, most) {
		now, err := s.tasks(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil: // the controller may begin again
			log.Warn("Slurm does not tell how far its jobs are", "error", err)
		case !slices.ContainsFunc(now, func(t Task) bool { return !slices.Contains(final(), t.State) }):
			return slices.DeleteFunc(now, func(t Task) bool { return t.State == "COMPLETED" }), nil
		default:
			s.release(ctx, now, log)
			if !slices.Equal(now, before) {
				pause = least
			}
			before = now
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// tasks asks Slurm for the tasks of the campaign. Slurm forgets tasks some minutes after they have
// ended.
func (s *Submitted) tasks(ctx context.Context) ([]Task, error) {
	names := s.Finish.Name
	if s.Work != nil {
		names += "," + s.Work.Name
	}
	text, err := output(ctx, "squeue", "--noheader", "--array", "--states=all", "--name="+names,
		"--Format=ArrayJobID:30,ArrayTaskID:30,State:30,RestartCnt:12,Reason:60")
	if err != nil {
		return nil, err
	}
	all, err := readTasks(text)
	return slices.DeleteFunc(all, func(t Task) bool { return !slices.Contains(s.IDs(), t.job) }), err
}

// readTasks reads lines of squeue: the numbers of a job and of its task, the state, how often the
// task was requeued, and why it is pending.
func readTasks(text string) (list []Task, err error) {
	for _, line := range lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 {
			return nil, fmt.Errorf("squeue prints %q", line)
		}
		t := Task{ID: f[0], State: f[2], job: f[0], reason: strings.Join(f[4:], " ")}
		if f[1] != "N/A" {
			t.ID += "_" + f[1]
		}
		if t.Requeued, err = strconv.Atoi(f[3]); err != nil {
			return nil, fmt.Errorf("squeue prints %q", line)
		}
		list = append(list, t)
	}
	return list, nil
}

// release has the tasks begin that Slurm has requeued and lets wait.
func (s *Submitted) release(ctx context.Context, tasks []Task, log *slog.Logger) {
	for _, t := range tasks {
		if t.State != "PENDING" || t.Requeued == 0 || t.reason != "BeginTime" {
			continue
		}
		if _, err := output(ctx, "scontrol", "update", "JobId="+t.ID, "StartTime=now"); err != nil {
			log.Warn("a task that was requeued waits for two minutes", "task", t.ID, "error", err)
		}
	}
}
