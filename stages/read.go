package stages

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// load is a block in flight. All of its cells share its buffer.
type load struct {
	block
	buffer    *ndarray.Buffer
	array     ndarray.Array // the block's elements, whole cells
	reserved  int           // bytes of the budget for the buffer
	allotment *allotment    // bytes of the budget to encode cells
	reading   int           // further bytes of the budget until the block is read
	users     atomic.Int64  // cells that still need the buffer

	// For elements of variable size: account is the memory that the block may take until
	// it is read. The allotment holds that memory meanwhile. If the planner waits for
	// the block, it receives from outcome.
	account *account
	outcome chan *outgrown
}

// widen lets one more reader work, if there is one.
func (p *pipeline) widen() {
	if p.readers.Add(1) <= int64(cap(p.window)) {
		p.window <- struct{}{} // does not block: there is a place for each reader
	}
}

// read fills the buffers of blocks and sends their cells to the encoders.
func (p *pipeline) read(ctx context.Context, w *worker) error {
	for {
		l, err := p.nextBlock(ctx)
		if l == nil {
			return err
		}
		w.begin(l.of, l.first, len(l.units))
		err = p.readBlock(ctx, l, w)
		w.wait()
		p.window <- struct{}{}
		if err != nil {
			return err
		}
	}
}

// nextBlock takes a token of the window and returns the next block; nil after the last
// one. The token comes first, because a block that waits for a token would hold memory
// that no reader fills. Behind a network there is a token for each reader. There the block
// comes first, so that readers without a block leave their tokens to helpers, see
// readTogether.
func (p *pipeline) nextBlock(ctx context.Context) (*load, error) {
	turn := func() error {
		select {
		case <-p.window:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if !p.Far {
		if err := turn(); err != nil {
			return nil, err
		}
		l := <-p.reads
		if l == nil {
			p.window <- struct{}{}
		}
		return l, nil
	}
	l := <-p.reads
	if l == nil {
		return nil, nil
	}
	if err := turn(); err != nil {
		p.budget.Release(int64(l.reading))
		p.abandon(l, len(l.units))
		return nil, err
	}
	return l, nil
}

// readBlock reads a block and sends its cells. If the run is stopped meanwhile, it drops
// the rest of the block and returns no error: the planner ends the run, and a shard that
// was begun still needs readers. w is told when the buffer is filled.
func (p *pipeline) readBlock(ctx context.Context, l *load, w *worker) error {
	t := l.of
	if t.Stored != nil {
		return p.carry(ctx, t, l, w)
	}
	var err error
	if l.account != nil {
		err = p.fillVariable(ctx, t, l)
		if o, ok := errors.AsType[*outgrown](err); ok {
			p.abandon(l, len(l.units))
			p.arrive(l, o)
			return nil
		}
	} else {
		err = p.fillBuffer(ctx, t, l)
		p.budget.Release(int64(l.reading))
	}
	if err != nil {
		p.abandon(l, len(l.units))
		return t.fail(l.first, "read", err)
	}
	w.wait()
	if l.account != nil {
		p.arrive(l, nil)
	}
	for i, unit := range l.units {
		if i > 0 && l.shard == nil && p.stopping() { // a shard that was begun is finished
			p.abandon(l, len(l.units)-i)
			return nil
		}
		if err := p.send(ctx, parcel{load: l, unit: unit, index: l.cell(t, unit)}); err != nil {
			p.abandon(l, len(l.units)-i)
			return err
		}
	}
	return nil
}

// send waits for the memory to encode a cell, and hands the cell to the encoders.
func (p *pipeline) send(ctx context.Context, u parcel) error {
	if err := u.load.allotment.take(ctx); err != nil {
		return err
	}
	select {
	case p.encodes <- u:
		return nil
	case <-ctx.Done():
		p.giveBack(u.load, u.load.allotment.each)
		return ctx.Err()
	}
}

// giveBack gives back n bytes of the memory in which a cell of the load was encoded.
func (p *pipeline) giveBack(l *load, n int) {
	p.budget.Release(int64(l.allotment.give(n)))
}

// cell returns the coordinates of the cell with a number.
func (l *load) cell(t *Task, unit int) []int {
	if l.shard != nil {
		return l.shard.cell(unit)
	}
	return t.Grid.Index(unit)
}

// abandon gives up the last n cells of a load, which were not sent.
func (p *pipeline) abandon(l *load, n int) {
	p.budget.Release(int64(l.allotment.end()))
	p.leave(l, n)
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

// fillBuffer reads a block, and pads the cells that reach beyond the array.
func (p *pipeline) fillBuffer(ctx context.Context, t *Task, l *load) error {
	shape := t.bufferShape(l.count)
	n, _ := ndarray.Bytes(t.readType(), shape)
	l.buffer = p.pool.Get(l.reserved)
	var err error
	if l.array, err = ndarray.View(t.readType(), shape, l.buffer.Bytes[:n]); err != nil {
		return err
	}
	if l.array.Heap != nil && l.account != nil {
		l.array.Heap.Account = l.account
	}
	start := make([]int, len(shape))
	for i, n := range t.cellChain().Chunk().Shape {
		start[i] = l.first[i] * n
	}
	inside := t.inside(start, shape)
	dst := l.array.Sub(ndarray.Region{Start: make([]int, len(shape)), Shape: inside})
	dst.Type = t.Source.Info().Type // the same bytes, perhaps under another name
	if err := p.readSlabs(ctx, t, l, dst, start); err != nil {
		return err
	}
	if t.Convert == nil {
		t.cellChain().Pad(l.array, inside)
	}
	return l.array.Heap.Err()
}

// inside returns the shape of the part of a box that lies within the array. The box
// begins at start.
func (t *Task) inside(start, shape []int) []int {
	inside := slices.Clone(shape)
	for i, n := range t.Grid.Shape {
		inside[i] = min(shape[i], n-start[i])
	}
	return inside
}
