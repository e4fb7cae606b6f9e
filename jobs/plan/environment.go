package plan

import (
	"context"
	"log/slog"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// Environment is what a program brings to a job: what names may stand for, and
// where it talks to the outside. It is shared and not modified.
type Environment struct {
	Codecs *codecs.Registry
	Types  *dtype.Registry

	Log *slog.Logger // nil discards
	// Memory, Fault and Sleep are handed to every store that is opened; see
	// store.Options.
	Memory *store.Memory
	Fault  func(op, key string) error
	Sleep  func(ctx context.Context, d time.Duration) error
}

// StoreOptions are the job's habits towards stores, with the limits that the requests
// of a store count against.
func (e Environment) StoreOptions(j *jobfile.Job, limits *limits.Limits) store.Options {
	retries := j.Run.Retries
	if retries == 0 {
		retries = -1 // none, where the store's 0 means its default
	}
	return store.Options{
		Log: e.Log, Memory: e.Memory, Fault: e.Fault, Sleep: e.Sleep,
		Retries: retries, Limits: limits,
	}
}
