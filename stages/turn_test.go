package stages

import (
	"context"
	"errors"
	"runtime"
	"testing"

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
