package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// restartKey is the key of a mark in the checkpoint. The mark exists from the moment in which
// a run begins anew until the checkpoint has the new plan. Its text is the URL of the target
// as the job spells it. The mark counts only while the checkpoint has neither a plan nor a
// record of completion, so a mark that an interrupted run has left does no harm.
const restartKey = "restart"

// ErrRestartAppends is the error of a run that is to begin anew, although its job appends
// rows.
var ErrRestartAppends = errors.New("a job that appends cannot begin anew: rows of earlier runs would be lost; set target.existing: overwrite once to make a new target of the files that are there now")

// restarts reports whether the run begins anew at a target that holds only objects of the
// job. It does if the options say so and the checkpoint belongs to this target. It also does
// if an earlier run began anew and was interrupted.
func (r *run) restarts(ctx context.Context, opt Options) (bool, error) {
	text := r.journal.Completed()
	if text == nil {
		text = r.journal.Manifest()
	}
	if text != nil && !opt.Restart {
		return false, nil
	}
	target, err := targetOf(r.plan.Job.Normalised())
	if err != nil {
		return false, err
	}
	if text == nil {
		if !r.journal.Lists(restartKey) {
			return false, nil
		}
		mark, err := r.checkpoint.ReadAll(ctx, restartKey, 1<<20)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("checkpoint: %w", err)
		}
		return err == nil && string(mark) == target, nil
	}
	var m struct{ Manifest, Job json.RawMessage }
	if err := json.Unmarshal(text, &m); err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	if m.Manifest != nil { // text is a record of completion
		if err := json.Unmarshal(m.Manifest, &m); err != nil {
			return false, fmt.Errorf("checkpoint: %w", err)
		}
	}
	was, err := targetOf(m.Job)
	if err != nil || was != target {
		return false, err
	}
	err = r.checkpoint.Put(ctx, restartKey, []byte(target))
	if err == nil {
		err = r.checkpoint.Sync(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	return true, nil
}

// restarted removes the mark. The checkpoint has the new plan by then.
func (r *run) restarted(ctx context.Context) error {
	err := r.checkpoint.Delete(ctx, restartKey)
	if err == nil {
		err = r.checkpoint.Sync(ctx)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// targetOf returns the URL of the target in a normalised job.
func targetOf(job json.RawMessage) (string, error) {
	var m struct{ Target struct{ URL string } }
	if err := json.Unmarshal(job, &m); err != nil {
		return "", fmt.Errorf("checkpoint: the job: %w", err)
	}
	return m.Target.URL, nil
}
