package stages

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestTurnOfAReader ends a run while a reader waits for a token. A reader of a near
// source has not taken a block yet. A reader of a source behind a network has taken a
// block, and gives the block's memory back.
func TestTurnOfAReader(t *testing.T) {
	const memory = 1000
	for _, far := range []bool{false, true} {
		p := &pipeline{Config: Config{Far: far}, budget: newBudget(memory, new(Monitor)), window: make(chan struct{}, 1), reads: make(chan *load, 1)}
		l := &load{block: block{units: []int{0, 1}}, reserved: 100, reading: 50, allotment: newAllotment(10, 2, 2)}
		l.users.Store(2)
		p.budget.TryAcquire(100 + 50 + 2*10)
		p.reads <- l
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := p.nextBlock(ctx); got != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("far is %v: block %v, error %v", far, got, err)
		}
		if taken := len(p.reads) == 0; taken != far {
			t.Errorf("far is %v: the block was taken: %v", far, taken)
		}
		if far && !p.budget.TryAcquire(memory) {
			t.Error("the block has not given all of its bytes back")
		}
	}
}

// TestBlockThatNobodyTakes ends a run while the planner has reserved memory for a block
// of texts, and waits for a reader. The planner ends with the cause and gives all memory
// back.
func TestBlockThatNobodyTakes(t *testing.T) {
	const memory = 1 << 20
	x, _ := textTask(t, texts([]int{4}, func(int) int { return 10 }), []int{1}, nil, "", "vlen-utf8")
	for _, alone := range []bool{false, true} {
		p := &pipeline{Config: Config{Memory: memory}, tasks: List{x}, budget: newBudget(memory, new(Monitor)), pool: &ndarray.Pool{}, reads: make(chan *load)}
		p.variable = variableLoads{of: make([]needs, 1), wake: make(chan struct{}, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for p.budget.TryAcquire(memory) { // the planner has reserved nothing yet
				p.budget.Release(memory)
				runtime.Gosched()
			}
			cancel()
		}()
		more, outgrew, err := p.try(ctx, block{of: &x, first: []int{0}, count: []int{1}, units: []int{0}}, alone)
		if more || outgrew != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("alone is %v: more is %v, %v, error %v", alone, more, outgrew, err)
		}
		if !p.budget.TryAcquire(memory) {
			t.Error("not all of the budget was given back")
		}
	}
}

// TestFastReaders counts the readers that work at the same time while encoders wait
// for them. Fast readers are no more than processors.
func TestFastReaders(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const readers, block = 8, 64 << 10
	for _, c := range []struct {
		far   bool
		speed float64
		want  int64
	}{
		{false, 1.2 * fastReader, 3},
		{false, 0.9 * fastReader, readers},
		{true, 1.2 * fastReader, readers},
	} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			s := counted(64, block/2)
			s.before = func(context.Context, []int) error {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				<-time.After(time.Duration(block / c.speed * float64(time.Second)))
				now.Add(-1)
				return nil
			}
			x, _ := task(t, s, 1, block/2)
			var l ledger
			cfg := config(&l)
			cfg.Memory, cfg.Read, cfg.Far = readers<<22, readers, c.far
			if err := Run(t.Context(), cfg, List{x}); err != nil {
				t.Fatal(err)
			}
			if most.Load() != c.want {
				t.Errorf("far is %v, %.0f bytes in a second: %d readers at the same time, want %d", c.far, c.speed, most.Load(), c.want)
			}
		})
	}
}
