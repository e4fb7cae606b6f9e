package stages

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestSlabs: slabs of a region follow each other without gaps, and end where chunks end.
func TestSlabs(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		rank := r.IntN(4)
		region := ndarray.Region{Start: make([]int, rank), Shape: make([]int, rank)}
		chunk := make([]int, rank)
		for i := range rank {
			region.Start[i], region.Shape[i], chunk[i] = r.IntN(20), 1+r.IntN(20), 1+r.IntN(8)
		}
		n, order := 1+r.IntN(5), r.Perm(rank)
		list := slabs(region, chunk, order, n)
		name := fmt.Sprintf("seed %d: %v in chunks of %v, %d parts: %v", seed, region, chunk, n, list)
		if len(list) == 0 || len(list) > n {
			t.Fatalf("%s: %d parts", name, len(list))
		}
		want := -1 // the first dimension in order that has several chunks
		for _, i := range slices.Backward(order) {
			if region.Start[i]/chunk[i] != (region.Start[i]+region.Shape[i]-1)/chunk[i] && n > 1 {
				want = i
			}
		}
		at, cut := slices.Clone(region.Start), -1
		for _, part := range list {
			for i := range rank {
				if part.Shape[i] != region.Shape[i] {
					cut = i
				}
			}
			if !slices.Equal(part.Start, at) {
				t.Errorf("%s: a part begins at %v, want %v", name, part.Start, at)
			}
			if cut < 0 {
				continue
			}
			at[cut] += part.Shape[cut]
			if end := region.Start[cut] + region.Shape[cut]; at[cut] != end && at[cut]%chunk[cut] != 0 {
				t.Errorf("%s: a chunk is cut at %d", name, at[cut])
			}
		}
		if cut != want {
			t.Errorf("%s: cut along dimension %d, want %d of %v", name, cut, want, order)
		}
		if cut >= 0 && at[cut] != region.Start[cut]+region.Shape[cut] {
			t.Errorf("%s: ends at %v", name, at)
		}
	}
}

// gathered counts the reads of a source.
type gathered struct {
	mu               sync.Mutex
	begun, now, most int // reads that have begun, reads in flight, and the most in flight
}

// gather makes the reads of a source wait until so many are in flight at the same time.
func gather(s *memorySource, want int) *gathered {
	var parts gathered
	all := make(chan struct{})
	count := func(n int) {
		parts.mu.Lock()
		defer parts.mu.Unlock()
		parts.now += n
		if n < 0 {
			return
		}
		parts.begun++
		if parts.most < want && parts.now == want {
			close(all)
		}
		parts.most = max(parts.most, parts.now)
	}
	s.before = func(ctx context.Context, _ []int) error {
		count(1)
		defer count(-1)
		select {
		case <-all:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return &parts
}

// TestPartsOfABlock: one block is read by as many calls at the same time as the memory
// allows that is reserved to encode the block.
func TestPartsOfABlock(t *testing.T) {
	for _, test := range []struct{ memory, want int }{{0, 1}, {1 << 30, 1}, {4096, 2}, {1, 4}} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			noLeaks(t)
			s := counted(64, 64)
			x, w := task(t, s, 64, 32)
			x.Block, x.AtOnce = []int{1, 2}, 1
			s.info.Chunks, s.info.Memory = []int{8, 64}, test.memory
			if _, each, _ := x.cost(1); test.memory == 4096 {
				s.info.Memory = each / 2
			}
			parts := gather(s, test.want)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var l ledger
			c := config(&l)
			c.Memory, c.Read = max(x.Cost(), 16<<20), 4
			if err := Run(ctx, c, List{x}); err != nil {
				t.Fatal(err)
			}
			if parts.begun != test.want {
				t.Errorf("read in %d parts, want %d", parts.begun, test.want)
			}
			checkDecoded(t, s, x, w)
		})
	}
}

// TestIdleReadersHelp reads a block of a source without chunks behind a network. The
// number of calls at the same time is bounded by the long runs of the block, by the
// memory, and by the readers without a block.
func TestIdleReadersHelp(t *testing.T) {
	for _, test := range []struct{ longRun, memory, want int }{{8192, 0, 1}, {3000, 0, 2}, {1, 0, 4}, {1, 1, 4}, {1, 1 << 20, 1}} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			noLeaks(t)
			s := counted(64, 64)
			x, w := task(t, s, 64, 32)
			x.Block, x.AtOnce = []int{1, 2}, 1
			s.info.LongRun, s.info.Memory = test.longRun, test.memory
			parts := gather(s, test.want)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var l ledger
			c := config(&l)
			c.Memory, c.Read, c.Far = max(x.Cost(), 16<<20), 4, true
			if err := Run(ctx, c, List{x}); err != nil {
				t.Fatal(err)
			}
			if parts.most != test.want {
				t.Errorf("%d parts were read at the same time, want %d", parts.most, test.want)
			}
			checkDecoded(t, s, x, w)
		})
	}
}
