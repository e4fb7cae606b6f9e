package trial

import (
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/zarr"
)

// TestSpread: chunks are different ones, as many as there can be, and each tenth of each
// dimension has about as many as the others.
func TestSpread(t *testing.T) {
	for _, test := range []struct {
		counts []int
		n      int
	}{{[]int{1000}, 100}, {[]int{40, 60}, 100}, {[]int{365, 10, 20}, 50}, {[]int{3, 1, 1}, 2}, {[]int{7}, 7}, {[]int{7}, 100}, {nil, 3}, {[]int{0, 4}, 5}, {[]int{2, 2, 2, 2, 2}, 31}} {
		grid := zarr.Grid{Shape: test.counts, Chunk: slices.Repeat([]int{1}, len(test.counts))}
		list := spread(grid, test.n)
		if want := min(test.n, grid.Len()); len(list) != want {
			t.Errorf("%v: %d of %d chunks, want %d", test.counts, len(list), grid.Len(), want)
		}
		seen := map[int]bool{}
		for _, index := range list {
			seen[grid.Number(index)] = true
		}
		if len(seen) != len(list) {
			t.Errorf("%v: %v has a chunk twice", test.counts, list)
		}
		for i, count := range test.counts {
			if count < 10 || test.n < 50 {
				continue
			}
			tenths := make([]int, 10)
			for _, index := range list {
				tenths[index[i]*10/count]++
			}
			if slices.Min(tenths) < test.n/10-3 || slices.Max(tenths) > test.n/10+3 {
				t.Errorf("%v, dimension %d: %v in each tenth", test.counts, i, tenths)
			}
		}
	}
}
