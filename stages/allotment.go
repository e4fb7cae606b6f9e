package stages

import (
	"context"
	"sync"
)

// allotment is what a load has reserved to encode its cells with, perhaps not
// all of them at a time. The cells get theirs in order, and what one of them
// gives back is for those behind it before it is anybody else's.
//
// Nobody waits in a circle. A cell that was sent has all that it needs to be
// encoded, and its writer waits for no memory but that of a shard's cells before
// it, which it comes behind. Of one load they were sent before; of an earlier
// load of the shard, its reader has that load, for loads are taken in the order
// of their cells. So of all cells in flight the first one gets done, and then the
// reader that waits for what it gives back can go on. Cells that wait for the
// last one of their shard, because the index lies in front, have given theirs
// back: what they wait in was reserved with the shard.
type allotment struct {
	each int           // bytes to encode a cell
	more chan struct{} // has a token when something was given back

	mutex sync.Mutex
	free  int // bytes that no cell has
	left  int // cells that have not got theirs
}

// newAllotment returns an allotment of atOnce times each bytes for some cells.
func newAllotment(each, atOnce, cells int) *allotment {
	return &allotment{each: each, more: make(chan struct{}, 1), free: atOnce * each, left: cells}
}

// take waits until there is enough for the next cell. Only one goroutine takes.
func (a *allotment) take(ctx context.Context) error {
	for !a.tryTake() {
		select {
		case <-a.more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (a *allotment) tryTake() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.free < a.each {
		return false
	}
	a.free -= a.each
	a.left--
	return true
}

// give takes n bytes back and returns how many of them no cell is left to need.
func (a *allotment) give(n int) (spare int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.free += n
	select {
	case a.more <- struct{}{}:
	default:
	}
	return a.spare()
}

// end gives up the cells that are left and returns what there was for them.
func (a *allotment) end() (spare int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.left = 0
	return a.spare()
}

func (a *allotment) spare() int {
	spare := max(a.free-a.left*a.each, 0)
	a.free -= spare
	return spare
}
