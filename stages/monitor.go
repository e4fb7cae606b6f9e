package stages

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Monitor tells what a run does at the moment. The zero value belongs to no run yet. Its
// methods may be called at any time, from any goroutine, and do not disturb the run.
type Monitor struct {
	used atomic.Int64 // bytes of the budget that are reserved

	busy [len(busyStages)]atomic.Int64 // nanoseconds, by stage

	mu      sync.Mutex
	memory  int64 // the budget
	workers []*worker
}

// busyStages are the stages whose work is timed.
var busyStages = [...]string{"read", "encode", "write", "commit"}

// Busy is how long the workers of a stage have worked, all taken together. The time in which
// a worker waits for another stage is not included.
type Busy struct {
	Stage string        `json:"stage"` // "read", "encode", "write" or "commit"
	Time  time.Duration `json:"nanoseconds"`
}

// Busy returns how long each stage has worked so far, over all runs of the monitor. Work
// that is under way counts when it ends.
func (m *Monitor) Busy() []Busy {
	list := make([]Busy, len(busyStages))
	for i, stage := range busyStages {
		list[i] = Busy{stage, time.Duration(m.busy[i].Load())}
	}
	return list
}

// worked adds the time since a stage began a piece of work.
func (m *Monitor) worked(stage string, since time.Time) {
	m.busy[slices.Index(busyStages[:], stage)].Add(int64(time.Since(since)))
}

// Activity is what one worker of a stage does.
type Activity struct {
	Stage  string `json:"stage"`  // "read", "encode" or "write"
	Worker int    `json:"worker"` // its number in the stage, from 0
	// Array is the path in the target, "" if the worker waits for work. Chunk is the index of
	// the chunk or, in a shard, of the inner chunk. A reader may read several chunks together:
	// Chunk is the first one, and Chunks their number.
	Array  string    `json:"array,omitempty"`
	Chunk  []int     `json:"chunk,omitempty"`
	Chunks int       `json:"chunks,omitempty"`
	Since  time.Time `json:"since,omitzero"`
}

// Activities returns what each worker does: the readers first, then the encoders, then
// the writers. There are none before the first chunk and after the last one.
func (m *Monitor) Activities() []Activity {
	m.mu.Lock()
	workers := slices.Clone(m.workers)
	m.mu.Unlock()
	list := make([]Activity, 0, len(workers))
	number := map[string]int{}
	for _, stage := range []string{"read", "encode", "write"} {
		for _, w := range workers {
			if w.stage != stage {
				continue
			}
			x := w.activity()
			x.Worker = number[stage]
			number[stage]++
			list = append(list, x)
		}
	}
	return list
}

// Memory returns how many bytes of the budget are reserved, and how many the budget has.
func (m *Monitor) Memory() (used, budget int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used.Load(), m.memory
}

// start gives the monitor to a new run.
func (m *Monitor) start(memory int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.memory, m.workers = memory, nil
}

// worker adds a worker of a stage.
func (m *Monitor) worker(stage string) *worker {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &worker{stage: stage, of: m}
	m.workers = append(m.workers, w)
	return w
}

// end tells that the workers have ended.
func (m *Monitor) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.workers = nil
}

// worker is what a worker writes down of itself.
type worker struct {
	stage string
	of    *Monitor

	mu     sync.Mutex
	task   *Task // nil: the worker waits
	index  []int // of the first cell; nobody changes it
	chunks int
	since  time.Time
}

// begin notes that the worker has work.
func (w *worker) begin(t *Task, index []int, chunks int) {
	now := time.Now()
	w.mu.Lock()
	w.task, w.index, w.chunks, w.since = t, index, chunks, now
	w.mu.Unlock()
}

// wait notes that the worker waits for work, or for whoever takes its results.
func (w *worker) wait() {
	w.mu.Lock()
	worked := w.task != nil
	w.task, w.index = nil, nil
	w.mu.Unlock()
	if worked {
		w.of.worked(w.stage, w.since)
	}
}

func (w *worker) activity() Activity {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.task == nil {
		return Activity{Stage: w.stage}
	}
	return Activity{Stage: w.stage, Array: w.task.Path, Chunk: slices.Clone(w.task.inTarget(w.index)), Chunks: w.chunks, Since: w.since}
}

// budget is a weighted semaphore that knows how much of it is taken.
type budget struct {
	semaphore *semaphore.Weighted
	used      *atomic.Int64
}

// newBudget returns a budget of n bytes, which the monitor watches.
func newBudget(n int64, m *Monitor) budget { return budget{semaphore.NewWeighted(n), &m.used} }

// Acquire waits until n bytes are free, and takes them.
func (b budget) Acquire(ctx context.Context, n int64) error {
	err := b.semaphore.Acquire(ctx, n)
	if err == nil {
		b.used.Add(n)
	}
	return err
}

// TryAcquire takes n bytes if they are free.
func (b budget) TryAcquire(n int64) bool {
	ok := b.semaphore.TryAcquire(n)
	if ok {
		b.used.Add(n)
	}
	return ok
}

// Release gives n bytes back.
func (b budget) Release(n int64) {
	b.used.Add(-n)
	b.semaphore.Release(n)
}
