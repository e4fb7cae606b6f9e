package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
)

// ErrNotBegun is the cause of an error about a plan that is worked on or finished, while
// the checkpoint has no run of it that was begun.
var ErrNotBegun = errors.New("the checkpoint has no run of this plan that was begun")

// Bundle is a range of units of a plan: First and those after it, before End. See
// [plan.Plan.Units].
type Bundle struct {
	First int `json:"first"`
	End   int `json:"end"`
}

// Receipts are what work on a plan leaves behind. Written as JSON, they go from the
// process that worked to the one that finishes the plan.
type Receipts struct {
	Plan string          `json:"plan"` // the hash of the plan
	List []sinks.Receipt `json:"receipts"`
}

// Work does the units of a bundle, whether or not they were done before, and returns
// their receipts once the objects are durable. It shows no document and leaves the
// checkpoint as it is, so that any number of processes may work on a plan at the same
// time, each with a [plan.Plan] that it has read for itself. Two that do the same unit
// write the same bytes.
//
// Work takes no lock. The program that hands out the bundles has to make sure that no other
// run of the target begins between [Begin] and [Finish].
func Work(ctx context.Context, p *plan.Plan, env environment.Environment, units Bundle, opt Options) (_ *Receipts, err error) {
	if units.First < 0 || units.End < units.First || units.End > p.Units() {
		return nil, fmt.Errorf("the plan has no units %d to %d: it has %d units, counted from 0", units.First, units.End, p.Units())
	}
	r, err := open(ctx, p, env)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if r.journal, err = journal.Open(ctx, r.checkpoint); err != nil {
		return nil, err
	}
	if err := r.describe(); err != nil {
		return nil, err
	}
	hash, err := r.begun()
	if err != nil {
		return nil, err
	}
	made := &Receipts{Plan: hash, List: []sinks.Receipt{}}
	r.keep = func(_ context.Context, receipts []sinks.Receipt) error {
		made.List = append(made.List, receipts...)
		return nil
	}
	r.outcome = outcomeOf(r)
	r.only(units)
	if err := r.skipEmpty(ctx); err != nil {
		return nil, err
	}
	if err := r.migrate(ctx, opt); err != nil {
		return nil, r.changedSource(err)
	}
	if err := r.unchanged(ctx); err != nil {
		return nil, r.changedSource(err)
	}
	return made, nil
}

// only restricts the run to the units of a bundle. The run then writes no documents.
func (r *run) only(units Bundle) {
	r.arrays = make([]progress, len(r.plan.Arrays))
	at := 0 // the number of the array's first unit
	for i := range r.arrays {
		n := r.plan.Arrays[i].Chunks()
		first, end := min(max(units.First-at, 0), n), min(max(units.End-at, 0), n)
		r.arrays[i] = progress{done: newBitset(n), left: end - first, written: true}
		for unit := range n {
			if unit < first || unit >= end {
				r.arrays[i].done.set(unit)
			}
		}
		at += n
	}
}

// begun returns the hash of the plan if the checkpoint has a run of it that was begun.
func (r *run) begun() (hash string, err error) {
	if hash, err = manifest.HashOf(r.manifest); err != nil {
		return "", err
	}
	text := r.journal.Manifest()
	if text == nil {
		return "", fmt.Errorf("checkpoint %s: %w", r.checkpoint.URL(), ErrNotBegun)
	}
	is, err := manifest.HashOf(text)
	if err == nil && is != hash {
		err = fmt.Errorf("checkpoint %s: %w: %w", r.checkpoint.URL(), ErrNotBegun, plan.ErrOtherPlan)
	}
	return hash, err
}
