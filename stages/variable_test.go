package stages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// texts is an array of texts. The number of a text gives its length.
func texts(shape []int, length func(i int) int) *memorySource {
	a := ndarray.New(dtype.StringType, shape)
	i := 0
	err := a.SetItems(func() ([]byte, error) {
		text := bytes.Repeat([]byte{byte('a' + i%26)}, length(i))
		copy(text, fmt.Sprint(i))
		i++
		return text, nil
	})
	if err != nil {
		panic(err) // there is always memory here
	}
	return &memorySource{info: sources.Info{Path: "a", Type: dtype.StringType, Shape: shape}, array: a}
}

// textTask is a task over texts. If shards is not nil, it is the shape of shards in
// chunks.
func textTask(t *testing.T, s *memorySource, chunk, shards []int, location string, names ...string) (Task, *memoryWriter) {
	t.Helper()
	var specs []codecs.Spec
	for _, name := range names {
		specs = append(specs, codecs.Spec{Name: name})
	}
	in := codecs.Chunk{Type: dtype.StringType, Shape: chunk, Fill: dtype.Scalar{}}
	chain, err := standard.Registry(dtype.Standard()).Bind(specs, in)
	if err != nil {
		t.Fatal(err)
	}
	grid := zarr.Grid{Shape: s.info.Shape, Chunk: chunk}
	if shards != nil {
		spec, err := standard.Sharding(chain)
		if err != nil {
			t.Fatal(err)
		}
		spec.Configuration = append(spec.Configuration[:len(spec.Configuration)-1], `,"index_location":"`+location+`"}`...)
		in.Shape = nil
		for i, n := range shards {
			in.Shape = append(in.Shape, n*chunk[i])
		}
		if chain, err = standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec}, in); err != nil {
			t.Fatal(err)
		}
		grid.Chunk = in.Shape
	}
	w := &memoryWriter{}
	return Task{Path: "a", Source: s, Writer: w, Stream: w.stream, Chain: chain, Grid: grid}, w
}

// sampleTexts draws a task over texts, some of which may be long. It returns the greatest
// length, too.
func sampleTexts(t *testing.T, r *rand.Rand) (x Task, long int) {
	t.Helper()
	long = 1 + r.IntN(40000)
	rare := 1 + r.IntN(20)
	s := texts([]int{1 + r.IntN(20), 1 + r.IntN(10)}, func(i int) int {
		if i%rare == 0 {
			return r.IntN(long)
		}
		return r.IntN(20)
	})
	if r.IntN(3) == 0 {
		s.info.ItemBytes = r.IntN(2 * long)
	}
	var shards []int
	if r.IntN(2) == 0 {
		shards = []int{1 + r.IntN(3), 1 + r.IntN(3)}
	}
	location := []string{"start", "end"}[r.IntN(2)]
	names := [][]string{{"vlen-utf8"}, {"vlen-utf8", "zstd"}, {"vlen-utf8", "gzip", "crc32c"}}[r.IntN(3)]
	x, _ = textTask(t, s, []int{1 + r.IntN(4), 1 + r.IntN(4)}, shards, location, names...)
	x.AtOnce = r.IntN(4)
	if shards == nil {
		x.Block = []int{1 + r.IntN(4), 1 + r.IntN(4)}
	} else {
		x.Block = []int{1, 1 + r.IntN(shards[1])}
	}
	return x, long
}

// TestTextsWithinAnyBudget runs random arrays of texts, some of them long, with many
// workers in budgets that have room for a few cells, for one, or for none. Every run
// ends, either with the same objects or with an error that names a chunk. Which of the
// two does not depend on the workers.
func TestTextsWithinAnyBudget(t *testing.T) {
	noLeaks(t)
	done, refused := 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		x, long := sampleTexts(t, r)
		plain, want := x, &memoryWriter{}
		plain.Block, plain.AtOnce, plain.Writer, plain.Stream = nil, 0, want, want.stream
		var l ledger
		if err := Run(t.Context(), config(&l), List{plain}); err != nil {
			t.Fatal(err)
		}
		memory := x.Cost() + r.IntN(1+8*long)
		var first error
		for try := range 2 {
			got := &memoryWriter{}
			x.Writer, x.Stream = got, got.stream
			var l ledger
			c := config(&l)
			c.Memory, c.Far = memory, try == 1
			c.Read, c.Encode, c.Write = 1+r.IntN(8), 1+r.IntN(8), 1+r.IntN(8)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			err := Run(ctx, c, List{x})
			cancel()
			switch {
			case err == nil:
				done++
				if diff := cmp.Diff(want.objects, got.objects); diff != "" {
					t.Errorf("seed %d: objects (-with room +in %d bytes):\n%s", seed, memory, diff)
				}
			case errors.Is(err, ErrMemory) && strings.Contains(err.Error(), `array "a", chunk [`):
				refused++
			default:
				t.Errorf("seed %d: in %d bytes: %v", seed, memory, err)
			}
			if n := got.open.Load(); n != 0 {
				t.Errorf("seed %d: %d streams were not ended", seed, n)
			}
			if try == 0 {
				first = err
			} else if (first == nil) != (err == nil) {
				t.Errorf("seed %d: in %d bytes: first %v, with other workers %v", seed, memory, first, err)
			}
		}
	}
	if done < 40 || refused < 40 {
		t.Errorf("%d runs were done and %d refused: too few of one kind to tell anything", done, refused)
	}
}

// TestTextsAreInTheBudget counts the bytes of texts in flight, from their read to the end
// of the write of their object.
func TestTextsAreInTheBudget(t *testing.T) {
	noLeaks(t)
	const length, rows, chunks = 100 << 10, 4, 64
	s := texts([]int{rows * chunks}, func(int) int { return length })
	x, w := textTask(t, s, []int{rows}, nil, "", "vlen-utf8")
	var inFlight, most atomic.Int64
	s.before = func(context.Context, []int) error {
		n := inFlight.Add(rows * length)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return nil
	}
	w.after = func([]int) { inFlight.Add(-rows * length) }
	var l ledger
	c := config(&l)
	c.Memory, c.Read, c.Encode, c.Write = 8<<20, 16, 16, 16
	s.info.ItemBytes = length
	if err := Run(t.Context(), c, List{x}); err != nil {
		t.Fatal(err)
	}
	if got := most.Load(); got > int64(c.Memory) || got < 2*rows*length {
		t.Errorf("%d bytes in flight at most, want those of two chunks and not more than the budget, %d", got, c.Memory)
	}
	if got := len(l.units(0)); got != chunks {
		t.Errorf("%d units were committed, want %d", got, chunks)
	}
}

// TestLargeTextIsReadAlone: a block that is larger than earlier blocks is read again, when
// nothing else is in flight.
func TestLargeTextIsReadAlone(t *testing.T) {
	noLeaks(t)
	const memory, large = 4 << 20, 40
	s := texts([]int{64}, func(i int) int {
		if i == large {
			return 1 << 20
		}
		return 1000
	})
	x, w := textTask(t, s, []int{1}, nil, "", "vlen-utf8")
	var inFlight, reads, beside atomic.Int64
	s.before = func(_ context.Context, start []int) error {
		n := inFlight.Add(1)
		if start[0] == large && reads.Add(1) == 2 {
			beside.Store(n - 1)
		}
		return nil
	}
	w.after = func([]int) { inFlight.Add(-1) }
	var l ledger
	c := config(&l)
	c.Memory = memory
	if err := Run(t.Context(), c, List{x}); err != nil {
		t.Fatal(err)
	}
	if got := reads.Load(); got != 2 {
		t.Errorf("the large text was read %d times, want twice", got)
	}
	// The first read of the large block was given up, and is never written.
	if got := beside.Load(); got != 1 {
		t.Errorf("%d reads were in flight beside the second one, want none but the first", got)
	}
	if got := len(l.units(0)); got != 64 {
		t.Errorf("%d units were committed, want 64", got)
	}
}

// afterwards is a source that calls a function after each read.
type afterwards struct {
	sources.Array
	after func()
}

func (s afterwards) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	defer s.after()
	return s.Array.ReadRegion(ctx, dst, start)
}

// TestLargeTextComesBackWithinAShard: a block that has outgrown its allowance waits for
// all of the budget. A shard that was begun meanwhile holds a part of that, so the block
// is read again when the shard is finished. A run that is stopped finishes the shard and
// gives up the block.
func TestLargeTextComesBackWithinAShard(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		noLeaks(t)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		begun, back, stop := make(chan struct{}), make(chan struct{}), make(chan struct{})
		wait := func(ctx context.Context, event <-chan struct{}) error {
			select {
			case <-event:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		large := texts([]int{1}, func(int) int { return 4 << 20 })
		large.before = func(ctx context.Context, _ []int) error { return wait(ctx, begun) }
		x, w := textTask(t, large, []int{1}, nil, "", "vlen-utf8")
		x.Source = afterwards{large, sync.OnceFunc(func() {
			if stopped {
				close(stop)
			}
			close(back)
		})}
		small := texts([]int{128}, func(int) int { return 10 })
		small.before = func(ctx context.Context, start []int) error {
			if start[0] == 0 {
				close(begun)
			}
			return wait(ctx, back)
		}
		sharded, shards := textTask(t, small, []int{1}, []int{64}, "end", "vlen-utf8")
		var l ledger
		c := config(&l)
		c.Memory, c.Stop, c.Every = 16<<20, stop, time.Hour
		err := Run(ctx, c, List{x, sharded})
		cancel()
		want := []int{0, 1}
		if stopped {
			want = want[:1]
		}
		if stopped != errors.Is(err, ErrStopped) || !stopped && err != nil {
			t.Fatalf("stopped %v: error %v", stopped, err)
		}
		if diff := cmp.Diff(want, l.units(1)); diff != "" {
			t.Errorf("stopped %v: shards that are done (-want +got):\n%s", stopped, diff)
		}
		if len(w.objects) != len(want)-1 || len(shards.objects) != len(want) {
			t.Errorf("stopped %v: %d large texts and %d shards are stored", stopped, len(w.objects), len(shards.objects))
		}
	}
}

func TestTextAboveTheBudget(t *testing.T) {
	s := texts([]int{8}, func(i int) int {
		if i < 4 {
			return 10
		}
		return 1 << 20
	})
	x, _ := textTask(t, s, []int{4}, nil, "", "vlen-utf8")
	var l ledger
	c := config(&l)
	c.Memory = 2 << 20
	err := Run(t.Context(), c, List{x})
	const want = `array "a", chunk [1]: read: the memory budget is too small: its elements take at least `
	if !errors.Is(err, ErrMemory) || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "about 12.0 MiB") ||
		!strings.Contains(err.Error(), "the budget is 2.0 MiB: raise run.memory or choose smaller chunks") {
		t.Errorf("error %v", err)
	}
}

// TestFigureOfRefusedTexts: the memory that the error names for all elements is what a
// run needs, to within an eighth.
func TestFigureOfRefusedTexts(t *testing.T) {
	for name, test := range map[string]struct{ elements, length int }{"few long texts": {16, 1 << 16}, "many short texts": {1 << 16, 8}} {
		t.Run(name, func(t *testing.T) {
			s := texts([]int{2 * test.elements}, func(int) int { return test.length })
			x, _ := textTask(t, s, []int{test.elements}, nil, "", "vlen-utf8")
			run := func(memory int) error {
				var l ledger
				c := config(&l)
				c.Memory = memory
				return Run(t.Context(), c, List{x})
			}
			enough := sort.Search(16<<20, func(n int) bool { return run(n) == nil })
			for _, memory := range []int{enough / 2, enough * 3 / 4, enough - 1} {
				err := run(memory)
				if !errors.Is(err, ErrMemory) {
					t.Fatalf("in %d bytes: error %v", memory, err)
				}
				figure := regexp.MustCompile(`(?:about|at least) ([\d.]+) MiB`).FindAllStringSubmatch(err.Error(), -1)
				mib, _ := strconv.ParseFloat(figure[len(figure)-1][1], 64)
				named := int(mib * (1 << 20))
				if named < enough-enough/8 || named > enough+enough/8 {
					t.Errorf("in %d bytes, of which %d would do: %v", memory, enough, err)
				}
			}
		})
	}
}

// shaped is a source that tells the length of each read.
type shaped struct {
	sources.Array
	read func(rows int)
}

func (s shaped) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	s.read(dst.Shape[0])
	return s.Array.ReadRegion(ctx, dst, start)
}

// TestBlockOfTextsIsCutInTwo: once a block is too large even alone, later ones are read
// in halves from the beginning.
func TestBlockOfTextsIsCutInTwo(t *testing.T) {
	const rows = 40
	for block, memory := range map[int]int{8: 1 << 20, 2: 400 << 10} { // half a block fits, with one row that is encoded
		s := texts([]int{rows}, func(int) int { return 100 << 10 })
		x, _ := textTask(t, s, []int{1}, nil, "", "vlen-utf8")
		x.Block, x.AtOnce = []int{block}, 1
		read := map[int]int{} // by length
		x.Source = shaped{s, func(rows int) { read[rows]++ }}
		var l ledger
		c := config(&l)
		c.Memory, c.Read = memory, 1
		if err := Run(t.Context(), c, List{x}); err != nil {
			t.Fatal(err)
		}
		// The first block outgrows its allowance. Another block may do so, too, if it was
		// sent before the planner knew.
		if first := read[block]; first == 0 || first > 4 || read[block/2] != rows/(block/2) || len(read) != 2 {
			t.Errorf("blocks of %d: reads by length: %v", block, read)
		}
	}
}

// greedy is a source that takes memory before it has an element.
type greedy struct {
	sources.Array
	takes int
}

func (g greedy) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	tally := dst.Heap.Tally()
	defer tally.End()
	if err := tally.Take(g.takes); err != nil {
		return err
	}
	return g.Array.ReadRegion(ctx, dst, start)
}

// TestRefusedTexts: the error about a chunk that is too large says which one, what it
// takes, and what helps.
func TestRefusedTexts(t *testing.T) {
	const memory, chunks = 1 << 20, "choose smaller chunks"
	for name, test := range map[string]struct {
		lengths      []int
		shards       []int
		takes        int
		words, never []string
	}{
		"first of several": {[]int{2 << 20, 1}, nil, 0, []string{"chunk [0]", "at least 2.0 MiB", "about", "all of its 2 elements are like the first 1", chunks}, nil},
		"encoding":         {[]int{600 << 10, 1}, nil, 0, []string{"chunk [0]", "at least ", chunks}, []string{"about", "pieces"}},
		"source":           {[]int{1, 1}, nil, 2 << 20, []string{"chunk [0]", "at least 2.0 MiB", "write the source in smaller pieces"}, []string{"about", chunks}},
		"last in shard": {[]int{1, 1, 1, 1, 1, 1, 400 << 10, 1}, []int{2}, 0,
			[]string{"chunk [3]", "MiB beside the ", "iB that its shard holds until the index at the start is written", chunks}, nil},
		"first in shard": {[]int{600 << 10, 1, 1, 1}, []int{2}, 0, []string{"chunk [0]", chunks}, []string{"beside"}},
	} {
		s := texts([]int{len(test.lengths)}, func(i int) int { return test.lengths[i] })
		x, _ := textTask(t, s, []int{2}, test.shards, "start", "vlen-utf8")
		x.Source = greedy{s, test.takes}
		var l ledger
		c := config(&l)
		c.Memory = memory
		err := Run(t.Context(), c, List{x})
		if !errors.Is(err, ErrMemory) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		for _, word := range test.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v: want %q in it", name, err, word)
			}
		}
		for _, word := range test.never {
			if strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v: want no %q in it", name, err, word)
			}
		}
	}
}

// TestTextsOfABlockAreReadInOneCall: several calls at the same time would write to the
// same heap.
func TestTextsOfABlockAreReadInOneCall(t *testing.T) {
	s := texts([]int{8}, func(int) int { return 100 })
	s.info.Chunks, s.info.Memory = []int{1}, 1
	x, _ := textTask(t, s, []int{2}, nil, "", "vlen-utf8")
	x.Block = []int{4}
	var calls atomic.Int64
	s.before = func(context.Context, []int) error {
		calls.Add(1)
		return nil
	}
	var l ledger
	if err := Run(t.Context(), config(&l), List{x}); err != nil {
		t.Fatal(err)
	}
	if got := calls.Load(); got != 1 {
		t.Errorf("%d calls, want one", got)
	}
}
