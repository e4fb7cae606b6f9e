package stages

import (
	"context"
	"sync"
)

// allotment is the memory that a load has reserved to encode its cells, perhaps not all
// of them at the same time. Each cell takes a share, in order. When a cell gives its
// share back, the later cells of the load get it first.
//
// There is no circle of waiting. A cell that was sent has all the memory that it needs
// to be encoded. In a shard the writer waits for earlier cells of the shard. An earlier
// cell of the same load was sent before. An earlier cell of an earlier load is in the
// hands of a reader, because readers take loads in the order of their cells. So the
// first of all cells in flight is finished, and the reader that waits for its share goes
// on. If the index of a shard is at the start, its cells wait for the last one. They have
// given their shares back: they wait in memory that was reserved with the shard.
type allotment struct {
	each int           // bytes to encode a cell
	more chan struct{} // has a token when something was given back

	mutex sync.Mutex
	free  int // bytes that no cell has
	left  int // cells that have not taken their share
}

// newAllotment returns the allotment of a load with the given number of cells. At most
// atOnce cells are encoded at the same time. Encoding a cell takes each bytes.
func newAllotment(each, atOnce, cells int) *allotment {
	return &allotment{each: each, more: make(chan struct{}, 1), free: atOnce * each, left: cells}
}

// take waits until there is a share for the next cell. Only one goroutine may call it.
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

// give takes n bytes back and returns how many bytes no later cell needs.
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

// end gives up the cells that have not taken their share, and returns their bytes.
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
