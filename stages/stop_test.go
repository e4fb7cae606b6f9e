package stages

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources"
)

// TestStopWithinABlock stops in a block of many units, when few of them are done.
func TestStopWithinABlock(t *testing.T) {
	noLeaks(t)
	s := counted(512, 8)
	x, w := task(t, s, 1, 8)
	x.Block, x.AtOnce = []int{512, 1}, 4
	stop := make(chan struct{})
	var puts atomic.Int64
	w.after = func([]int) {
		if puts.Add(1) == 1 {
			close(stop)
		}
	}
	var l ledger
	c := config(&l)
	c.Stop, c.Read, c.Encode, c.Write = stop, 1, 1, 1
	c.Memory = 4 * x.Cost()
	err := Run(t.Context(), c, List{x})
	if done := len(l.units(0)); !errors.Is(err, ErrStopped) || done > 8 || done != len(w.objects) {
		t.Errorf("%d units of one block done, %d stored, error %v", done, len(w.objects), err)
	}
}

// planned is a source that calls a function when its Info is read.
type planned struct {
	sources.Array
	asked func()
}

func (p planned) Info() *sources.Info {
	p.asked()
	return p.Array.Info()
}

// TestStopBeforeAShard stops while the only reader reads a block of chunks and the
// planner has begun a shard. The shard is finished, the rest of the block is dropped.
func TestStopBeforeAShard(t *testing.T) {
	noLeaks(t)
	x, w := task(t, counted(64, 8), 1, 8)
	x.Block = []int{64, 1}
	sharded, shards := shardedTask(t, counted(512, 64), "end", "bytes")
	var looked atomic.Bool
	begun, stop := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	sharded.Done = func(int) bool {
		looked.Store(true)
		return false
	}
	sharded.Source = planned{sharded.Source, func() {
		if looked.Load() { // the planner computes the cost of the shard's first block
			begin()
		}
	}}
	interrupt := sync.OnceFunc(func() { close(stop) })
	w.before = func(ctx context.Context, _ []int) error {
		select {
		case <-begun:
			interrupt()
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var l ledger
	c := config(&l)
	c.Stop, c.Read, c.Encode, c.Write = stop, 1, 1, 1
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := Run(ctx, c, List{x, sharded}); !errors.Is(err, ErrStopped) {
		t.Errorf("error %v", err)
	}
	if done := len(l.units(0)); done > 8 || done != len(w.objects) {
		t.Errorf("%d chunks are done and %d stored, want a few of 64", done, len(w.objects))
	}
	if diff := cmp.Diff([]int{0}, l.units(1)); diff != "" {
		t.Errorf("shards that are done (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"c/0/0"}, shards.keys()); diff != "" {
		t.Error(diff)
	}
}
