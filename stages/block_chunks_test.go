package stages

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// chunked is a described task whose source has chunks. If shards is not nil, it is the
// shape of shards in inner chunks.
func chunked(t *testing.T, shape, stored, chunk, shards []int) Task {
	t.Helper()
	x := described(t, shape, chunk, nil)
	info := x.Source.Info()
	info.Chunks, info.LongRun = stored, 0
	if shards == nil {
		return x
	}
	spec, err := standard.Sharding(x.Chain)
	if err != nil {
		t.Fatal(err)
	}
	in := x.Chain.Chunk()
	in.Shape = slices.Clone(chunk)
	for i, n := range shards {
		in.Shape[i] *= n
	}
	if x.Chain, err = standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec}, in); err != nil {
		t.Fatal(err)
	}
	x.Grid.Chunk = in.Shape
	return x
}

// TestReadBlockOfChunks: blocks hold whole source chunks if there is room.
func TestReadBlockOfChunks(t *testing.T) {
	const large = 1 << 40
	for _, test := range []struct {
		name                         string
		shape, stored, chunk, shards []int
		cells                        int // how many cells the limit has room for; 0: any number
		want                         []int
		decodes, chunks              int
	}{
		{"scalar", []int{}, []int{}, []int{}, nil, 0, []int{}, 1, 1},
		{"empty", []int{0, 8}, []int{2, 3}, []int{1, 4}, nil, 0, []int{1, 1}, 0, 0},
		{"the same grid", []int{64, 64}, []int{8, 8}, []int{8, 8}, nil, 0, []int{1, 1}, 64, 64},
		{"chunks that hold whole source chunks", []int{64, 64}, []int{4, 8}, []int{8, 16}, nil, 0, []int{1, 1}, 128, 128},
		{"halves", []int{64, 64}, []int{16, 8}, []int{8, 8}, nil, 0, []int{2, 1}, 32, 32},
		{"the least common multiple", []int{60, 4}, []int{6, 4}, []int{4, 4}, nil, 0, []int{3, 1}, 10, 10},
		{"the whole axis", []int{64, 7}, []int{8, 5}, []int{8, 2}, nil, 0, []int{1, 4}, 16, 16},
		{"slices become tiles", []int{64, 1024, 1024}, []int{1, 1024, 1024}, []int{64, 128, 128}, nil, 0, []int{1, 8, 8}, 64, 64},
		{"room for half of the tiles", []int{64, 1024, 1024}, []int{1, 1024, 1024}, []int{64, 128, 128}, nil, 32, []int{1, 4, 8}, 128, 64},
		{"the greater amplification first", []int{512, 512}, []int{128, 512}, []int{64, 64}, nil, 8, []int{1, 8}, 8, 4},
		{"no room", []int{512, 512}, []int{128, 128}, []int{64, 64}, nil, 1, []int{1, 1}, 64, 16},
		{"shards of whole source chunks", []int{64, 64}, []int{16, 16}, []int{8, 8}, []int{4, 4}, 0, []int{2, 4}, 16, 16},
		{"shards: one dimension only", []int{64, 64}, []int{64, 8}, []int{8, 8}, []int{4, 4}, 0, []int{4, 4}, 16, 8},
		{"shards: room for a row", []int{512, 512}, []int{128, 128}, []int{64, 64}, []int{4, 4}, 4, []int{1, 2}, 32, 16},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := chunked(t, test.shape, test.stored, test.chunk, test.shards)
			limit := large
			if test.cells > 0 {
				limit = x.costOf(test.cells, 1)
			}
			x.Block, x.AtOnce = x.ReadBlock(limit)
			if diff := cmp.Diff(test.want, x.Block); diff != "" {
				t.Errorf("block (-want +got):\n%s", diff)
			}
			if decodes, chunks := x.Decodes(); decodes != test.decodes || chunks != test.chunks {
				t.Errorf("%d decodes of %d chunks, want %d of %d", decodes, chunks, test.decodes, test.chunks)
			}
		})
	}
}

// TestReadBlockIsOptimal compares the chosen block with all possible shapes. It counts
// the decodes of each one by one.
func TestReadBlockIsOptimal(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		rank := 1 + r.IntN(3)
		shape, stored, chunk := make([]int, rank), make([]int, rank), make([]int, rank)
		var shards []int
		if r.IntN(3) == 0 {
			shards = make([]int, rank)
		}
		for i := range rank {
			shape[i], stored[i], chunk[i] = 1+r.IntN(24), 1+r.IntN(12), 1+r.IntN(6)
			if shards != nil {
				shards[i] = 1 + r.IntN(6)
			}
		}
		for _, extents := range [][]int{shape, stored, chunk} {
			extents[rank-1] <<= 11 // so that no buffer is smaller than the smallest of the pool
		}
		x := chunked(t, shape, stored, chunk, shards)
		cells := 1 + r.IntN(40)
		limit := x.costOf(cells, 1)
		most := cells // where a few more cells cost the same
		for x.costOf(most+1, 1) <= limit {
			most++
		}
		x.Source.Info().LongRun = r.IntN(200 << 11)
		name := fmt.Sprintf("seed %d: shape %v in %v to %v, shards %v, %d cells", seed, shape, stored, chunk, shards, cells)
		counts := x.blockCounts()
		least := -1
		every := zarr.Grid{Shape: counts, Chunk: ones(rank)}
		for n := range every.Len() {
			block := every.Index(n)
			for i := range block {
				block[i]++
			}
			if product(block) > most || shards != nil && !inShard(block, counts) {
				continue
			}
			if d := countDecodes(&x, block); least < 0 || d < least {
				least = d
			}
		}
		x.Block, x.AtOnce = x.ReadBlock(limit)
		got, _ := x.Decodes()
		if want := countDecodes(&x, x.Block); got != want {
			t.Errorf("%s: block %v is said to decode %d chunks, does %d", name, x.Block, got, want)
		}
		if got != least {
			t.Errorf("%s: block %v decodes %d chunks, the best %d", name, x.Block, got, least)
		}
		if x.Cost() > limit || shards != nil && !inShard(x.Block, counts) {
			t.Errorf("%s: block %v is none that fits", name, x.Block)
		}
		checkOnce(t, name, x)
	}
}

// checkOnce: with the memory of DecodeOnce each chunk is decoded once, with less it is
// not.
func checkOnce(t *testing.T, name string, x Task) {
	t.Helper()
	x.Source.Info().LongRun = 0
	memory, ok := x.DecodeOnce()
	if !ok {
		x.Block, x.AtOnce = x.ReadBlock(1 << 40)
		if decodes, chunks := x.Decodes(); decodes == chunks {
			t.Errorf("%s: block %v decodes each chunk once, said to be impossible", name, x.Block)
		}
		return
	}
	for _, less := range []int{0, 1} {
		x.Block, x.AtOnce = x.ReadBlock(memory - less)
		if x.Cost() > memory-less {
			continue // there is no room for a single cell
		}
		if decodes, chunks := x.Decodes(); (decodes == chunks) != (less == 0) {
			t.Errorf("%s: block %v with %d - %d bytes decodes %d of %d chunks", name, x.Block, memory, less, decodes, chunks)
		}
	}
}

func product(numbers []int) int {
	n := 1
	for _, x := range numbers {
		n *= x
	}
	return n
}

// TestNoChunks: there are no decodes if the source reads any region at the same cost.
func TestNoChunks(t *testing.T) {
	x := described(t, []int{64, 64}, []int{8, 8}, nil)
	if decodes, chunks := x.Decodes(); decodes != 0 || chunks != 0 {
		t.Errorf("%d decodes of %d chunks", decodes, chunks)
	}
}

// inShard reports whether a block of inner chunks may be read together and cuts
// the shard evenly: extents of 1, then any, then the shard's.
func inShard(block, counts []int) bool {
	i := 0
	for i < len(block)-1 && block[i] == 1 {
		i++
	}
	return counts[i]%block[i] == 0 && slices.Equal(block[i+1:], counts[i+1:])
}

// countDecodes counts, for all blocks, the source chunks that the block meets.
func countDecodes(x *Task, shape []int) int {
	chunks := x.Source.Info().Chunks
	y := *x
	y.Block = shape
	n := 0
	y.blocks(0, func(*shard) bool { return true }, func(b block) bool {
		met := 1
		for i, cell := range x.cells().Chunk {
			start := b.first[i] * cell
			end := min(start+b.count[i]*cell, x.Grid.Shape[i])
			met *= (end-1)/chunks[i] - start/chunks[i] + 1
		}
		n += met
		return true
	})
	return n
}
