package run

import (
	"context"
	"time"

	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/stages"
)

// Options say how to run a plan. With the zero value, a run reports nothing and asks
// nothing.
type Options struct {
	// Begin, if set, is called once before the first chunk, with what there is to do.
	Begin func(todo Progress)
	// Observe, if set, is called for each unit that was written, and for each inner chunk of
	// a shard. Several goroutines call it at the same time.
	Observe func(stages.Event)
	// Confirm, if set, is called before a run that overwrites removes anything. If Confirm
	// returns an error, the run ends with this error, and nothing is removed.
	Confirm func(Removal) error
	// Repair, if not nil, has the keys of objects of a complete target that are written
	// again, besides those that the run notices. The documents are written again, too.
	Repair []string
	// Left leaves out the units of a bundle that the checkpoint has receipts of. It counts for a
	// [Worker] alone.
	Left bool
	// Restart forgets what earlier runs of the job have done, and makes the target anew. Only
	// objects that the checkpoint shows to be those of the job are removed, as by a run that
	// overwrites. A job that appends rows cannot begin anew.
	Restart bool
	// Died, if set, is called if an earlier run of the checkpoint has ended without
	// releasing its lock: it was killed, or its machine is gone. seen is the time of its
	// last heartbeat, by its own clock.
	Died func(earlier journal.Owner, seen time.Time)
	// Ending, if set, is called when the target is complete and the record of that is durable. The
	// run calls what Ending returns, with its result, while it releases its lock. Ending may
	// return nil. The run calls neither if there was nothing to do.
	Ending func(ctx context.Context) (leave func(ctx context.Context, result *Result))
	// Monitor, if set, tells what the workers do while chunks are migrated.
	Monitor *stages.Monitor
	// Stop ends the run when it is closed. The units that are done are recorded.
	Stop <-chan struct{}
	// Owner is the owner that the lock names. The zero value stands for this process, with
	// the name of its program. If Owner names no run, the run gets a new name, and all lines
	// of its log have that name.
	Owner journal.Owner
}

// Progress is how much of a plan is done.
type Progress struct {
	Chunks, ChunksDone int
	Bytes, BytesDone   int64 // of array elements
}

// Removal is what a run is about to remove from its target.
type Removal struct {
	Target  string
	Arrays  []string // paths; "" is an array that is the whole target
	Objects int      // chunks and documents
}
