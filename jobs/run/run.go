package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/stages"
)

// Options say how to run a plan. The zero value runs it quietly.
type Options struct {
	// Begin, if set, is told once what there is to do, before the first chunk.
	Begin func(todo Progress)
	// Observe, if set, is called for each unit that was written, and for parts
	// of shards, from several goroutines.
	Observe func(stages.Event)
	// Confirm, if set, is asked before anything of a target is removed that is to
	// be overwritten; an error ends the run.
	Confirm func(Removal) error
	// Stop ends the run in good order when it is closed.
	Stop <-chan struct{}
	// Owner says who runs, for the lock.
	Owner journal.Owner
}

// Progress is how much of a plan is done.
type Progress struct {
	Chunks, ChunksDone int
	Bytes, BytesDone   int64 // of array elements
}

// Result is what a run comes to.
type Result struct {
	Target string `json:"target"`
	Arrays int    `json:"arrays"`
	// Chunks counts all units of the plan; of these Empty hold only the fill
	// value and have no object, and Resumed were done by earlier runs.
	Chunks  int `json:"chunks"`
	Empty   int `json:"empty_chunks"`
	Resumed int `json:"resumed_chunks"`
	// Mended counts the chunks of a complete target that were not what had been
	// written, and were written again.
	Mended int `json:"mended_chunks,omitempty"`
	// BytesIn is the size of all elements, BytesOut that of all stored chunks.
	BytesIn  int64         `json:"bytes_in"`
	BytesOut int64         `json:"bytes_out"`
	Time     time.Duration `json:"nanoseconds"` // of this run
	// Nothing is set when an earlier run had completed the job already.
	Nothing bool `json:"already_complete"`
	// Dimension is the one along which the arrays have grown, "" for new arrays, and
	// Appended the number of rows that came to each or, where not all arrays share
	// the dimension, the most that came to one.
	Dimension string `json:"append,omitempty"`
	Appended  int    `json:"appended_rows,omitempty"`
	// AppendedIn are the rows that came to the arrays of each group, with those below
	// that share its dimension, where these are not as many everywhere.
	AppendedIn map[string]int `json:"appended_rows_in,omitempty"`
	// Unlisted is [plan.Plan.Unlisted].
	Unlisted string `json:"unlisted_in,omitempty"`
	// Requests are those of this run to remote stores.
	Requests plan.Requests `json:"requests"`
}

// run is one run of a plan.
type run struct {
	plan       *plan.Plan
	outcome    outcome
	manifest   json.RawMessage // of the plan
	log        *slog.Logger
	checkpoint *store.Store
	target     *store.Store
	locks      journal.Locks
	repeated   bool // some chunks have several receipts, of which the last counts
	unsettled  bool // requests of an earlier owner of the lock may still arrive
	overtaken  bool // in the history of the target a run has lost its lock
	journal    *journal.Journal
	sink       *sinks.Hierarchy
	arrays     []progress
	result     Result

	looked time.Time     // when the source was last looked at, and how long that took
	look   time.Duration // see unchangedSoFar
}

// progress is how far one array is.
type progress struct {
	done    bitset
	left    int
	empty   int
	bytes   int64 // stored
	written bool  // its document
}

// releaseTime bounds how long a run that failed tries to give its lock back. A
// lock that it cannot give back is stale a little later.
const releaseTime = 15 * time.Second

// Run migrates what the plan says and is not done yet, and completes the
// target. It returns stages.ErrStopped when Stop ended it; a later run then
// goes on. Errors name what a user can do.
func Run(ctx context.Context, p *plan.Plan, env plan.Environment, opt Options) (result *Result, err error) {
	began := time.Now()
	r := &run{plan: p, log: cmp.Or(env.Log, slog.New(slog.DiscardHandler)), result: Result{Target: p.Job.Target.URL, Arrays: len(p.Arrays), Unlisted: p.Unlisted}}
	r.outcome = outcomeOf(r)
	if r.manifest, err = p.Manifest(); err != nil {
		return nil, err
	}
	options := env.StoreOptions(p.Job, p.Limits.Target)
	options.Parts = plan.PartsAtOnce(&p.Job.Run)
	if r.target, err = store.Open(ctx, p.Job.Target.URL, options); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	defer func() { err = errors.Join(err, r.target.Close()) }()
	if r.checkpoint, err = plan.OpenCheckpoint(ctx, p.Job, env, p.Limits.Target); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.checkpoint.Close()) }()
	release, err := r.acquire(ctx, env, opt)
	if err != nil {
		return nil, err
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		if err != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, releaseTime)
			defer cancel()
		}
		// What was under way when the run failed may still arrive.
		releaseErr := release(ctx, err != nil && !errors.Is(err, stages.ErrStopped))
		switch {
		case releaseErr == nil:
		case err == nil:
			err = fmt.Errorf("checkpoint: %w", releaseErr)
		default: // what went wrong first has a message; the lock will be stale
			r.log.WarnContext(ctx, "the lock could not be released", "error", releaseErr)
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, lock := range r.locks {
		go func() {
			select {
			case <-lock.Lost():
				cancel(journal.ErrLost)
			case <-ctx.Done():
			}
		}()
	}
	if err := r.locked(ctx, opt); err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, journal.ErrLost) {
			return nil, cause
		}
		return nil, err
	}
	r.result.Time, r.result.Requests = time.Since(began), p.Requests()
	from, to := r.result.Requests.Source, r.result.Requests.Target
	r.log.InfoContext(ctx, "done", "target", r.target.URL(), "requests", from.Requests+to.Requests,
		"retries", from.Retries+to.Retries, "throttled", from.Throttled+to.Throttled)
	return &r.result, nil
}

// locked does the run while the lock is held.
func (r *run) locked(ctx context.Context, opt Options) error {
	var err error
	if r.journal, err = journal.OpenLocked(ctx, r.checkpoint); err != nil {
		return err
	}
	if err := r.current(); err != nil {
		return err
	}
	complete, err := r.outcome.begin(ctx, opt)
	if err != nil || complete {
		return err
	}
	places := []*store.Store{r.target, r.checkpoint}
	if err := sources.InParallel(ctx, len(places), func(ctx context.Context, i int) error { return places[i].Clean(ctx) }); err != nil {
		return fmt.Errorf("leftovers of an earlier run: %w", err)
	}
	if err := r.resume(ctx); err != nil {
		return err
	}
	if err := r.skipEmpty(ctx); err != nil {
		return err
	}
	r.sink = sinks.New(r.target)
	if err := r.outcome.documents(ctx); err != nil {
		return r.changedSource(err)
	}
	r.log.InfoContext(ctx, "migrating", "arrays", len(r.arrays), "chunks", r.result.Chunks, "done", r.result.Resumed)
	for i := range r.plan.Arrays {
		for _, note := range r.plan.Arrays[i].Notes {
			r.log.InfoContext(ctx, "decided", "array", r.plan.Arrays[i].Source, "note", note)
		}
	}
	if opt.Begin != nil {
		opt.Begin(r.progress())
	}
	err = r.untilSettled(ctx, func() error { return r.migrate(ctx, opt) })
	if err == nil {
		err = r.finish(ctx)
	}
	if err != nil {
		return r.distrust(ctx, err)
	}
	return nil
}

// current fails when the checkpoint, which the run now has to itself, is no longer the
// one that the plan was made from.
func (r *run) current() error {
	if !r.plan.MadeFrom(r.journal.Manifest(), r.journal.Completed()) {
		return plan.Overtaken(r.target.URL())
	}
	return nil
}

// migrate does the units that are not done.
func (r *run) migrate(ctx context.Context, opt Options) error {
	job := r.plan.Job
	return stages.Run(ctx, stages.Config{
		Memory: int(job.Run.Memory),
		Read:   job.Run.Workers.Read, Encode: job.Run.Workers.Encode, Write: job.Run.Workers.Write,
		Every: job.Run.Every, Commit: r.commit, Observe: opt.Observe, Stop: opt.Stop, Far: job.Source.Far(),
	}, tasks{r})
}

// tasks are the arrays of a run as [stages.Tasks].
type tasks struct{ *run }

// Len implements [stages.Tasks].
func (r tasks) Len() int { return len(r.plan.Arrays) }

// Task implements [stages.Tasks].
func (r tasks) Task(i int) *stages.Task {
	a := &r.plan.Arrays[i]
	task, w := r.plan.Task(a), r.sink.Array(a.Target, a.Place())
	task.Writer = w
	task.Stream = func(ctx context.Context, index []int) (stages.Stream, error) { return w.Stream(ctx, index) }
	if objects, ok := task.Stored.(sources.Placed); ok {
		task.Copy = func(ctx context.Context, index []int, in codecs.Input) (sinks.Receipt, bool, error) {
			from, object := objects.PlaceStored(index, in)
			return w.Copy(ctx, index, from, object)
		}
	}
	task.Done = slices.Clone(r.arrays[i].done).has // the original grows with the commits
	return &task
}

// progress sums up what is done of all arrays.
func (r *run) progress() Progress {
	p := Progress{Chunks: r.result.Chunks, ChunksDone: r.result.Chunks, Bytes: r.result.BytesIn}
	for i := range r.arrays {
		grid, left := r.plan.Arrays[i].Grid, r.arrays[i].left
		p.ChunksDone -= left
		size := int64(r.plan.Arrays[i].Meta.Type.Size())
		bytes := func(shape []int) int64 {
			n := size
			for _, extent := range shape {
				n *= int64(extent)
			}
			return n
		}
		units := grid.Len()
		if left == units {
			continue
		}
		// What is done is counted, or what is not, whichever is less.
		rest := left < units/2
		if rest {
			p.BytesDone += bytes(grid.Shape)
		}
		for unit := 0; unit < units && left > 0; unit++ {
			switch done := r.arrays[i].done.has(unit); {
			case rest && !done:
				p.BytesDone -= bytes(grid.Region(grid.Index(unit)).Shape)
			case !rest && done:
				p.BytesDone += bytes(grid.Region(grid.Index(unit)).Shape)
			}
		}
	}
	return p
}
