package stages

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/sinks"
)

// Run does all units of the tasks that are not done yet. It returns the first error,
// which names array, chunk and cause. Before Run returns, every worker has ended, every
// buffer has been returned, and the receipts of all stored units have been committed.
func Run(ctx context.Context, config Config, tasks Tasks) error {
	parallel := 0
	for i := range tasks.Len() {
		t := tasks.Task(i)
		if t.Cost() > config.Memory {
			message, hint := t.TooLarge(config.Memory, 0)
			return fmt.Errorf("array %q: %w: %s, the budget is %s: %s", t.Path, ErrMemory, message, words.Size(int64(config.Memory)), hint)
		}
		parallel += t.parallel()
	}
	if config.Monitor == nil {
		config.Monitor = new(Monitor)
	}
	config.Monitor.start(int64(config.Memory))
	defer config.Monitor.end()
	p := &pipeline{
		Config: config, tasks: tasks,
		budget:   newBudget(int64(config.Memory), config.Monitor),
		pool:     &ndarray.Pool{Keep: config.Memory},
		reads:    make(chan *load),
		encodes:  make(chan parcel),
		writes:   make(chan parcel),
		receipts: make(chan sinks.Receipt),
		shards:   map[*shard]bool{},
		variable: variableLoads{of: make([]needs, tasks.Len()), wake: make(chan struct{}, 1)},
	}
	cores := runtime.GOMAXPROCS(0)
	// If the source does not say what memory it needs, a reader takes up to 1 MiB beside
	// the budget. So there is at most one reader for each 4 MiB of the budget.
	readers := min(orElse(p.Read, cores), max(1, p.Memory>>22))
	p.window = make(chan struct{}, readers)
	begin := leastReaders
	if p.Far {
		begin = readers
	}
	for range begin {
		p.widen()
	}
	group, inner := errgroup.WithContext(ctx)
	p.workers(group, "read", readers, func(w *worker) error { return p.read(inner, w) }, func() { close(p.encodes) })
	p.workers(group, "encode", min(orElse(p.Encode, cores), max(parallel, 1)), func(w *worker) error { return p.encode(inner, w) }, func() { close(p.writes) })
	p.workers(group, "write", orElse(p.Write, cores), func(w *worker) error { return p.write(inner, w) }, func() { close(p.receipts) })
	// The planner comes last, so that the monitor knows all workers when the first one begins.
	group.Go(func() error { return p.plan(inner) })
	// Commits go on after an error, because units that are stored count.
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
	p.budget.Release(int64(p.Memory))
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

// parallel returns how many encoders the task can keep busy: the number of its units,
// times the encoders that one unit keeps busy. A shard keeps several encoders busy.
func (t *Task) parallel() int { return t.Grid.Len() * t.Chain.Concurrency() }

// workers starts n workers of a stage, and calls after when all of them have ended. The
// monitor knows them.
func (p *pipeline) workers(group *errgroup.Group, stage string, n int, work func(w *worker) error, after func()) {
	var left atomic.Int64
	left.Store(int64(n))
	for range n {
		w := p.Monitor.worker(stage)
		group.Go(func() error {
			defer func() {
				if left.Add(-1) == 0 {
					after()
				}
			}()
			return work(w)
		})
	}
}

// plan reserves the bytes of every block that has units to do, and sends it.
func (p *pipeline) plan(ctx context.Context) error {
	defer close(p.reads)
	for i := range p.tasks.Len() {
		t := p.tasks.Task(i)
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
			if t.Variable() {
				more, err = p.offer(ctx, b)
				return more
			}
			l := &load{block: b}
			// A block at the edge reserves as much as the others, so that a later block
			// can use its buffer.
			cells, _ := ndarray.Elements(t.blockShape())
			var each int
			l.reserved, each, l.reading = t.cost(cells)
			l.users.Store(int64(len(b.units)))
			atOnce := t.atOnce(len(b.units))
			l.allotment = newAllotment(each, atOnce, len(b.units))
			// The source uses the memory of the cells until the block is read.
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
