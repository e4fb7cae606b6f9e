package sinks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// RegionReader is an array that can be read, such as an array of a source.
type RegionReader interface {
	// ReadRegion fills dst with the elements of the region that begins at start and has
	// dst's shape. It is safe for concurrent use.
	ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error
}

// WriteFrom fills the whole array with the elements of another one, which has the same
// data type and shape. It reads chunk by chunk or, in shards, inner chunk by inner chunk,
// so that no shard is in memory whole. It writes several objects at the same time.
func (a *Array) WriteFrom(ctx context.Context, from RegionReader) error {
	a.writer.working.RLock()
	defer a.writer.working.RUnlock()
	if err := a.writer.usable(); err != nil {
		return err
	}
	if from == nil { // a panic of the goroutines below would end the program
		return fmt.Errorf("array %q: there is no array to write it from", a.path)
	}
	grid := a.grid()
	g, below := errgroup.WithContext(ctx)
	g.SetLimit(a.writer.atOnce)
	for number := range grid.Len() {
		if below.Err() != nil {
			break
		}
		g.Go(func() error { return a.copyObject(below, from, grid.Index(number), grid.Region(grid.Index(number))) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// copyObject fills one object with the elements of from.
func (a *Array) copyObject(ctx context.Context, from RegionReader, index []int, region ndarray.Region) error {
	o := a.hold(index)
	o.mu.Lock()
	err := a.copyLocked(ctx, o, from, region)
	a.settle(o)
	o.mu.Unlock()
	a.release(o)
	if err != nil {
		return a.fail(index, err)
	}
	return nil
}

// copyLocked is copyObject for a caller who has locked the object.
func (a *Array) copyLocked(ctx context.Context, o *object, from RegionReader, region ndarray.Region) error {
	done, err := a.reserve(ctx)
	if err != nil {
		return err
	}
	defer done()
	if !slices.Equal(a.grid().Region(o.index).Shape, region.Shape) {
		return errors.New("the array became longer while WriteFrom wrote it")
	}
	return a.store(ctx, o, region.Shape, func(box ndarray.Region, _ int) (piece, error) {
		start := slices.Clone(region.Start)
		for i, n := range box.Start {
			start[i] += n
		}
		values := ndarray.New(a.meta.Type, box.Shape)
		if err := from.ReadRegion(ctx, values, start); err != nil {
			return piece{}, fmt.Errorf("read the region of shape %v at %v: %w", box.Shape, start, err)
		}
		return a.encode(values)
	})
}
