package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
)

// notification is what the command of run.notify learns of a run.
type notification struct {
	Job     string       `json:"job"`
	File    string       `json:"file"`
	Run     string       `json:"run"`
	Target  string       `json:"target"`
	Status  int          `json:"status"`
	Error   string       `json:"error,omitempty"`
	Began   time.Time    `json:"began"`
	Seconds float64      `json:"seconds"`
	Result  *jobs.Result `json:"result,omitempty"` // of the migration; none if it has failed
}

// longestError is the most bytes of an error in a variable of the environment. The JSON
// has the whole error.
const longestError = 4096

// notify calls the command of run.notify with the result of a run that has ended. A
// command that fails, or takes too long, is a warning.
func (a *app) notify(ctx context.Context, o *observation, failed error) {
	n := o.job.Run.Notify
	if len(n.Command) == 0 {
		return
	}
	told := notification{
		Job: o.job.Title(), File: o.job.File, Run: o.id, Target: store.Shown(o.job.Target.URL), Status: o.status,
		Began: o.began.UTC(), Seconds: o.ended.Sub(o.began).Seconds(), Result: o.result,
	}
	if failed != nil {
		told.Error = failed.Error()
	}
	if err := told.call(context.WithoutCancel(ctx), o.job, a); err != nil {
		p := o.job.Problem("run.notify", err.Error(), "the run has ended nevertheless, with status "+strconv.Itoa(o.status))
		p.Warning = true
		a.warn(jobs.Problems{p})
	}
}

// call calls the command, and waits for it within its time.
func (told *notification) call(ctx context.Context, j *jobs.Job, a *app) error {
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	n := j.Run.Notify
	ctx, cancel := context.WithTimeout(ctx, n.Timeout)
	defer cancel()
	program := n.Command[0]
	if strings.ContainsRune(filepath.ToSlash(program), '/') && !filepath.IsAbs(program) {
		// An absolute path, because the shortest form of a path may have no slash.
		if program, err = filepath.Abs(filepath.Join(j.Dir, program)); err != nil {
			return err
		}
	}
	c := exec.CommandContext(ctx, program, n.Command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(append(text, '\n')), a.err, a.err
	short := strings.ReplaceAll(told.Error, "\x00", "")
	c.Env = append(os.Environ(),
		"ZMIGRATE_JOB="+told.Job, "ZMIGRATE_RUN="+told.Run, "ZMIGRATE_TARGET="+told.Target,
		"ZMIGRATE_STATUS="+strconv.Itoa(told.Status), fmt.Sprintf("ZMIGRATE_SECONDS=%.3f", told.Seconds),
		"ZMIGRATE_ERROR="+strings.ToValidUTF8(short[:min(len(short), longestError)], ""))
	c.WaitDelay = time.Second // for its output, if another process holds it
	withChildren(c)
	err = c.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the command has not ended within %s and was killed", n.Timeout)
	}
	// A word of the command may hold a secret, so the message names the field alone.
	if place, ok := errors.AsType[*fs.PathError](err); ok {
		err = place.Err
	} else if missing, ok := errors.AsType[*exec.Error](err); ok {
		err = missing.Err
	}
	if err != nil {
		return fmt.Errorf("the command has failed: %w", err)
	}
	return nil
}
