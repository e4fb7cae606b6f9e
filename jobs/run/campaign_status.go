package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sources"
)

// CampaignStatus is how far a campaign is.
type CampaignStatus struct {
	Plan  string    `json:"plan"` // the hash of the plan
	Saved time.Time `json:"saved"`
	Host  string    `json:"host"` // that has saved the plan
	// Done, Running and Failed count attempts at bundles. An attempt that has failed counts
	// only as long as some of its units are not done.
	Done    int `json:"bundles_done"`
	Running int `json:"bundles_running"`
	Failed  int `json:"bundles_failed"`
	// Left are the units that are not done.
	Left []Bundle `json:"units_left"`
	// Attempts are those that are running or have failed.
	Attempts []AttemptStatus `json:"attempts"`
}

// AttemptStatus is what is known of one attempt at a bundle.
type AttemptStatus struct {
	Bundle
	State string         `json:"state"` // "running", "failed", or "lost": the process has ended without a word
	Owner *journal.Owner `json:"owner,omitempty"`
	// Heartbeat is the last one of the process, by its clock.
	Heartbeat *time.Time `json:"heartbeat,omitempty"`
	Error     string     `json:"error,omitempty"`
}

// campaignStatus returns what is known of a campaign; nil if there is none. done has the units
// that are done, by array, and chunks returns how many units an array has.
func campaignStatus(ctx context.Context, j *jobfile.Job, env environment.Environment, log *journal.Journal, done []bitset, chunks func(array int) int) (*CampaignStatus, error) {
	c, err := log.Campaign(ctx)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if c == nil {
		return nil, nil
	}
	s := &CampaignStatus{Plan: c.Plan, Saved: c.Saved, Host: c.By.Host, Left: append([]Bundle{}, missing(done, chunks)...)}
	var open []journal.Attempt
	for _, a := range log.Attempts(false) {
		switch {
		case a.Ended && !a.Failed:
			s.Done++
		case overlaps(s.Left, a.Bundle):
			open = append(open, a)
		}
	}
	list := make([]AttemptStatus, len(open))
	err = sources.InParallel(ctx, len(open), func(ctx context.Context, i int) (err error) {
		list[i], err = attemptStatus(ctx, j, env, log, &open[i])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	s.Attempts = list
	for _, a := range list {
		if a.State == "running" {
			s.Running++
		} else {
			s.Failed++
		}
	}
	return s, nil
}

// overlaps reports whether some unit of b is in one of the ranges, which are ascending.
func overlaps(ranges []Bundle, b Bundle) bool {
	for _, r := range ranges {
		if r.First < b.End && b.First < r.End {
			return true
		}
	}
	return false
}

// attemptStatus reads what is known of an attempt that has not succeeded.
func attemptStatus(ctx context.Context, j *jobfile.Job, env environment.Environment, log *journal.Journal, a *journal.Attempt) (x AttemptStatus, err error) {
	x = AttemptStatus{Bundle: a.Bundle, State: "lost"}
	url, err := j.CheckpointURL()
	if err != nil {
		return x, err
	}
	if url, err = store.Folder(url, a.WorkerPlace()); err != nil {
		return x, err
	}
	st, err := environment.OpenState(ctx, j, url, environment.WorkerStaging, env, limits.New(j.Run.PerSecond))
	if err != nil {
		return x, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	owner, heartbeat, err := journal.Holder(ctx, st)
	if err != nil {
		return x, err
	}
	if owner != nil {
		x.Owner, x.Heartbeat = owner, &heartbeat
		if environment.Alive(j, owner, heartbeat) {
			x.State = "running"
		}
	}
	if a.Failed {
		f, err := log.FailureOf(ctx, a)
		if err != nil {
			return x, err
		}
		x.State, x.Error = "failed", f.Error
	}
	return x, nil
}
