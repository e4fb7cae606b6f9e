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

// CheckValues compares an array that does not grow with the source's array, chunk by
// chunk. chain is the codec chain of the existing array.
func (e *Existing) CheckValues(ctx context.Context, chain *codecs.Chain) error {
	if layout, ok := chain.InnerChunks(); ok {
		chain = layout.Inner()
	}
	grid, pool := zarr.Grid{Shape: e.Meta.Grid.Shape, Chunk: chain.Chunk().Shape}, &ndarray.Pool{}
	for n := range grid.Len() {
		region := grid.Region(grid.Index(n))
		is, err := readCell(ctx, e.Array, chain, region)
		if err != nil {
			return fmt.Errorf("target: array %q: %w", e.Path, err)
		}
		own, err := readCell(ctx, e.Incoming, chain, region)
		if err != nil {
			return fmt.Errorf("array %q: %w", e.Source, err)
		}
		within := ndarray.Region{Start: make([]int, len(region.Shape)), Shape: region.Shape}
		m, err := otherValue(pool, chain, is, own, within)
		if err != nil {
			return fmt.Errorf("array %q: %w", e.Source, err)
		}
		if m != nil {
			return fmt.Errorf("array %q does not grow, so source and target must have equal values: element %v is %s in the source and %s in the target; if the value in the target is right, leave the array out with source.exclude",
				e.Path, behind(region.Start, m.Index), m.Y, m.X)
		}
	}
	return nil
}

// otherValue finds the first element in a region of a chunk that differs between source and
// target. It returns nil if there is no such element. is is the chunk of the target, and own
// the chunk of the source. If they differ, otherValue encodes and decodes the chunk of the
// source by the chain, and compares once more: a lossy chain has changed the target, too.
func otherValue(pool *ndarray.Pool, chain *codecs.Chain, is, own ndarray.Array, within ndarray.Region) (*compare.Mismatch, error) {
	if compare.First(is.Sub(within), own.Sub(within)) == nil {
		return nil, nil
	}
	own, err := restored(pool, chain, own)
	if err != nil {
		return nil, err
	}
	return compare.First(is.Sub(within), own.Sub(within)), nil
}

// behind returns the sum of start and offset.
func behind(start, offset []int) []int {
	index := slices.Clone(start)
	for i, n := range offset {
		index[i] += n
	}
	return index
}

// readCell reads a region into the memory of a whole chunk. The rest of the chunk holds
// the fill value.
func readCell(ctx context.Context, from sources.Array, chain *codecs.Chain, region ndarray.Region) (ndarray.Array, error) {
	in := chain.Chunk()
	cell := ndarray.New(in.Type, in.Shape)
	ndarray.Fill(cell, in.Fill)
	return cell, from.ReadRegion(ctx, cell.Sub(ndarray.Region{Start: make([]int, len(region.Shape)), Shape: region.Shape}), region.Start)
}

// restored encodes and decodes a chunk. It returns the elements that a reader of the stored
// chunk would get.
func restored(pool *ndarray.Pool, chain *codecs.Chain, cell ndarray.Array) (ndarray.Array, error) {
	data, buffer, err := chain.Encode(pool, cell)
	if buffer != nil {
		defer buffer.Release()
	}
	if err != nil {
		return ndarray.Array{}, err
	}
	stored := ndarray.New(cell.Type, cell.Shape)
	return stored, chain.Decode(pool, stored, data)
}
