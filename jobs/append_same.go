package jobs

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources"
)

// sameValues compares an array that does not grow with the target's, chunk by
// chunk: the values of the source as they are, or as the array's codecs would
// give them back.
func sameValues(ctx context.Context, a *PlannedArray) error {
	chain := a.Chain
	if layout, ok := chain.Parted(); ok {
		chain = layout.Inner()
	}
	t := chain.Chunk().Type
	grid, pool := zarr.Grid{Shape: a.Grid.Shape, Chunk: chain.Chunk().Shape}, &ndarray.Pool{}
	for n := range grid.Len() {
		region := grid.Region(grid.Index(n))
		is, err := readCell(ctx, a.there.array, chain, region)
		if err != nil {
			return fmt.Errorf("target: array %q: %w", a.Target, err)
		}
		own, err := readCell(ctx, a.there.own, chain, region)
		if err != nil {
			return fmt.Errorf("array %q: %w", a.Source, err)
		}
		within := ndarray.Region{Start: make([]int, len(region.Shape)), Shape: region.Shape}
		if at, _, _ := difference(own.Sub(within), is.Sub(within)); at < 0 {
			continue
		}
		if own, err = restored(pool, chain, own); err != nil {
			return fmt.Errorf("array %q: %w", a.Source, err)
		}
		at, x, y := difference(own.Sub(within), is.Sub(within))
		if at < 0 {
			continue
		}
		index := elementOf(region, at)
		return fmt.Errorf("array %q does not grow, and is another one in the source: element %v is %s, in the target %s; leave it out with source.exclude if the target's is right",
			a.Target, index, t.FormatScalar(dtype.V3, x), t.FormatScalar(dtype.V3, y))
	}
	return nil
}

// readCell reads a region into memory for a whole chunk.
func readCell(ctx context.Context, from sources.Array, chain *codecs.Chain, region ndarray.Region) (ndarray.Array, error) {
	in := chain.Chunk()
	cell := ndarray.New(in.Type, in.Shape)
	ndarray.Fill(cell, in.Fill)
	return cell, from.ReadRegion(ctx, cell.Sub(ndarray.Region{Start: make([]int, len(region.Shape)), Shape: region.Shape}), region.Start)
}

// restored returns what becomes of the elements of a chunk when they are stored.
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

// difference returns the number, counted in C order, of the first elements in
// which two arrays of one shape differ, and these; -1 where they are the same.
func difference(a, b ndarray.Array) (at int, x, y []byte) {
	if x, ok := a.Contiguous(); ok {
		if y, ok := b.Contiguous(); ok && bytes.Equal(x, y) {
			return -1, nil, nil
		}
	}
	same := sameValue(a.Type)
	next, stop := iter.Pull(b.Items())
	defer stop()
	for x := range a.Items() {
		if y, _ := next(); !same(x, y) {
			return at, x, y
		}
		at++
	}
	return -1, nil, nil
}

// sameValue returns what tells whether two elements are one value. Both zeros of
// floats are, and all that is not a number.
func sameValue(t dtype.Type) func(x, y []byte) bool {
	if !isFloat(t) || t.Size() < 2 {
		return bytes.Equal
	}
	compare := comparison(t)
	return func(x, y []byte) bool {
		return bytes.Equal(x, y) || isZero(x) && isZero(y) ||
			compare != nil && compare(x, x) == unordered && compare(y, y) == unordered
	}
}

// isZero reports whether a float of at least 2 bytes has no bit but its sign.
func isZero(x []byte) bool { return unsigned(x)<<(65-8*len(x)) == 0 }

// elementOf returns the index of an element of a region by its number in it.
func elementOf(region ndarray.Region, number int) []int {
	ones := make([]int, len(region.Shape))
	for i := range ones {
		ones[i] = 1
	}
	index := zarr.Grid{Shape: region.Shape, Chunk: ones}.Index(number)
	for i, n := range region.Start {
		index[i] += n
	}
	return index
}
