package zarr

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrid(t *testing.T) {
	for _, c := range []struct {
		shape, chunk, count []int
		n                   int
	}{
		{[]int{}, []int{}, []int{}, 1},
		{[]int{0}, []int{4}, []int{0}, 0},
		{[]int{5, 0, 2}, []int{2, 3, 1}, []int{3, 0, 2}, 0},
		{[]int{1}, []int{1}, []int{1}, 1},
		{[]int{17}, []int{5}, []int{4}, 4},
		{[]int{4, 4}, []int{4, 4}, []int{1, 1}, 1},
		{[]int{3, 3}, []int{10, 10}, []int{1, 1}, 1},
		{[]int{7, 5, 3}, []int{4, 3, 2}, []int{2, 2, 2}, 8},
		{[]int{math.MaxInt}, []int{1}, []int{math.MaxInt}, math.MaxInt},
		{[]int{math.MaxInt}, []int{math.MaxInt}, []int{1}, 1},
		{[]int{math.MaxInt}, []int{math.MaxInt - 1}, []int{2}, 2},
	} {
		g := Grid{Shape: c.shape, Chunk: c.chunk}
		if err := g.Check(); err != nil {
			t.Errorf("%v: %v", g, err)
		}
		if diff := cmp.Diff(c.count, g.Count()); diff != "" {
			t.Errorf("%v: %s", g, diff)
		}
		if g.Len() != c.n {
			t.Errorf("%v: Len = %d, want %d", g, g.Len(), c.n)
		}
		covered := 0
		for number := range min(g.Len(), 100) {
			index := g.Index(number)
			if g.Number(index) != number {
				t.Errorf("%v: chunk %d is %v is %d", g, number, index, g.Number(index))
			}
			size := 1
			for i, n := range g.Region(index).Shape {
				if n < 1 || n > g.Chunk[i] || g.Region(index).Start[i]+n > g.Shape[i] {
					t.Errorf("%v: chunk %v is %v", g, index, g.Region(index))
				}
				size *= n
			}
			covered += size
		}
		if want := product(c.shape); g.Len() <= 100 && covered != want {
			t.Errorf("%v: the chunks cover %d elements of %d", g, covered, want)
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

func TestGridCheck(t *testing.T) {
	for _, c := range []struct {
		grid Grid
		want string
	}{
		{Grid{Shape: []int{3}, Chunk: []int{}}, "dimensions"},
		{Grid{Shape: []int{3}, Chunk: []int{0}}, "not positive"},
		{Grid{Shape: []int{3}, Chunk: []int{-1}}, "not positive"},
		{Grid{Shape: []int{-3}, Chunk: []int{1}}, "negative"},
		{Grid{Shape: []int{1 << 40, 1 << 40}, Chunk: []int{1, 1}}, "too many elements"},
		{Grid{Shape: []int{0, 1 << 40, 1 << 40}, Chunk: []int{1, 1, 1}}, "too many elements"},
		{Grid{Shape: []int{1, 1}, Chunk: []int{1 << 40, 1 << 40}}, "too many elements"},
	} {
		if err := c.grid.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.grid, err, c.want)
		}
	}
}
