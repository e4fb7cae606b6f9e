// Package environment has what a program brings to the jobs that it runs, and opens the places
// of their checkpoints.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	environment.go  Environment, and the limits of requests
//	changed_job.go  the error of a checkpoint that is another job's
//	checkpoint.go   the place of a checkpoint, and what it says of the job
package environment

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// Environment is what a program provides for its jobs: codecs, data types and formats, a
// logger, and the settings of stores. It is shared and never modified.
type Environment struct {
	Codecs  *codecs.Registry // known codecs, and with them the data types; nil: the standard ones
	Drivers sources.Drivers  // known formats; nil: the standard ones

	Log *slog.Logger // nil discards
	// Memory, Fault and Sleep are passed to every store that is opened; see
	// store.Options.
	Memory *store.Memory
	Fault  func(op, key string) error
	Sleep  func(ctx context.Context, d time.Duration) error
}

// KnownDrivers returns Drivers, or the standard ones if Drivers is nil.
func (e Environment) KnownDrivers() sources.Drivers {
	if e.Drivers == nil {
		return drivers.Standard()
	}
	return e.Drivers
}

// Stores returns the options of a store. Its requests count against limits.
func (e Environment) Stores(limits *limits.Limits) store.Options {
	return store.Options{Log: e.Log, Memory: e.Memory, Fault: e.Fault, Sleep: e.Sleep, Limits: limits}
}

// StoreOptions is Stores with the settings of the job.
func (e Environment) StoreOptions(j *jobfile.Job, limits *limits.Limits) store.Options {
	opt := e.Stores(limits)
	opt.Retries = j.Run.Retries
	if opt.Retries == 0 {
		opt.Retries = -1 // none; for a store, 0 means its default
	}
	return opt
}

// Complete returns the environment with the registries that it lacks.
func (e Environment) Complete() Environment {
	if e.Codecs == nil {
		e.Codecs = standard.Registry(dtype.Standard())
	}
	return e
}

// version is the version of a program that is built without a clone, such as from an archive of
// the source: go build -ldflags '-X github.com/zmigrate/zmigrate/jobs/environment.version=v1.2.3'.
var version string

// Program returns the version of the program.
func Program() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Limits are the limits of requests of a plan: to the stores that it reads from, to the
// target with the checkpoint, and to the lock. The lock has no request budget. If its few
// requests waited for all others, the run could lose the lock.
type Limits struct{ Source, Target, Lock *limits.Limits }
