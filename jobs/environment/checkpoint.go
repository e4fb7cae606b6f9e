package environment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// In these folders of a local checkpoint, objects are staged before they appear. The first
// is for objects of the checkpoint; a run empties it when it begins. The second is for
// objects of the lock, and the third is the same folder for the locks of workers, whose places
// are three folders below that of the checkpoint.
const (
	checkpointStaging = "incoming"
	LockStaging       = "incoming-lock"
	WorkerStaging     = "../../../" + LockStaging
)

// ErrReferences is the cause of an error about a job whose target is a table of references. A
// run writes the table at once, so there is no checkpoint, and no record of what was done.
var ErrReferences = errors.New("the target is a table of references, which has no checkpoint")

// OpenCheckpoint opens the place of the job's checkpoint. For a job without one, the error is
// [ErrReferences].
func OpenCheckpoint(ctx context.Context, j *jobfile.Job, env Environment, limits *limits.Limits) (*store.Store, error) {
	if j.Target.References != "" {
		return nil, fmt.Errorf("%s: %w: use the commands plan and run; run compares an existing table with the source", j.Title(), ErrReferences)
	}
	url, err := j.CheckpointURL()
	if err != nil {
		return nil, err
	}
	return OpenState(ctx, j, url, checkpointStaging, env, limits)
}

// OpenState opens the store of a journal or a lock. staging is the folder in which a local
// store stages objects.
func OpenState(ctx context.Context, j *jobfile.Job, url, staging string, env Environment, limits *limits.Limits) (*store.Store, error) {
	opt := env.StoreOptions(j, limits)
	opt.Staging = staging
	st, err := store.Open(ctx, url, opt)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return st, nil
}

// State is what a checkpoint says of the job, as its two documents.
type State struct {
	Checkpoint     string // its URL
	Manifest, Done json.RawMessage
}

// ReadState reads the checkpoint of a job. owner is the run that works on the job, or nil.
// The lock is read first. So if that run ends in between, the checkpoint that is read is
// the one that the run has left.
func ReadState(ctx context.Context, j *jobfile.Job, env Environment, limits *limits.Limits) (s *State, owner *journal.HeldError, err error) {
	st, err := OpenCheckpoint(ctx, j, env, limits)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	holder, heartbeat, err := journal.Holder(ctx, st)
	if err != nil {
		return nil, nil, fmt.Errorf("checkpoint: %w", err)
	}
	log, err := journal.Glance(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	if holder != nil && Alive(j, holder, heartbeat) {
		owner = &journal.HeldError{Owner: *holder, Heartbeat: heartbeat}
	}
	return &State{st.URL(), log.Manifest(), log.Completed()}, owner, nil
}

// Same reports whether the checkpoint still says what a plan was made from.
func (s *State) Same(other *State) bool {
	return bytes.Equal(s.Manifest, other.Manifest) && bytes.Equal(s.Done, other.Done)
}

// Alive reports whether the holder of a lock is still at work. It goes by the last heartbeat
// and, for a process on this machine, by whether the process exists.
func Alive(j *jobfile.Job, owner *journal.Owner, heartbeat time.Time) bool {
	return !owner.Gone(journal.ThisProcess("")) && time.Since(heartbeat) <= j.Run.LockLifetime
}
