package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// Save makes the target and the checkpoint ready for a campaign: several processes may then
// call [Work] on the plan. complete tells that there is nothing to do, because the job is
// complete. If the plan was saved already, by the same version of the program, Save returns
// that campaign. With opt.Repair, the units of these objects of a complete target are what is left
// to do.
func Save(ctx context.Context, p *plan.Plan, env environment.Environment, opt Options) (c *journal.Campaign, complete bool, err error) {
	if opt.Repair != nil && p.Growth() != nil && !p.Repeats() {
		again, err := plan.Repeat(ctx, p.Job, env)
		if err != nil {
			return nil, false, err
		}
		defer func() { err = errors.Join(err, again.Close()) }()
		return Save(ctx, again, env, opt)
	}
	if strings.HasPrefix(p.Job.Target.URL, "mem:") {
		return nil, false, errors.New("target: mem: is the memory of one process, which other processes do not see: use a folder that all machines share, or a bucket")
	}
	identify(&env, &opt)
	r, err := open(ctx, p, env)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if c, err = r.saved(ctx); err == nil && c.Version == environment.Program() {
		return c, false, r.free(ctx)
	}
	if err != nil && !errors.Is(err, ErrNotBegun) {
		return nil, false, err
	}
	r.outcome = outcomeOf(r)
	err = r.locked(ctx, env, opt, journal.OpenLocked, func(ctx context.Context) (err error) {
		if complete, err = r.begin(ctx, opt); err != nil || complete {
			return err
		}
		c = &journal.Campaign{Version: environment.Program(), Token: rand.Text(), Job: p.Job.Name, By: opt.Owner, Saved: time.Now().UTC()}
		if c.Plan, err = manifest.HashOf(r.manifest); err != nil {
			return err
		}
		return r.announce(ctx, c)
	})
	return c, complete, err
}

// saved opens the journal and returns the campaign of the plan. The error wraps ErrNotBegun if
// there is none.
func (r *run) saved(ctx context.Context) (c *journal.Campaign, err error) {
	if r.journal, err = journal.Glance(ctx, r.checkpoint); err != nil {
		return nil, err
	}
	if err := r.describe(); err != nil {
		return nil, err
	}
	hash, err := r.begun()
	if err != nil {
		return nil, err
	}
	if c, err = r.journal.Campaign(ctx); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if c == nil || c.Plan != hash || c.Checkpoint != "" {
		return nil, notBegun(r.checkpoint, nil)
	}
	return c, nil
}

// ReadSaved makes the plan that [Save] has written down, perhaps on another machine. It opens the
// sources of the job, and fails if the job or the sources have changed since. If the job is
// complete, it returns nil.
func ReadSaved(ctx context.Context, j *jobfile.Job, env environment.Environment) (p *plan.Plan, err error) {
	st, err := environment.OpenCheckpoint(ctx, j, env, limits.New(j.Run.PerSecond))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	log, err := journal.Glance(ctx, st)
	if err != nil || log.Completed() != nil {
		return nil, err
	}
	c, err := log.Campaign(ctx)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if c == nil || log.Manifest() == nil {
		return nil, notBegun(st, nil)
	}
	return plan.Read(ctx, j, env, log.Manifest())
}
