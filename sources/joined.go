package sources

import (
	"context"
	"slices"
	"sort"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// joined is the result of Join: part i ends before index ends[i].
type joined struct {
	info  *Info
	dim   int
	ends  []int
	parts []Array
	// atOnce is how many parts are read at the same time.
	atOnce int
}

func (j *joined) Info() *Info { return j.info }

func (j *joined) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(j.info, dst, start); err != nil {
		return err
	}
	if slices.Contains(dst.Shape, 0) {
		return nil
	}
	first := sort.SearchInts(j.ends, start[j.dim]+1)
	last := sort.SearchInts(j.ends, start[j.dim]+dst.Shape[j.dim])
	return InParallelUpTo(ctx, j.atOnce, last-first+1, func(ctx context.Context, i int) error {
		return j.readPart(ctx, first+i, dst, start)
	})
}

// readPart fills the elements of a region that lie in part i.
func (j *joined) readPart(ctx context.Context, i int, dst ndarray.Array, start []int) error {
	origin := 0 // of the part
	if i > 0 {
		origin = j.ends[i-1]
	}
	begin, end := max(start[j.dim], origin), min(start[j.dim]+dst.Shape[j.dim], j.ends[i])
	if begin == end {
		return nil // an empty part
	}
	piece := ndarray.Region{Start: make([]int, len(start)), Shape: slices.Clone(dst.Shape)}
	piece.Start[j.dim], piece.Shape[j.dim] = begin-start[j.dim], end-begin
	from := slices.Clone(start)
	from[j.dim] = begin - origin
	return j.parts[i].ReadRegion(ctx, dst.Sub(piece), from)
}
