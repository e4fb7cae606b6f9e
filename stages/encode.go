package stages

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// encode turns units into objects.
func (p *pipeline) encode(ctx context.Context, w *worker) error {
	for first := true; ; first = false {
		u, more := p.nextUnit(!first)
		if !more {
			return nil
		}
		t, l := u.load.of, u.load
		w.begin(t, u.index, 1)
		if err := p.encodeCell(t, &u); err != nil {
			p.giveBack(l, l.allotment.each)
			p.leave(l, 1)
			return t.fail(u.index, "encode", err)
		}
		p.settle(t, &u)
		w.wait()
		select {
		case p.writes <- u:
		case <-ctx.Done():
			p.drop(u)
			return ctx.Err()
		}
	}
}

// encodeCell converts and encodes a cell, unless it holds only the fill value.
func (p *pipeline) encodeCell(t *Task, u *parcel) error {
	chain := t.cellChain()
	shape := chain.Chunk().Shape
	at, start := make([]int, len(shape)), make([]int, len(shape)) // in the load, in the array
	for i, n := range shape {
		at[i], start[i] = (u.index[i]-u.load.first[i])*n, u.index[i]*n
	}
	cell := u.load.array.Sub(ndarray.Region{Start: at, Shape: shape})
	var converted *ndarray.Buffer
	if t.Convert != nil {
		to, buffer, err := p.pool.Array(chain.Chunk().Type, shape)
		if err != nil {
			return err
		}
		inside := t.inside(start, shape)
		region := ndarray.Region{Start: make([]int, len(shape)), Shape: inside}
		if err = t.Convert.Encode(to.Sub(region), cell.Sub(region)); err != nil {
			buffer.Release()
			return err
		}
		chain.Pad(to, inside)
		converted = buffer
		cell = to
	}
	u.empty = !t.KeepEmpty && ndarray.Uniform(cell, t.fill())
	var seen func(ndarray.Array)
	if t.Digest {
		at := t.placeOf(cell.Shape, start)
		switch {
		case u.empty:
			u.digest = digest.Constant(chain.Stage(t.Exact).Single(), at)
		case t.Exact == 0 && chain.Stages() > 0:
			u.digest = digest.Within(cell, make([]int, len(start)), at) // codecs may move elements
		default:
			seen = func(encoded ndarray.Array) { u.digest = digest.Within(encoded, make([]int, len(start)), at) }
		}
	}
	var err error
	if !u.empty {
		u.data, u.buffer, err = chain.EncodeSeen(p.pool, cell, seen)
	}
	switch {
	case converted == nil:
	case err == nil && !u.empty && u.buffer == nil:
		u.buffer = converted // the data may lie in it
	default:
		converted.Release()
	}
	return err
}

// placeOf returns the place in the array of a cell that begins in the task's grid at start,
// without what reaches beyond the array.
func (t *Task) placeOf(shape, start []int) ndarray.Region {
	at := ndarray.Region{Start: start, Shape: t.inside(start, shape)}
	if t.First != nil {
		at.Start = slices.Clone(start)
		for i, n := range t.First {
			at.Start[i] += n * t.Grid.Chunk[i]
		}
	}
	return at
}

// settle gives back the memory that an encoded cell no longer needs. An inner chunk that
// waits for the last one of its shard moves to memory of its own size.
func (p *pipeline) settle(t *Task, u *parcel) {
	l, taken := u.load, u.load.allotment.each
	most := taken // the most bytes that the encoded cell may keep
	if l.shard != nil && l.shard.layout.AtStart() {
		if !t.Variable() { // a cell of variable size keeps a part of what it took
			most = t.waiting()
			taken += most
			l.shard.held.Add(int64(-most))
		}
		if !u.empty {
			kept := p.pool.Get(len(u.data))
			copy(kept.Bytes, u.data)
			if u.buffer != nil {
				u.buffer.Release()
			}
			u.data, u.buffer = kept.Bytes, kept
		}
	}
	if u.buffer != nil {
		u.reserved = min(ndarray.Rounded(len(u.buffer.Bytes)), most)
	}
	p.giveBack(l, taken-u.reserved)
	if u.empty || u.buffer != nil {
		p.leave(l, 1)
	}
}

// nextUnit returns the next cell to encode, if there is one. If an encoder that has
// worked has to wait, one more reader may work.
func (p *pipeline) nextUnit(worked bool) (parcel, bool) {
	if worked {
		select {
		case u, more := <-p.encodes:
			return u, more
		default:
			p.widen()
		}
	}
	u, more := <-p.encodes
	return u, more
}
