package plan

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

// The folders of a local checkpoint in which objects wait: its own, and those of its
// lock. What waits in the former is removed when a run begins.
const (
	checkpointStaging = "incoming"
	LockStaging       = "incoming-lock"
)

// OpenCheckpoint opens the place of the job's checkpoint.
func OpenCheckpoint(ctx context.Context, j *jobfile.Job, env Environment, limits *limits.Limits) (*store.Store, error) {
	url, err := j.CheckpointURL()
	if err != nil {
		return nil, err
	}
	return OpenState(ctx, j, url, checkpointStaging, env, limits)
}

// OpenState opens a store for a journal or a lock, with the folder in which objects wait.
func OpenState(ctx context.Context, j *jobfile.Job, url, staging string, env Environment, limits *limits.Limits) (*store.Store, error) {
	opt := env.StoreOptions(j, limits)
	opt.Staging = staging
	st, err := store.Open(ctx, url, opt)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return st, nil
}

// state is what a checkpoint says of the job, as its two documents.
type state struct {
	checkpoint     string
	manifest, done json.RawMessage
}

// readState reads the checkpoint of a job, and who works on it, nil for nobody. Who
// ends in between has left what is read.
func readState(ctx context.Context, j *jobfile.Job, env Environment, limits *limits.Limits) (s *state, owner *journal.HeldError, err error) {
	st, err := OpenCheckpoint(ctx, j, env, limits)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	holder, heartbeat, err := journal.Holder(ctx, st)
	if err != nil {
		return nil, nil, fmt.Errorf("checkpoint: %w", err)
	}
	log, err := journal.Open(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	if holder != nil && Alive(j, holder, heartbeat) {
		owner = &journal.HeldError{Owner: *holder, Heartbeat: heartbeat}
	}
	return &state{st.URL(), log.Manifest(), log.Completed()}, owner, nil
}

// same reports whether the checkpoint still says what a plan was made from.
func (s *state) same(other *state) bool {
	return bytes.Equal(s.manifest, other.manifest) && bytes.Equal(s.done, other.done)
}

// Alive reports whether the holder of a lock is still at work, by its last
// heartbeat.
func Alive(j *jobfile.Job, owner *journal.Owner, heartbeat time.Time) bool {
	return !owner.Gone(journal.ThisProcess("")) && time.Since(heartbeat) <= j.Run.LockLifetime
}
