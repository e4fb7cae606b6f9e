package stages

import (
	"errors"
	"sync/atomic"
	"testing"
)

// TestStopWithinABlock stops in a block of many units, of which few are done by then.
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
	err := Run(t.Context(), c, []Task{x})
	if done := len(l.units(0)); !errors.Is(err, ErrStopped) || done > 8 || done != len(w.objects) {
		t.Errorf("%d units of one block done, %d stored, error %v", done, len(w.objects), err)
	}
}
