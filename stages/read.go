package stages

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// load is a block in flight. Its buffer belongs to all of its units together.
type load struct {
	block
	buffer   *ndarray.Buffer
	array    ndarray.Array // the block's elements, whole chunks
	reserved int           // bytes of the budget for the buffer
	unit     int           // bytes of the budget for each unit until it is encoded
	reading  int           // bytes of the budget beside these until the block is read
	users    atomic.Int64  // units that still need the buffer
}

// widen lets one more reader work, as far as there are any.
func (p *pipeline) widen() {
	if p.readers.Add(1) <= int64(cap(p.window)) {
		p.window <- struct{}{} // there is always room
	}
}

// read fills the buffers of blocks and sends their units on.
func (p *pipeline) read(ctx context.Context) error {
	for {
		select {
		case <-p.window:
		case <-ctx.Done():
			return ctx.Err()
		}
		more, err := p.readBlock(ctx)
		p.window <- struct{}{}
		if err != nil || !more {
			return err
		}
	}
}

// readBlock does the next block, and reports whether there was one.
func (p *pipeline) readBlock(ctx context.Context) (bool, error) {
	l, more := <-p.reads
	if !more {
		return false, nil
	}
	t := &p.tasks[l.task]
	err := p.fillBuffer(ctx, t, l)
	p.budget.Release(int64(l.reading))
	if err != nil {
		p.abandon(l, len(l.units))
		return false, t.fail(l.first, "read", err)
	}
	for i, unit := range l.units {
		select {
		case p.encodes <- parcel{load: l, unit: unit, index: l.cell(t, unit)}:
		case <-ctx.Done():
			p.abandon(l, len(l.units)-i)
			return false, ctx.Err()
		}
	}
	return true, nil
}

// cell returns the coordinates of the cell of a unit.
func (l *load) cell(t *Task, unit int) []int {
	if l.shard != nil {
		return l.shard.cell(unit)
	}
	return t.Grid.Index(unit)
}

// abandon gives up n units of a load that nobody else has seen.
func (p *pipeline) abandon(l *load, n int) {
	p.budget.Release(int64(n * l.unit))
	p.leave(l, n)
}

// leave ends the use of the load's buffer by n units.
func (p *pipeline) leave(l *load, n int) {
	if l.users.Add(int64(-n)) == 0 {
		if l.buffer != nil {
			l.buffer.Release()
		}
		p.budget.Release(int64(l.reserved))
	}
}

// fillBuffer reads a block and puts the fill value where chunks reach beyond
// the array.
func (p *pipeline) fillBuffer(ctx context.Context, t *Task, l *load) error {
	shape := t.bufferShape(l.count)
	n, _ := ndarray.Bytes(t.readType(), shape)
	l.buffer = p.pool.Get(n)
	var err error
	if l.array, err = ndarray.View(t.readType(), shape, l.buffer.Bytes); err != nil {
		return err
	}
	start := make([]int, len(shape))
	for i, n := range t.cellChain().Chunk().Shape {
		start[i] = l.first[i] * n
	}
	inside := t.inside(start, shape)
	if t.Convert == nil {
		t.pad(l.array, inside)
	}
	dst := l.array.Sub(ndarray.Region{Start: make([]int, len(shape)), Shape: inside})
	dst.Type = t.Source.Info().Type // the same bytes, perhaps under another name
	return t.Source.ReadRegion(ctx, dst, start)
}

// inside is how much of a box of elements that begins at start lies within the
// array.
func (t *Task) inside(start, shape []int) []int {
	inside := slices.Clone(shape)
	for i, n := range t.Grid.Shape {
		inside[i] = min(shape[i], n-start[i])
	}
	return inside
}

// pad puts the fill value into an array of the chain's type but for the
// elements inside.
func (t *Task) pad(a ndarray.Array, inside []int) {
	for i, n := range a.Shape { // the slab beyond the edge of dimension i
		if inside[i] < n {
			slab := ndarray.Region{Start: make([]int, len(inside)), Shape: slices.Clone(a.Shape)}
			copy(slab.Shape, inside[:i])
			slab.Start[i], slab.Shape[i] = inside[i], n-inside[i]
			ndarray.Fill(a.Sub(slab), t.fill())
		}
	}
}
