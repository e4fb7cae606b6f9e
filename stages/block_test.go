package stages

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// longRun is the LongRun of the sources in these tests.
const longRun = 1 << 20

// described is a task over an array that has a description and no elements.
func described(t *testing.T, shape, chunk, slowest []int) Task {
	t.Helper()
	s := &memorySource{info: sources.Info{Path: "a", Type: dtype.Uint16, Shape: shape, Slowest: slowest, LongRun: longRun}}
	return Task{Path: "a", Source: s, Grid: zarr.Grid{Shape: shape, Chunk: chunk}, Chain: bind(t, chunk, "bytes")}
}

func TestReadBlock(t *testing.T) {
	const large = 1 << 40
	for _, test := range []struct {
		name                  string
		shape, chunk, slowest []int
		limit                 int
		want                  []int
	}{
		{"scalar", []int{}, []int{}, nil, large, []int{}},
		{"chunks that are long runs", []int{64, 1 << 20}, []int{1, 1 << 20}, nil, large, []int{1, 1}},
		{"rows are joined", []int{64, 1 << 20}, []int{64, 1 << 17}, nil, large, []int{1, 4}},
		{"whole rows, then the next dimension", []int{4096, 4096}, []int{64, 1024}, nil, large, []int{2, 4}},
		{"the first dimension varies fastest", []int{4096, 4096}, []int{1024, 64}, []int{1, 0}, large, []int{4, 2}},
		{"a small array as a whole", []int{10, 10}, []int{3, 3}, nil, large, []int{4, 4}},
		{"no room for two chunks", []int{4096, 4096}, []int{64, 1024}, nil, 1, []int{1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := described(t, test.shape, test.chunk, test.slowest)
			block, _ := x.ReadBlock(test.limit)
			if diff := cmp.Diff(test.want, block); diff != "" {
				t.Errorf("block (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadBlockProperties(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		rank := 1 + r.IntN(4)
		shape, chunk := make([]int, rank), make([]int, rank)
		for i := range rank {
			chunk[i] = 1 + r.IntN(40)
			shape[i] = 1 + r.IntN(400)
		}
		slowest := r.Perm(rank)
		x := described(t, shape, chunk, slowest)
		limit := 1 << (12 + r.IntN(20))
		block, atOnce := x.ReadBlock(limit)
		name := fmt.Sprintf("seed %d: shape %v, chunk %v, order %v, limit %d: block %v", seed, shape, chunk, slowest, limit, block)
		counts := x.Grid.Count()
		for i := range block {
			if block[i] < 1 || block[i] > counts[i] {
				t.Errorf("%s is outside of the grid %v", name, counts)
			}
		}
		with := x
		with.Block, with.AtOnce = block, atOnce
		single := !slices.ContainsFunc(block, func(n int) bool { return n > 1 })
		if !single && with.Cost() > limit {
			t.Errorf("%s costs %d", name, with.Cost())
		}
		// As many units are encoded at once as there is room for; 0 means all.
		cells, _ := ndarray.Elements(block)
		with.AtOnce = 0
		if all := with.Cost() <= limit; all && atOnce != 0 || !all && atOnce == 0 && cells > 1 {
			t.Errorf("%s: %d at once of %d, all of them cost %d", name, atOnce, cells, with.Cost())
		} else if with.AtOnce = atOnce + 1; atOnce > 0 && with.Cost() <= limit {
			t.Errorf("%s: %d at once of %d, one more costs %d", name, atOnce, cells, with.Cost())
		}
		// Every block reads in runs at least as long as a single chunk does. Without a
		// limit the runs are long, or the block is the whole array.
		if x.run(slowest, block, longRun) < x.run(slowest, ones(rank), longRun) {
			t.Errorf("%s reads in shorter runs than one chunk", name)
		}
		free, _ := x.ReadBlock(1 << 50)
		if x.run(slowest, free, longRun) < longRun && !slices.Equal(free, counts) {
			t.Errorf("%s: without a limit %v reads runs of %d bytes", name, free, x.run(slowest, free, longRun))
		}
	}
}
