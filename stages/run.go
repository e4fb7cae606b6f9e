package stages

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// ErrStopped is returned by Run when Config.Stop ended it before the work was
// done. Everything that was begun is stored and committed.
var ErrStopped = errors.New("stopped before the end: run again to go on")

// ErrMemory is the cause of an error about a budget that cannot hold a single
// block.
var ErrMemory = errors.New("the memory budget is too small")

// Run does all units of the tasks that are not done yet. It returns the first
// error, with array, chunk and cause, after every worker has ended and every
// buffer is back; receipts of what was stored until then are committed first.
func Run(ctx context.Context, config Config, tasks []Task) error {
	for i := range tasks {
		if cost := tasks[i].Cost(); cost > config.Memory {
			return fmt.Errorf("array %q: %w: one block of chunks takes %d bytes in flight, the budget is %d: %s",
				tasks[i].Path, ErrMemory, cost, config.Memory, tasks[i].Cheaper())
		}
	}
	p := &pipeline{
		Config: config, tasks: tasks,
		budget:   semaphore.NewWeighted(int64(config.Memory)),
		pool:     &ndarray.Pool{Keep: config.Memory},
		reads:    make(chan *load),
		encodes:  make(chan parcel),
		writes:   make(chan parcel),
		receipts: make(chan Receipt),
		shards:   map[*shard]bool{},
		variable: variableLoads{of: make([]needs, len(tasks)), wake: make(chan struct{}, 1)},
	}
	cores := runtime.GOMAXPROCS(0)
	// Where the source does not say what it needs, a reader borrows up to a MiB
	// beside the budget: a quarter of the budget's MiB of readers at the most.
	readers := min(orElse(p.Read, cores), max(1, p.Memory>>22))
	p.window = make(chan struct{}, readers)
	begin := 2
	if p.Far {
		begin = readers
	}
	for range begin {
		p.widen()
	}
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return p.plan(inner) })
	workers(group, readers, func() error { return p.read(inner) }, func() { close(p.encodes) })
	workers(group, min(orElse(p.Encode, cores), parallel(tasks)), func() error { return p.encode(inner) }, func() { close(p.writes) })
	workers(group, orElse(p.Write, cores), func() error { return p.write(inner) }, func() { close(p.receipts) })
	// The commits outlive a failure of the others, for what is stored counts.
	committed := make(chan error, 1)
	go func() { committed <- p.collect(context.WithoutCancel(ctx)) }()
	err := group.Wait()
	for s := range p.shards {
		s.abandon(p)
	}
	commitErr := <-committed
	p.mustBeBack()
	if !p.budget.TryAcquire(int64(p.Memory)) {
		panic(fmt.Sprintf("stages: not all of the budget was given back, the error is %v", err))
	}
	switch {
	case errors.Is(err, errCommit) || err == nil && commitErr != nil:
		return commitErr
	case err != nil:
		return err
	case p.stopped.Load():
		return ErrStopped
	}
	return nil
}

// mustBeBack panics unless all buffers were returned.
func (p *pipeline) mustBeBack() {
	if n := p.pool.Out(); n != 0 {
		panic(fmt.Sprintf("stages: %d bytes of buffers were not returned", n))
	}
}

// parallel is how many encoders the tasks can keep busy: as many as each chunk
// can, which is more than one for shards, for all chunks; one at least.
func parallel(tasks []Task) int {
	n := 0
	for i := range tasks {
		n += tasks[i].Grid.Len() * tasks[i].Chain.Concurrency()
	}
	return max(n, 1)
}

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

type pipeline struct {
	Config
	tasks    []Task
	budget   *semaphore.Weighted
	pool     *ndarray.Pool
	reads    chan *load
	encodes  chan parcel
	writes   chan parcel
	receipts chan Receipt
	// window holds a token for each reader that may begin a block. It starts
	// small and widens when encoders have to wait: reading far ahead of them
	// only makes memory cold.
	window  chan struct{}
	readers atomic.Int64 // tokens there are
	failed  atomic.Bool  // a commit failed
	stopped atomic.Bool

	mutex  sync.Mutex
	shards map[*shard]bool // begun and not finished

	variable variableLoads
}

// workers starts n workers of a stage and runs after once all of them ended.
func workers(group *errgroup.Group, n int, work func() error, after func()) {
	var left atomic.Int64
	left.Store(int64(n))
	for range n {
		group.Go(func() error {
			defer func() {
				if left.Add(-1) == 0 {
					after()
				}
			}()
			return work()
		})
	}
}

// plan sends every block with units left, each with its bytes reserved.
func (p *pipeline) plan(ctx context.Context) error {
	defer close(p.reads)
	for i := range p.tasks {
		t := &p.tasks[i]
		var err error
		begin := func(s *shard) bool {
			var more bool
			if more, err = p.retry(ctx); err != nil || !more || p.stopping() {
				return false
			}
			if err = p.budget.Acquire(ctx, int64(s.reserved())); err != nil {
				return false
			}
			s.held.Store(int64(s.reserved()))
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.shards[s] = true
			return true
		}
		t.blocks(i, begin, func(b block) (more bool) {
			if t.variable() {
				more, err = p.offer(ctx, b)
				return more
			}
			l := &load{block: b}
			// A block at the edge takes as much as the others, for what it has no
			// use for is what the next one is read into.
			cells, _ := ndarray.Elements(t.blockShape())
			var each int
			l.reserved, each, l.reading = t.cost(cells)
			l.users.Store(int64(len(b.units)))
			atOnce := t.atOnce(len(b.units))
			l.allotment = newAllotment(each, atOnce, len(b.units))
			// The units do not need theirs before the source is done with it.
			units := each * atOnce
			l.reading = max(l.reading-units, 0)
			total := l.reserved + units + l.reading
			if b.shard == nil && p.stopping() {
				return false
			}
			if err = p.budget.Acquire(ctx, int64(total)); err != nil {
				return false
			}
			more, err = p.hand(ctx, l, total)
			return more
		})
		if err != nil || p.stopped.Load() {
			return err
		}
	}
	return p.finish(ctx)
}

// hand gives a block, for which total bytes are reserved, to a reader. It reports
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
