package target

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// CheckRows compares the incoming rows with the rows of the existing array from row first
// on, chunk by chunk. coordinate is the path of a coordinate, whose values say that these
// rows are the same. chain is the codec chain of the existing array.
func (e *Existing) CheckRows(ctx context.Context, chain *codecs.Chain, first int, coordinate string) error {
	index, m, err := e.otherRow(ctx, chain, first)
	if err != nil || m == nil {
		return err
	}
	return fmt.Errorf("array %q: the target already has rows with the coordinates of the source, but with other values and from other files: element %v is %s in the target and %s in the source; a run changes no existing row, so new rows need new coordinates%s",
		e.Path, index, m.X, m.Y, BeginsAnew(coordinate))
}

// otherRow finds the first incoming element that differs from the existing array. Incoming
// row 0 is compared with existing row first. The result is the index of the element in the
// existing array. The mismatch is nil if all elements are equal.
func (e *Existing) otherRow(ctx context.Context, chain *codecs.Chain, first int) ([]int, *compare.Mismatch, error) {
	axis := e.Axis
	if layout, ok := chain.InnerChunks(); ok {
		chain = layout.Inner()
	}
	end := first + e.Incoming.Info().Shape[axis]
	if end > e.Rows {
		return nil, nil, fmt.Errorf("array %q has no row after row %d, but its coordinate already has all rows of the source: write the missing rows with another program, or migrate all files once more with target.existing: overwrite", e.Path, e.Rows-1)
	}
	extent := chain.Chunk().Shape[axis]
	base := first / extent * extent
	target := sources.Window(e.Array, axis, base, min(e.Rows, (end+extent-1)/extent*extent)-base)
	grid, pool := zarr.Grid{Shape: target.Info().Shape, Chunk: chain.Chunk().Shape}, &ndarray.Pool{}
	for n := range grid.Len() {
		region := grid.Region(grid.Index(n))
		is, err := readCell(ctx, target, chain, region)
		if err != nil {
			return nil, nil, fmt.Errorf("target: array %q: %w", e.Path, err)
		}
		own, within, err := withRows(ctx, is, e.Incoming, axis, first-base, region)
		if err != nil {
			return nil, nil, fmt.Errorf("array %q: %w", e.Source, err)
		}
		m, err := otherValue(pool, chain, is, own, within)
		if err != nil {
			return nil, nil, fmt.Errorf("array %q: %w", e.Source, err)
		}
		if m == nil {
			continue
		}
		index := behind(behind(region.Start, within.Start), m.Index)
		index[axis] += base
		return index, m, nil
	}
	return nil, nil, nil
}

// withRows returns a copy of a chunk of the target in which rows of the source replace
// those of the target. within is the part of the chunk that was replaced. Row 0 of the
// source replaces row first of the target. region is the place of the chunk in the target.
func withRows(ctx context.Context, chunk ndarray.Array, source sources.Array, axis, first int, region ndarray.Region) (own ndarray.Array, within ndarray.Region, err error) {
	own = ndarray.New(chunk.Type, chunk.Shape)
	ndarray.Copy(own, chunk)
	start := slices.Clone(region.Start)
	within = ndarray.Region{Start: make([]int, len(region.Shape)), Shape: slices.Clone(region.Shape)}
	within.Start[axis] = max(0, first-start[axis])
	last := min(region.Shape[axis], first+source.Info().Shape[axis]-start[axis])
	within.Shape[axis] = last - within.Start[axis]
	start[axis] += within.Start[axis] - first
	return own, within, source.ReadRegion(ctx, own.Sub(within), start)
}
