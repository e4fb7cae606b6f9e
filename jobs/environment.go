package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
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

	// limits are those of the side of a plan whose stores are opened; nil: each
	// store has the job's budget for itself.
	limits *store.Limits
	// chains are those that a plan has bound; nil: none are shared.
	chains *codecs.Chains
}

// bind binds a chain of a plan's array.
func (e Environment) bind(specs []codecs.Spec, in codecs.Chunk) (*codecs.Chain, error) {
	if e.chains == nil {
		return e.Codecs.Bind(specs, in)
	}
	return e.chains.Bind(specs, in)
}

// log is where to write log lines.
func (e Environment) log() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}
