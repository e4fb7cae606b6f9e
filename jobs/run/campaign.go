package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources"
)

// ErrNotBegun is the cause of an error about a plan that is worked on or finished, while
// the checkpoint has no campaign for it.
var ErrNotBegun = errors.New("no saved plan")

// ErrOtherCampaign is the cause of an error about a target for which another checkpoint has
// a campaign.
var ErrOtherCampaign = errors.New("several processes work on this target for another checkpoint")

// announce writes the campaign to the checkpoint and, if the checkpoint is not there, beside
// the target.
func (r *run) announce(ctx context.Context, c *journal.Campaign) error {
	if r.beside != nil {
		there := *c
		there.Checkpoint = r.checkpoint.URL()
		if err := journal.WriteCampaign(ctx, r.beside, &there); err != nil {
			return fmt.Errorf("the folder beside the target: %w", err)
		}
	}
	if err := journal.WriteCampaign(ctx, r.checkpoint, c); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// begun returns the hash of the plan if the checkpoint has a run of it that was begun.
func (r *run) begun() (hash string, err error) {
	if hash, err = manifest.HashOf(r.manifest); err != nil {
		return "", err
	}
	text := r.journal.Manifest()
	if text == nil {
		return "", notBegun(r.checkpoint, nil)
	}
	is, err := manifest.HashOf(text)
	if err == nil && is != hash {
		err = notBegun(r.checkpoint, plan.ErrOtherPlan)
	}
	return hash, err
}

// notBegun returns the error about a checkpoint without a campaign for the plan.
func notBegun(checkpoint *store.Store, cause error) error {
	if cause != nil {
		return fmt.Errorf("checkpoint %s: %w: %w", checkpoint.URL(), ErrNotBegun, cause)
	}
	return fmt.Errorf("checkpoint %s: %w: save one with zmigrate plan JOB --save; if another machine has saved one, this machine does not see the folder in which that machine has written it", checkpoint.URL(), ErrNotBegun)
}

// free returns an error if a live run holds the lock of the checkpoint.
func (r *run) free(ctx context.Context) error {
	owner, heartbeat, err := journal.Holder(ctx, r.checkpoint)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if owner != nil && environment.Alive(r.plan.Job, owner, heartbeat) {
		return fmt.Errorf("checkpoint: %w", &journal.HeldError{Owner: *owner, Heartbeat: heartbeat})
	}
	return nil
}

// noOther returns an error if another checkpoint has a campaign for the target. The run holds
// the locks and has opened the journal. A campaign beside the target that belongs to this
// checkpoint may be left from an interrupted end of the campaign.
func (r *run) noOther(ctx context.Context) error {
	own, err := r.journal.Campaign(ctx)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	other, at := own, r.checkpoint
	if own == nil || own.Checkpoint == "" {
		if r.beside == nil {
			return nil
		}
		if other, err = journal.ReadCampaign(ctx, r.beside); err != nil || other == nil {
			return err
		}
		at = r.beside
		if own != nil && own.Token == other.Token || other.Checkpoint == r.checkpoint.URL() {
			return nil
		}
	}
	return fmt.Errorf("target %s: %w: the job %s, whose plan was saved on %s at %s; finish that job, or go on with it by zmigrate run; if it was given up, delete campaign.json in %s",
		r.target.URL(), ErrOtherCampaign, other.Job, other.By.Host, other.Saved.Format(time.RFC3339), at.URL())
}

// endCampaign removes what a campaign has left beside the target.
func (r *run) endCampaign(ctx context.Context) error {
	if r.beside == nil {
		return nil
	}
	c, err := journal.ReadCampaign(ctx, r.beside)
	if err != nil || c == nil || c.Checkpoint != r.checkpoint.URL() {
		return err
	}
	return journal.RemoveCampaign(ctx, r.beside)
}

// fence takes the locks of all processes of campaigns that may still write to the target, so
// that they cannot any more. The error is a *journal.HeldError if one of them is alive. The run
// has the lock of the checkpoint, so no other process begins a bundle.
func (r *run) fence(ctx context.Context, env environment.Environment, opt Options) error {
	own := map[string]bool{}
	for _, a := range r.journal.Attempts(false) {
		own[a.WorkerPlace()] = true
	}
	var places []string
	for _, a := range r.journal.Attempts(true) {
		if place := a.WorkerPlace(); !a.Ended && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	const most = 1000 // each waits for the lifetime of a lock, so they wait together
	var late, others atomic.Bool
	err := sources.InParallelUpTo(ctx, most, len(places), func(ctx context.Context, i int) error {
		before, err := r.takeFrom(ctx, places[i], env, opt)
		if err != nil {
			return fmt.Errorf("a worker of this job: %w", err)
		}
		if before.Late {
			late.Store(true)
			if !own[places[i]] || before.Others {
				others.Store(true)
			}
		}
		return nil
	})
	if err != nil || !late.Load() {
		return err
	}
	r.unsettled = true
	return r.locks.Inherit(ctx, others.Load())
}

// takeFrom takes the lock of one worker, and releases it.
func (r *run) takeFrom(ctx context.Context, place string, env environment.Environment, opt Options) (before journal.Before, err error) {
	st, err := openBelow(ctx, r.plan, place, env)
	if err != nil {
		return before, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	lock, err := journal.Acquire(ctx, st, r.lockOptions(env, opt))
	if err != nil {
		return before, err
	}
	return lock.Before(), lock.Release(context.WithoutCancel(ctx), false)
}

// openBelow opens a folder of the checkpoint, for the lock of a worker.
func openBelow(ctx context.Context, p *plan.Plan, place string, env environment.Environment) (*store.Store, error) {
	url, err := p.Job.CheckpointURL()
	if err != nil {
		return nil, err
	}
	if url, err = store.Folder(url, place); err != nil {
		return nil, err
	}
	return environment.OpenState(ctx, p.Job, url, environment.WorkerStaging, env, p.Limits.Lock)
}
