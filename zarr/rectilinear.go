package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Run is a series of chunks of one extent along a dimension of a rectilinear grid. The
// registered chunk grid "rectilinear" writes it as [extent, count].
type Run struct {
	Extent, Count int // both at least 1
	First         int // number of the first chunk of the run along the dimension
	Begin         int // where the first chunk begins, in elements
}

// Find returns the number, along a dimension, of the chunk that holds element at.
func (g Grid) Find(dimension, at int) int {
	if g.Runs == nil {
		return at / g.Chunk[dimension]
	}
	r := runOf(g.Runs[dimension], at, func(r Run) int { return r.Begin })
	return r.First + (at-r.Begin)/r.Extent
}

// Span returns where a chunk begins along a dimension, and the extent with which it is
// stored. The extent may reach beyond the array.
func (g Grid) Span(dimension, chunk int) (begin, extent int) {
	if g.Runs == nil {
		return chunk * g.Chunk[dimension], g.Chunk[dimension]
	}
	r := runOf(g.Runs[dimension], chunk, func(r Run) int { return r.First })
	return r.Begin + (chunk-r.First)*r.Extent, r.Extent
}

// runOf returns the last run for which begin returns at most n.
func runOf(runs []Run, n int, begin func(Run) int) Run {
	i, found := slices.BinarySearchFunc(runs, n, func(r Run, n int) int { return begin(r) - n })
	if !found {
		i--
	}
	return runs[i]
}

// ChunkShape returns the shape with which a chunk is stored.
func (g Grid) ChunkShape(index []int) []int {
	shape := make([]int, len(index))
	for k, n := range index {
		_, shape[k] = g.Span(k, n)
	}
	return shape
}

// Regular returns the regular grid with the same chunks. The last chunk along a
// dimension of g may be smaller than the others. It returns false if there is no such
// grid.
func (g Grid) Regular() (Grid, bool) {
	for k, runs := range g.Runs {
		last := len(runs) - 1
		if last > 1 || last == 1 && (runs[1].Count > 1 || runs[0].Extent < g.Chunk[k]) {
			return Grid{}, false
		}
	}
	return Grid{Shape: g.Shape, Chunk: g.Chunk}, true
}

// rectilinear reads the configuration of the registered chunk grid "rectilinear" for an
// array of the given shape. Along each dimension, the configuration names one extent
// for all chunks, or lists the extents, where [extent, count] stands for several equal
// ones. Together the chunks must cover the array; chunks beyond it are left out. The
// result takes no more memory than the text.
func rectilinear(configuration json.RawMessage, shape []int) (Grid, error) {
	g := Grid{Shape: shape, Chunk: make([]int, len(shape))}
	fields, err := members(configuration, "kind", "chunk_shapes")
	if err != nil {
		return g, err
	}
	var kind string
	if err := json.Unmarshal(fields["kind"], &kind); err != nil || kind != "inline" {
		return g, fmt.Errorf(`kind: %s, want "inline"`, shown(fields["kind"]))
	}
	var dimensions []json.RawMessage
	if err := json.Unmarshal(fields["chunk_shapes"], &dimensions); err != nil || dimensions == nil {
		return g, fmt.Errorf("chunk_shapes: %s: want an array", shown(fields["chunk_shapes"]))
	}
	if len(dimensions) != len(shape) {
		return g, fmt.Errorf("chunk_shapes: %d dimensions, the array has %d", len(dimensions), len(shape))
	}
	uneven := false
	for k, text := range dimensions {
		runs, err := parseRuns(text, shape[k])
		if err != nil {
			return g, fmt.Errorf("chunk_shapes[%d]: %w", k, err)
		}
		for _, r := range runs {
			g.Chunk[k] = max(g.Chunk[k], r.Extent)
		}
		g.Runs = append(g.Runs, runs)
		uneven = uneven || len(runs) > 1
	}
	if !uneven {
		g.Runs = nil
	}
	return g, nil
}

// parseRuns reads the extents of chunks along a dimension. It returns at least one run,
// and joins neighbours of equal extent.
func parseRuns(text json.RawMessage, extent int) ([]Run, error) {
	if step, err := positive(text); err == nil {
		return []Run{{Extent: step, Count: max(ceil(extent, step), 1)}}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil || items == nil {
		return nil, fmt.Errorf("%s: want a positive integer, or an array of extents", shown(text))
	}
	var runs []Run
	begin, chunks := 0, 0
	for i, item := range items {
		r, err := parseRun(item)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		if i > 0 && begin >= extent {
			continue // the run lies beyond the array
		}
		r.First, r.Begin = chunks, begin
		if need := max(ceil(extent-begin, r.Extent), 1); r.Count >= need {
			r.Count, begin = need, extent
		} else {
			begin += r.Count * r.Extent
		}
		chunks += r.Count
		if last := len(runs) - 1; last >= 0 && runs[last].Extent == r.Extent {
			runs[last].Count += r.Count
			continue
		}
		runs = append(runs, r)
	}
	switch {
	case len(runs) == 0:
		return nil, errors.New("no chunks")
	case begin < extent:
		return nil, fmt.Errorf("the chunks hold %d elements, the array has %d", begin, extent)
	}
	return runs, nil
}

// parseRun reads an extent, or an extent with a count.
func parseRun(text json.RawMessage) (Run, error) {
	if extent, err := positive(text); err == nil {
		return Run{Extent: extent, Count: 1}, nil
	}
	var pair []json.RawMessage
	if json.Unmarshal(text, &pair) != nil || len(pair) != 2 {
		return Run{}, fmt.Errorf("%s: want a positive integer, or [extent, count]", shown(text))
	}
	extent, err := positive(pair[0])
	if err != nil {
		return Run{}, err
	}
	count, err := positive(pair[1])
	return Run{Extent: extent, Count: count}, err
}

func positive(text json.RawMessage) (int, error) {
	var n *int
	if err := json.Unmarshal(text, &n); err != nil || n == nil || *n < 1 || *n > math.MaxInt/2 {
		return 0, fmt.Errorf("%s: want a positive integer", shown(text))
	}
	return *n, nil
}

// ceil returns n/k, rounded up.
func ceil(n, k int) int {
	if n%k == 0 {
		return n / k
	}
	return n/k + 1
}
