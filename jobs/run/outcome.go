package run

import (
	"context"

	"github.com/zmigrate/zmigrate/sinks"
)

// outcome is what a run does at its target: a [creating] run or a [growing] run.
type outcome interface {
	// begin returns true if there is nothing to do. Otherwise it goes on with an earlier
	// run or begins a new one.
	begin(ctx context.Context, opt Options) (complete bool, err error)
	// keepsObjects reports whether the target keeps objects of earlier runs. If not, any
	// object in a place of the plan that has no receipt is a stray.
	keepsObjects() bool
	// vacate removes objects from the places of chunks that hold only the fill value.
	vacate(ctx context.Context, receipts []sinks.Receipt) error
	// documents writes the documents of arrays whose chunks are all in place.
	documents(ctx context.Context) error
	// prepare reads what the last documents of a run need. publish writes them.
	prepare(ctx context.Context) (publish func(ctx context.Context) error, err error)
	// wayOut says what a user can do if the source changes during the run.
	wayOut() string
}
