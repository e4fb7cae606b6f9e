package jobs

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources"
)

// knownRows compares the rows of the source with those of the target that have the same
// coordinates. An array whose group has no coordinate of its own goes by the first
// coordinate.
func (g *growth) knownRows(ctx context.Context, grow []PlannedArray, coordinates []*there) error {
	all := map[string]bool{}
	for _, name := range g.target.Arrays() {
		all[name] = true
	}
	at := map[string]int{} // by the path of a coordinate
	for _, t := range coordinates {
		at[t.path] = t.at
	}
	for i := range grow {
		a := &grow[i]
		coordinate := path.Join(g.scope(a.Target, all), g.dim)
		first, ok := at[coordinate]
		if !ok {
			coordinate, first = coordinates[0].path, coordinates[0].at
		}
		if err := sameRows(ctx, a, first, coordinate); err != nil {
			return err
		}
	}
	return nil
}

// sameRows compares the rows of the source with those of the target from row first on,
// chunk by chunk; see otherValue. The coordinate says that they are the same rows.
func sameRows(ctx context.Context, a *PlannedArray, first int, coordinate string) error {
	t, axis, chain := a.there, a.Append.Axis, a.Chain
	if layout, ok := chain.Parted(); ok {
		chain = layout.Inner()
	}
	end := first + a.Append.New
	if end > t.rows {
		return fmt.Errorf("array %q: its coordinate has the rows of the source already, and it ends with row %d", a.Target, t.rows-1)
	}
	extent := chain.Chunk().Shape[axis]
	base := first / extent * extent
	target := sources.Window(t.array, axis, base, min(t.rows, (end+extent-1)/extent*extent)-base)
	grid, pool := zarr.Grid{Shape: target.Info().Shape, Chunk: chain.Chunk().Shape}, &ndarray.Pool{}
	for n := range grid.Len() {
		region := grid.Region(grid.Index(n))
		is, err := readCell(ctx, target, chain, region)
		if err != nil {
			return fmt.Errorf("target: array %q: %w", a.Target, err)
		}
		own, within, err := withRows(ctx, is, t.own, axis, first-base, region)
		if err != nil {
			return fmt.Errorf("array %q: %w", a.Source, err)
		}
		m, err := otherValue(pool, chain, is, own, within)
		if err != nil {
			return fmt.Errorf("array %q: %w", a.Source, err)
		}
		if m == nil {
			continue
		}
		index := behind(behind(region.Start, within.Start), m.Index)
		index[axis] += base
		return fmt.Errorf("array %q: rows with the coordinates of the source are there already, with other values and from other files: element %v is %s, in the source %s; rows that are there stay as they are, and those that are new need coordinates of their own%s",
			a.Target, index, m.X, m.Y, beginsAnew(coordinate))
	}
	return nil
}

// withRows returns a chunk of the target in which the source's rows replace those of the
// target, and the place of these rows in the chunk. The first row of the source is row
// first of the target; region is where the chunk lies.
func withRows(ctx context.Context, chunk ndarray.Array, source sources.Array, axis, first int, region ndarray.Region) (ndarray.Array, ndarray.Region, error) {
	own := ndarray.New(chunk.Type, chunk.Shape)
	ndarray.Copy(own, chunk)
	start := slices.Clone(region.Start)
	within := ndarray.Region{Start: make([]int, len(region.Shape)), Shape: slices.Clone(region.Shape)}
	within.Start[axis] = max(0, first-start[axis])
	last := min(region.Shape[axis], first+source.Info().Shape[axis]-start[axis])
	within.Shape[axis] = last - within.Start[axis]
	start[axis] += within.Start[axis] - first
	return own, within, source.ReadRegion(ctx, own.Sub(within), start)
}
