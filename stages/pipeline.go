package stages

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sinks"
)

// Config is how to run. Memory and Commit are required.
type Config struct {
	Memory int // bytes of chunk data in flight
	// Workers of each stage; 0: one for each processor.
	Read, Encode, Write int
	// Far says that sources are behind a network. Then all readers work from the
	// beginning, because they wait for answers and not for a disk.
	Far bool
	// Commit is called with receipts of stored units, never twice at the same
	// time. When it returns, the units are durable. The slice is borrowed.
	Commit func(ctx context.Context, receipts []sinks.Receipt) error
	// Every is the longest time that a receipt waits for its commit, 0: five
	// seconds.
	Every time.Duration
	// Observe, if set, is called from several goroutines: for each unit after it was
	// written, and for each piece of a unit, see Event.
	Observe func(Event)
	// Monitor, if set, tells what the workers do while Run runs.
	Monitor *Monitor
	// Stop ends the run in good order when it is closed. Units in flight are finished
	// and committed, but units of a block that no worker encodes yet are dropped.
	Stop <-chan struct{}
}

// ErrStopped is the error of a Run that Config.Stop has ended before the work was done.
// The units that were in flight are stored and committed.
var ErrStopped = errors.New("stopped before the end: run again to go on")

// ErrMemory reports a budget that cannot hold a single block.
var ErrMemory = errors.New("the memory budget is too small")

type pipeline struct {
	Config
	tasks    Tasks
	budget   budget
	pool     *ndarray.Pool
	reads    chan *load
	encodes  chan parcel
	writes   chan parcel
	receipts chan sinks.Receipt
	// window holds a token for each reader that may begin a block. It starts small, and
	// widens when encoders have to wait. Reading far ahead of the encoders would only
	// let the data leave the processor's cache.
	window  chan struct{}
	readers atomic.Int64 // number of tokens
	fast    atomic.Bool  // the last block was read at the speed of a fastReader
	failed  atomic.Bool  // a commit failed
	stopped atomic.Bool

	mutex  sync.Mutex
	shards map[*shard]bool // begun and not finished

	variable variableLoads
}

// hand gives a block to a reader. total bytes are reserved for the block. more reports
// whether the run goes on.
func (p *pipeline) hand(ctx context.Context, l *load, total int) (more bool, err error) {
	stop := p.Stop
	if l.shard != nil {
		stop = nil // a shard that was begun is finished
	}
	select {
	case p.reads <- l:
		return true, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-stop:
		p.stopped.Store(true)
	}
	p.budget.Release(int64(total))
	return false, err
}

func (p *pipeline) stopping() bool {
	select {
	case <-p.Stop:
		p.stopped.Store(true)
		return true
	default:
		return false
	}
}

// errCommit stops the workers after a commit has failed. Run returns the error of the
// commit instead.
var errCommit = errors.New("commit failed")

// needs is what is known of the blocks of a task with elements of variable size.
type needs struct {
	most  int // bytes of the largest block so far; 0: none was read
	cells int // most cells that are read together; 0: no bound is known
}

// variableLoads is what the planner and the readers share about blocks of elements of
// variable size.
type variableLoads struct {
	mutex  sync.Mutex
	of     []needs // by task
	unread int     // blocks in flight that may come back
	again  []block // blocks that came back
	wake   chan struct{}
}

// drop gives back the memory that an encoded cell holds.
func (p *pipeline) drop(u parcel) {
	switch {
	case u.buffer != nil:
		u.buffer.Release()
	case !u.empty:
		p.leave(u.load, 1)
	}
	p.giveBack(u.load, u.reserved)
}

// report sends the receipt of a finished unit, and tells the observer.
func (p *pipeline) report(e Event) error {
	p.receipts <- e.Receipt // the collector always listens
	if p.failed.Load() {
		return errCommit
	}
	if p.Observe != nil {
		p.Observe(e)
	}
	return nil
}

// leastReaders is the number of readers that work in any case, if there are as many: one
// reads while the other hands over its block.
const leastReaders = 2

// fastReader is the speed, in bytes for each second, from which on a reader seems to keep a
// processor busy. A slower one seems to wait for a disk or a server.
const fastReader = 256 << 20

// widen lets one more reader work, if there is one. Fast readers are no more than processors:
// more of them would not read faster, but each holds a block.
func (p *pipeline) widen() {
	most := cap(p.window)
	if p.fast.Load() && !p.Far {
		most = min(most, max(leastReaders, runtime.GOMAXPROCS(0)))
	}
	for n := p.readers.Load(); n < int64(most); n = p.readers.Load() {
		if p.readers.CompareAndSwap(n, n+1) {
			p.window <- struct{}{} // does not block: there is a place for each reader
			return
		}
	}
}

// giveBack gives back n bytes of the memory in which a cell of the load was encoded.
func (p *pipeline) giveBack(l *load, n int) {
	p.budget.Release(int64(l.allotment.give(n)))
}

// leave ends the use of the load's buffer by n cells.
func (p *pipeline) leave(l *load, n int) {
	if l.users.Add(int64(-n)) == 0 {
		if l.buffer != nil {
			l.buffer.Release()
		}
		if l.account != nil {
			l.account.release()
		}
		p.budget.Release(int64(l.reserved))
	}
}
