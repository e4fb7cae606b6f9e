package sinks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// Append makes the array longer along one dimension, and writes src to the new elements.
// dimension is the name of that dimension, or "" for the first one. If the array has no
// dimension names, dimension may be a number, such as "1". Along the other dimensions src
// is as long as the array. Several goroutines may append at the same time; each gets
// elements of its own, in the order of the calls. Readers see the new shape after the next
// Commit.
//
// Append returns where the new elements begin. If dimension or src is at fault, start is
// nil and nothing has changed. After any other error the array has the new shape, and
// WriteRegion may write the elements again.
func (a *Array) Append(ctx context.Context, src ndarray.Array, dimension string) (start []int, err error) {
	a.writer.working.RLock()
	defer a.writer.working.RUnlock()
	if err := a.writer.usable(); err != nil {
		return nil, err
	}
	axis, err := a.axis(dimension)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", a.path, err)
	}
	if start, err = a.grow(src, axis); err != nil {
		return nil, err
	}
	return start, a.writeRegion(ctx, src, start)
}

// axis returns the number of a dimension.
func (a *Array) axis(dimension string) (int, error) {
	names, count := a.meta.DimensionNames, len(a.extent)
	number, err := strconv.Atoi(dimension)
	first := slices.Index(names, dimension)
	switch {
	case count == 0:
		return 0, errors.New("it has no dimensions and cannot be made longer")
	case dimension == "":
		return 0, nil
	case names == nil && err == nil && number >= 0 && number < count:
		return number, nil
	case names == nil:
		return 0, fmt.Errorf("there is no dimension %q: the dimensions have no names, their numbers are 0 to %d", dimension, count-1)
	case first < 0:
		return 0, fmt.Errorf("there is no dimension %q, the dimensions are %q", dimension, names)
	case slices.Contains(names[first+1:], dimension):
		return 0, fmt.Errorf("several dimensions have the name %q; Append needs a name that one dimension has", dimension)
	}
	return first, nil
}

// grow makes the array longer by the extent of src.
func (a *Array) grow(src ndarray.Array, dimension int) (start []int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := zarr.Grid{Shape: a.shape, Chunk: a.extent}
	start = make([]int, len(was.Shape))
	start[dimension] = was.Shape[dimension]
	grown := zarr.Grid{Shape: slices.Clone(was.Shape), Chunk: was.Chunk}
	if len(src.Shape) == len(was.Shape) {
		grown.Shape[dimension] += src.Shape[dimension]
		for i, n := range src.Shape {
			if i != dimension && n != was.Shape[i] {
				return nil, fmt.Errorf("array %q: src has %d elements along dimension %d, want %d as in the array", a.path, n, i, was.Shape[i])
			}
		}
	}
	if err := grown.Check(); err != nil {
		return nil, fmt.Errorf("array %q: %w", a.path, err)
	}
	if err := a.check(src, start, grown.Shape); err != nil {
		return nil, err
	}
	if dimension > 0 { // the numbers of chunks change
		var there bitset
		for number := range a.there.all() {
			there.put(grown.Number(was.Index(number)), true)
		}
		a.there = there
	}
	a.shape = grown.Shape
	return start, nil
}
