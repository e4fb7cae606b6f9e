package verify

import (
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// Options say how to verify a target.
type Options struct {
	Level Level // "": Decoded
	// Sample is the fraction of the objects that are read, above 0 and at most 1; 0: all. The
	// same Seed chooses the same objects. With the level Source, it is also the fraction of
	// each array that is compared with the source.
	Sample float64
	Seed   uint64
	// Restart forgets how far an interrupted verification came.
	Restart bool
	// Part, if its Of is not 0, verifies one of several parts, and leaves the result in the
	// checkpoint. Parts can be verified at the same time, on several machines. A part reads
	// neither a list of the target nor the documents.
	Part Part
	// Gather, if not 0, adds up the results of this many parts. It lists the target and compares
	// the documents, but reads no other objects.
	Gather int
	// AnyJob accepts the record of any job. The given job then only says where the target is.
	AnyJob bool
	// Begin, if set, is called before the objects are read, with their number and size. With
	// the level Source, Begin is called once more before the comparison with the source, with
	// the number of parts to compare, and the size of their elements in the source.
	Begin func(parts int, bytes int64)
	// Each, if set, is called for each difference, from several goroutines. A result lists
	// only the first 10,000.
	Each func(Difference)
	// Observe, if set, is called for each object that was read, and for each part that was
	// compared, from several goroutines.
	Observe func(bytes int64)
}

// verification is the state of a verification.
type verification struct {
	job    *jobfile.Job
	env    environment.Environment
	opt    Options
	target *store.Store
	record *record
	// checkpoint has the record, and the progress of a verification that was interrupted.
	checkpoint *store.Store
	nodes      map[string]bool // paths of the nodes that have a document
	ledger     journal.Ledger
	memory     *semaphore.Weighted
	pool       *ndarray.Pool
	found      findings
	least      float64 // objects with a lesser lot are in the sample
	// from and to bound the part of the objects that is verified: those that begin there, if the
	// objects of the record are laid end to end. first and end do so for the boxes of all arrays.
	from, to   int64
	first, end int
	deviations []*deviation.Saved // of the lossy arrays in the part

	mu       sync.Mutex
	result   Result
	decoders map[string]*decoder
	progress progress
	saved    time.Time // when the progress was stored last
	// stored is set if the checkpoint may have progress, unwritable if it cannot have any.
	stored, unwritable bool

	saving sync.Mutex // while the progress is stored
}
