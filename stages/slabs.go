package stages

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// readSlabs reads a region in several calls at the same time, because the block may be
// the only one in flight. No two calls decode the same source chunk. The calls use the
// memory that is reserved to encode the block, which bounds their number. If the source
// has no chunks and is behind a network, idle readers help, each with at least one long
// run.
func (p *pipeline) readSlabs(ctx context.Context, t *Task, l *load, dst ndarray.Array, start []int) error {
	info := t.Source.Info()
	region := ndarray.Region{Start: start, Shape: dst.Shape}
	read := func(ctx context.Context, slab ndarray.Region) error {
		within := ndarray.Region{Start: slices.Clone(slab.Start), Shape: slab.Shape}
		for i, at := range start {
			within.Start[i] -= at
		}
		err := t.Source.ReadRegion(ctx, dst.Sub(within), slab.Start)
		if p.damaged(ctx, err) {
			err = t.Source.ReadRegion(ctx, dst.Sub(within), slab.Start)
		}
		return err
	}
	if info.Type.Size() == 0 {
		return read(ctx, region) // elements of variable size share a heap
	}
	chunk := info.Chunks
	if info.Shards != nil {
		chunk = info.Shards
	}
	calls, most := 1, orElse(p.Read, runtime.GOMAXPROCS(0))
	if info.Memory > 0 {
		room := l.reading + l.allotment.free // no cell takes memory before the block is read
		most = max(1, min(room/info.Memory, most))
		calls = most
	}
	if p.Far && chunk == nil && info.LongRun > 0 {
		n, _ := ndarray.Bytes(info.Type, dst.Shape)
		list := slabs(region, ones(len(dst.Shape)), info.Slowest, max(1, n/info.LongRun))
		return p.readTogether(ctx, list, most, read)
	}
	group, inner := errgroup.WithContext(ctx)
	for _, slab := range slabs(region, chunk, nil, calls) {
		group.Go(func() error { return read(inner, slab) })
	}
	return group.Wait()
}

// damaged tells whether an error may come from bytes that were damaged on their way over
// a network. Then they are read once more. Errors of the store itself are excluded,
// because the store has retried.
func (p *pipeline) damaged(ctx context.Context, err error) bool {
	if err == nil || !p.Far || ctx.Err() != nil {
		return false
	}
	_, stored := errors.AsType[*fs.PathError](err)
	return !stored
}

// readTogether reads slabs, no more than most of them at the same time. Readers that are
// idle, from the beginning or later, help.
func (p *pipeline) readTogether(ctx context.Context, list []ndarray.Region, most int, read func(context.Context, ndarray.Region) error) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(most)
	var begun atomic.Int64
	var work func() error
	help := func() {
		select {
		case <-p.window:
			helping := group.TryGo(func() error {
				defer func() { p.window <- struct{}{} }()
				return work()
			})
			if !helping {
				p.window <- struct{}{}
			}
		default:
		}
	}
	work = func() error {
		for inner.Err() == nil {
			i := int(begun.Add(1)) - 1
			if i >= len(list) {
				break
			}
			if i+1 < len(list) {
				help()
			}
			if err := read(inner, list[i]); err != nil {
				return err
			}
		}
		return inner.Err()
	}
	group.Go(work)
	return group.Wait()
}

// slabs cuts a region between chunks into at most n slabs of about the same size. It
// cuts along the first dimension in which the region meets several chunks. order lists
// the dimensions; nil is C order.
func slabs(region ndarray.Region, chunk, order []int, n int) (list []ndarray.Region) {
	for i := range chunk {
		dim := i
		if order != nil {
			dim = order[i]
		}
		size := chunk[dim]
		begin, end := region.Start[dim], region.Start[dim]+region.Shape[dim]
		first, last := begin/size, ceil(end, size)
		if last-first < 2 {
			continue
		}
		step := ceil(last-first, n)
		for at := first; at < last; at += step {
			slab := ndarray.Region{Start: slices.Clone(region.Start), Shape: slices.Clone(region.Shape)}
			slab.Start[dim] = max(at*size, begin)
			slab.Shape[dim] = min((at+step)*size, end) - slab.Start[dim]
			list = append(list, slab)
		}
		return list
	}
	return []ndarray.Region{region}
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
