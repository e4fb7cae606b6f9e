package run

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
)

// run is one run of a plan.
type run struct {
	plan       *plan.Plan
	env        environment.Environment
	outcome    outcome
	manifest   json.RawMessage // of the plan
	begins     []byte          // how the record of completion begins: with the manifest
	log        *slog.Logger
	checkpoint *store.Store
	target     *store.Store
	beside     *store.Store // beside the target, if the checkpoint is elsewhere and the run has a lock there
	locks      journal.Locks
	repeated   bool           // some chunks have several receipts, of which the last counts
	expected   journal.Ledger // the objects on record, if complete knows them; nil otherwise
	unsettled  bool           // requests of an earlier owner of the lock may still arrive
	overtaken  bool           // some run of this target has lost its lock to another run
	journal    *journal.Journal
	unread     error // of opening the journal
	vacant     bool  // nothing lay in the place of the target when the lock was taken
	verified   bool  // see verify
	cleaned    bool  // what killed runs have left in remote places is removed
	// keep stores receipts durably in the checkpoint, or collects them for the caller of Work.
	keep   func(ctx context.Context, receipts []sinks.Receipt) error
	sink   *sinks.Hierarchy
	arrays []progress
	groups map[string]string // digests of the documents of groups, see [Completion]
	// repaired are the groups whose documents are written again, with their digests.
	repaired map[string]string
	result   Result

	// ends is set if this run completes the target when all units are done. read is set once the
	// source was found unchanged after its last chunk was read, and publish once the last commit has
	// looked at what the last documents need.
	ends, read bool
	publish    func(ctx context.Context) error
	// leave is what Options.Ending has returned.
	leave func(ctx context.Context, result *Result)

	looked time.Time     // when the source was last looked at, and how long that took
	look   time.Duration // see unchangedSoFar
}

// progress is how far one array is.
type progress struct {
	done    bitset
	left    int
	empty   int
	bytes   int64  // stored
	written bool   // its document
	digest  string // of the document, if the manifest does not have it
	values  digest.Optional
}

// releaseTime bounds the time in which a failed run tries to release its lock. If the run
// cannot release the lock, another run takes it over after its time to live.
const releaseTime = 15 * time.Second

// together calls functions at the same time and returns the error of the first in their order that
// fails. Unlike [sources.InParallel], it does not end the others when one fails.
func together(ctx context.Context, steps ...func(context.Context) error) error {
	failed := make([]error, len(steps))
	var group sync.WaitGroup
	for i, step := range steps {
		group.Go(func() { failed[i] = step(ctx) })
	}
	group.Wait()
	return cmp.Or(failed...)
}
