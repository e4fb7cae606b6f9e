package stages

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// readSlabs reads a region in several calls at the same time, none of which
// decodes a source chunk of another one: as many as there is memory for in what
// is reserved to encode the block with. It may be the only block in flight. Where
// the source has no chunks and is behind a network, idle readers help, each with
// a long run at least.
func (p *pipeline) readSlabs(ctx context.Context, t *Task, l *load, dst ndarray.Array, start []int) error {
	info, calls := t.Source.Info(), 1
	chunk, order := info.Chunks, []int(nil)
	if info.Shards != nil {
		chunk = info.Shards
	}
	most := orElse(p.Read, runtime.GOMAXPROCS(0))
	if info.Memory > 0 {
		room := l.reading + l.allotment.free // nobody takes from it yet
		most = max(1, min(room/info.Memory, most))
	}
	switch {
	case p.Far && chunk == nil && info.LongRun > 0:
		n, _ := ndarray.Bytes(info.Type, dst.Shape)
		helpers := p.idle(min(n/info.LongRun, most) - 1)
		defer p.leaveIdle(helpers)
		calls, chunk, order = 1+helpers, ones(len(dst.Shape)), info.Slowest
	case info.Memory > 0:
		calls = most
	}
	group, inner := errgroup.WithContext(ctx)
	for _, slab := range slabs(ndarray.Region{Start: start, Shape: dst.Shape}, chunk, order, calls) {
		within := ndarray.Region{Start: slices.Clone(slab.Start), Shape: slab.Shape}
		for i, at := range start {
			within.Start[i] -= at
		}
		group.Go(func() error { return t.Source.ReadRegion(inner, dst.Sub(within), slab.Start) })
	}
	return group.Wait()
}

// idle takes up to n readers that have no block, and returns how many it took.
func (p *pipeline) idle(n int) (taken int) {
	for taken < n {
		select {
		case <-p.window:
			taken++
		default:
			return taken
		}
	}
	return taken
}

// leaveIdle gives back what idle took.
func (p *pipeline) leaveIdle(n int) {
	for range n {
		p.window <- struct{}{}
	}
}

// slabs cuts a region into at most n slabs of about the same size along the
// first dimension in which it meets several chunks, between two of these. order
// lists the dimensions; nil is C order.
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
