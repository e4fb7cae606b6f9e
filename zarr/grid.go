package zarr

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Grid is a chunk grid: an array cut into boxes, which have one shape unless Runs is
// set. Chunks at the upper edges may reach beyond the array. Zarr v3 core, "Regular
// grids".
type Grid struct {
	Shape []int // of the array, in elements
	// Chunk is the shape of every chunk, in elements. Each extent is at least 1. In a
	// rectilinear grid, Chunk has the largest extents.
	Chunk []int
	// Runs lists the chunks along each dimension of a rectilinear grid. It is nil for a
	// regular grid. Zarr extensions, chunk grid "rectilinear".
	Runs [][]Run
}

// Count returns the number of chunks along each dimension.
func (g Grid) Count() []int {
	n := make([]int, len(g.Shape))
	for i, extent := range g.Shape {
		n[i] = ceil(extent, g.Chunk[i])
		if g.Runs != nil && extent > 0 {
			last := g.Runs[i][len(g.Runs[i])-1]
			n[i] = last.First + last.Count
		}
	}
	return n
}

// Len returns the number of chunks: zero for an empty array, one for a 0-D
// array.
func (g Grid) Len() int {
	n, _ := ndarray.Elements(g.Count()) // there are no more chunks than elements
	return n
}

// Index returns the coordinates of the chunk with the given number. Chunks are numbered
// in C order.
func (g Grid) Index(number int) []int {
	n := g.Count()
	for i := len(n) - 1; i >= 0; i-- {
		number, n[i] = number/n[i], number%n[i]
	}
	return n
}

// Number is the inverse of Index.
func (g Grid) Number(index []int) int {
	number := 0
	for i, n := range g.Count() {
		number = number*n + index[i]
	}
	return number
}

// Region returns the elements of the array that lie in a chunk; it ends at the array's
// edges.
func (g Grid) Region(index []int) ndarray.Region {
	r := ndarray.Region{Start: make([]int, len(index)), Shape: make([]int, len(index))}
	for i, k := range index {
		begin, extent := g.Span(i, k)
		r.Start[i], r.Shape[i] = begin, min(extent, g.Shape[i]-begin)
	}
	return r
}

// Check refuses grids whose fields contradict each other, and chunks with an extent of
// less than 1.
func (g Grid) Check() error {
	if len(g.Shape) != len(g.Chunk) {
		return fmt.Errorf("chunks %v have %d dimensions, the array has %d", g.Chunk, len(g.Chunk), len(g.Shape))
	}
	for i, extent := range g.Chunk {
		if extent < 1 {
			return fmt.Errorf("chunks %v: the extent along dimension %d is not positive", g.Chunk, i)
		}
	}
	if slices.ContainsFunc(g.Shape, func(n int) bool { return n < 0 }) {
		return fmt.Errorf("an array of shape %v has a negative extent", g.Shape)
	}
	if _, ok := ndarray.Elements(g.Shape); !ok {
		return fmt.Errorf("an array of shape %v has too many elements", g.Shape)
	}
	if _, ok := ndarray.Elements(g.Chunk); !ok {
		return fmt.Errorf("chunks %v have too many elements", g.Chunk)
	}
	return nil
}

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

// ceil returns n/k, rounded up.
func ceil(n, k int) int {
	if n%k == 0 {
		return n / k
	}
	return n/k + 1
}
