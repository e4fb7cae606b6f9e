package run

import (
	"github.com/zmigrate/zmigrate/jobs/journal"
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
	// Owner says who runs, for the lock; zero: this process, by the name of its program.
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
