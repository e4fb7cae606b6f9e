package sinks

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// WriteRegion writes the elements of src to the region that begins at start and has
// src's shape. The region lies within the array. src has the array's data type and any
// strides, and is borrowed until WriteRegion returns.
//
// A stored object, a chunk or a shard, that the region covers is written at once and
// never read. Any other object waits in memory for its other elements, so that many
// small regions make one object. It is stored when it is complete, when memory runs
// short, or by Commit. If an object is written again after that, its other elements are
// read back, and a lossy codec changes them once more. Regions that cover whole chunks
// avoid that. An object with nothing but the fill value is not stored.
//
// Several goroutines may write at the same time, also to regions that share an object.
// Where regions overlap, either value may win. After an error, parts of the region may
// have been written; the same call may be repeated.
func (a *Array) WriteRegion(ctx context.Context, src ndarray.Array, start []int) error {
	a.writer.working.RLock()
	defer a.writer.working.RUnlock()
	if err := a.writer.usable(); err != nil {
		return err
	}
	if err := a.check(src, start, a.grid().Shape); err != nil {
		return err
	}
	return a.writeRegion(ctx, src, start)
}

// check refuses what cannot be written.
func (a *Array) check(src ndarray.Array, start, shape []int) error {
	switch {
	case src.Type == nil || !dtype.Same(src.Type, a.meta.Type):
		name := "no type"
		if src.Type != nil {
			name = src.Type.Name()
		}
		return fmt.Errorf("array %q: its data type is %s, that of src is %s", a.path, a.meta.Type.Name(), name)
	case len(src.Shape) != len(shape) || len(start) != len(shape):
		return fmt.Errorf("array %q: it has %d dimensions, but src has shape %v and start is %v", a.path, len(shape), src.Shape, start)
	}
	for i, n := range shape {
		if start[i] < 0 || src.Shape[i] < 0 || start[i] > n-src.Shape[i] {
			return fmt.Errorf("array %q: the region of shape %v at %v is not within the array of shape %v; Append makes an array longer", a.path, src.Shape, start, shape)
		}
	}
	return nil
}

// writeRegion is WriteRegion for a region that was checked.
func (a *Array) writeRegion(ctx context.Context, src ndarray.Array, start []int) error {
	if src.Len() == 0 {
		return nil
	}
	first, last := make([]int, len(start)), make([]int, len(start))
	for i, extent := range a.extent {
		first[i], last[i] = start[i]/extent, (start[i]+src.Shape[i]-1)/extent
	}
	g, below := errgroup.WithContext(ctx)
	g.SetLimit(a.writer.atOnce)
	for index := slices.Clone(first); index != nil && below.Err() == nil; index = ndarray.Next(index, first, last) {
		at := slices.Clone(index)
		g.Go(func() error { return a.writeObject(below, at, src, start) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// writeObject writes the part of a region that lies in one object.
func (a *Array) writeObject(ctx context.Context, index []int, src ndarray.Array, start []int) error {
	o := a.hold(index)
	o.mu.Lock()
	err := a.write(ctx, o, src, start)
	a.settle(o)
	o.mu.Unlock()
	a.release(o)
	if err != nil {
		return a.fail(index, err)
	}
	return a.writer.shrink(ctx)
}

// write is writeObject for a caller who has locked the object.
func (a *Array) write(ctx context.Context, o *object, src ndarray.Array, start []int) error {
	done, err := a.reserve(ctx)
	if err != nil {
		return err
	}
	defer done()
	// The shape is looked at while the object is locked: another goroutine may have
	// made the array longer, and may have written the object's new elements.
	inside := a.grid().Region(o.index)
	part := overlap(inside, ndarray.Region{Start: start, Shape: src.Shape})
	from := src.Sub(ndarray.Region{Start: minus(part.Start, start), Shape: part.Shape})
	part.Start = minus(part.Start, inside.Start) // in the object
	if slices.Equal(part.Shape, inside.Shape) {
		return a.store(ctx, o, inside.Shape, func(box ndarray.Region, _ int) (piece, error) { return a.encode(from.Sub(box)) })
	}
	for number, box := range a.cells(inside.Shape, part) {
		met := overlap(box, part)
		values := from.Sub(ndarray.Region{Start: minus(met.Start, part.Start), Shape: met.Shape})
		if slices.Equal(met.Shape, box.Shape) {
			p, err := a.encode(values)
			if err != nil {
				return err
			}
			o.put(number, cell{data: slices.Clone(p.data)})
			p.release()
			continue
		}
		c, err := a.decoded(ctx, o, number)
		if err != nil {
			return err
		}
		ndarray.Copy(c.Sub(ndarray.Region{Start: minus(met.Start, box.Start), Shape: met.Shape}), values)
		o.put(number, cell{values: &c})
	}
	elements, _ := ndarray.Elements(part.Shape)
	o.written += elements
	if all, _ := ndarray.Elements(inside.Shape); o.written >= all {
		return a.store(ctx, o, inside.Shape, func(box ndarray.Region, number int) (piece, error) { return a.waiting(ctx, o, box, number) })
	}
	return nil
}

// minus returns the difference of two places.
func minus(a, b []int) []int {
	d := slices.Clone(a)
	for i, n := range b {
		d[i] -= n
	}
	return d
}
