package stages

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// shardedTask has an array of rows × 64 elements in inner chunks of 64 × 64,
// four of them in a shard, with the index at "start" or "end".
func shardedTask(t *testing.T, s *memorySource, location string, inner ...string) (Task, *memoryWriter) {
	t.Helper()
	x, w := task(t, s, 64, 64)
	spec, err := standard.Sharding(bind(t, []int{64, 64}, inner...))
	if err != nil {
		t.Fatal(err)
	}
	spec.Configuration = append(spec.Configuration[:len(spec.Configuration)-1], `,"index_location":"`+location+`"}`...)
	in := x.Chain.Chunk()
	in.Shape = []int{256, 64}
	if x.Chain, err = standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec}, in); err != nil {
		t.Fatal(err)
	}
	x.Grid.Chunk = in.Shape
	return x, w
}

// TestSmallShardsLeaveRoom holds back the first shard until the next one is read. The
// inner chunks compress well. The budget has no room for two shards at their largest.
func TestSmallShardsLeaveRoom(t *testing.T) {
	noLeaks(t)
	s := counted(512, 64)
	ndarray.Fill(s.array, []byte{1, 2})
	x, w := shardedTask(t, s, "start", "bytes", "zstd")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	next := make(chan struct{})
	s.before = func(_ context.Context, start []int) error {
		if start[0] == 256 {
			close(next)
		}
		return nil
	}
	w.piece = func(index []int, written int) error {
		if index[0] > 0 || written > 0 {
			return nil
		}
		select {
		case <-next:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var l ledger
	c := config(&l)
	c.Memory = x.Cost() + x.own() + 8*4096 // as small as the buffers of eight inner chunks can be
	if err := Run(ctx, c, List{x}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c/0/0", "c/1/0"}, w.keys()); diff != "" {
		t.Error(diff)
	}
	checkDecoded(t, s, x, w)
}

// TestShardsInTheLeastMemory runs shards of noise in a budget of one block and its
// shard. Encoded inner chunks of noise are as large as they can be.
func TestShardsInTheLeastMemory(t *testing.T) {
	for _, location := range []string{"start", "end"} {
		for _, inner := range [][]string{{"bytes"}, {"bytes", "zstd"}, {"transpose", "bytes", "gzip", "crc32c"}} {
			noLeaks(t)
			s := counted(700, 64)
			x, w := shardedTask(t, s, location, inner...)
			x.StreamBytes = 1000
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var l ledger
			c := config(&l)
			c.Memory = x.Cost()
			if err := Run(ctx, c, List{x}); err != nil {
				t.Fatalf("%s %v: %v", location, inner, err)
			}
			checkDecoded(t, s, x, w)
			c.Memory--
			if err := Run(ctx, c, List{x}); !errors.Is(err, ErrMemory) || strings.Contains(err.Error(), "index_location: end") != (location == "start") {
				t.Errorf("%s %v: error %v", location, inner, err)
			}
		}
	}
}

// TestShardCost: beside one block, a shard with its index at the start takes its encoded
// size, and another shard takes the buffer of its stream.
func TestShardCost(t *testing.T) {
	s := counted(512, 64)
	end, _ := shardedTask(t, s, "end", "bytes", "zstd")
	start, _ := shardedTask(t, s, "start", "bytes", "zstd")
	collecting := end
	collecting.StreamBytes = 1 << 20
	inner := end.cellChain()
	if got, want := collecting.Cost()-end.Cost(), 1<<20; got != want {
		t.Errorf("a stream of %d bytes costs %d", want, got)
	}
	if got, want := start.Cost()-end.Cost(), 4*ndarray.Rounded(inner.Size().Max); got != want {
		t.Errorf("four inner chunks that wait cost %d, want %d", got, want)
	}
	if got, want := end.Cost(), ndarray.Rounded(2*64*64)+inner.Memory()+end.own(); got != want {
		t.Errorf("an inner chunk costs %d, want %d", got, want)
	}
	if one := (Task{Chain: bind(t, []int{4}, "bytes"), Grid: zarr.Grid{Shape: []int{4}, Chunk: []int{4}}, StreamBytes: 7}); one.own() != 0 {
		t.Errorf("a chunk that is no shard has %d bytes of its own", one.own())
	}
}

// TestShardsAreObservedInParts counts events: there is one for each shard, and one for
// each inner chunk with the bytes of its elements.
func TestShardsAreObservedInParts(t *testing.T) {
	s := counted(700, 64)
	ndarray.Fill(s.array.Sub(ndarray.Region{Start: []int{64, 0}, Shape: []int{64, 64}}), fillValue)
	x, _ := shardedTask(t, s, "end", "bytes")
	var mu sync.Mutex
	shards, read := map[int]int{}, map[int]int64{}
	var l ledger
	c := config(&l)
	c.Observe = func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		read[e.Unit] += e.Read
		if !e.Partial {
			shards[e.Unit]++
		} else if e.Bytes != 0 || e.Read > 2*64*64 {
			t.Errorf("a piece: %+v", e)
		}
	}
	if err := Run(t.Context(), c, List{x}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int]int{0: 1, 1: 1, 2: 1}, shards); diff != "" {
		t.Errorf("shards (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[int]int64{0: 2 * 64 * 256, 1: 2 * 64 * 256, 2: 2 * 64 * 188}, read); diff != "" {
		t.Errorf("bytes (-want +got):\n%s", diff)
	}
}

// TestParallel: one chunk keeps one encoder busy, a shard one for each inner
// chunk.
func TestParallel(t *testing.T) {
	small, _ := task(t, counted(3, 64), 1, 64)
	sharded, _ := shardedTask(t, counted(512, 64), "end", "bytes")
	for _, c := range []struct {
		task Task
		want int
	}{{small, 3}, {sharded, 2 * 4}} {
		if got := c.task.parallel(); got != c.want {
			t.Errorf("a task keeps %d encoders busy, want %d", got, c.want)
		}
	}
}
