package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/run"
)

// The causes of errors about a target that cannot be verified.
var (
	// ErrNoRecord says that no completed job is on record.
	ErrNoRecord = errors.New("no completed job is on record there")
	// ErrUnfinished says that a run has begun the target and has not completed it.
	ErrUnfinished = errors.New("a run of the job has stopped before its end")
	// ErrOtherJob says that the record is of another job.
	ErrOtherJob = errors.New("the record is of another job")
)

// record is the record of a completed job, as the checkpoint has it.
type record struct {
	journal  *journal.Journal
	done     *run.Completion
	manifest *manifest.Manifest
	arrays   map[string]int // indexes of the manifest's arrays, by their paths in the target
}

// readRecord reads the record of a completed job. If any is set, the record may be of any
// job.
func readRecord(ctx context.Context, j *jobfile.Job, checkpoint *store.Store, any bool) (*record, error) {
	owner, heartbeat, err := journal.Holder(ctx, checkpoint)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if owner != nil && environment.Alive(j, owner, heartbeat) {
		return nil, fmt.Errorf("the target is being written: %w", &journal.HeldError{Owner: *owner, Heartbeat: heartbeat})
	}
	r := &record{}
	if r.journal, err = journal.Open(ctx, checkpoint); err != nil {
		return nil, err
	}
	text := r.journal.Completed()
	switch {
	case text == nil && r.journal.Manifest() != nil:
		return nil, fmt.Errorf("checkpoint %s: %w: run the job again, and verify it then", checkpoint.URL(), ErrUnfinished)
	case text == nil:
		return nil, fmt.Errorf("checkpoint %s: %w: the target was not written by this job, or its checkpoint is gone", checkpoint.URL(), ErrNoRecord)
	case !r.journal.HasObjects():
		return nil, fmt.Errorf("checkpoint %s: %w: the record is of an earlier version of zmigrate and has no list of objects", checkpoint.URL(), ErrNoRecord)
	}
	if r.done, r.manifest, err = run.ReadCompletion(text); err != nil {
		return nil, err
	}
	if !any {
		if list := jobfile.Differences(r.manifest.Job, j.Normalised()); len(list) > 0 {
			return nil, fmt.Errorf("checkpoint %s: %w, which differs: %s", checkpoint.URL(), ErrOtherJob, strings.Join(list, "; "))
		}
	}
	r.arrays = make(map[string]int, len(r.manifest.Arrays))
	for i := range r.manifest.Arrays {
		r.arrays[r.manifest.Arrays[i].Target] = i
	}
	return r, nil
}
