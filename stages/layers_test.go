package stages

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// TestInLayers: layers are chosen if they are long runs in the source, and small.
func TestInLayers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const large = 1 << 40
	for _, test := range []struct {
		name                 string
		shape, stored, chunk []int
		limit                int
		layer, block         []int // nil: there are no layers
	}{
		{"slices become tiles", []int{64, 1024, 2048}, []int{1, 1024, 2048}, []int{64, 128, 256}, large, []int{1, 128, 256}, []int{1, 1, 8}},
		{"tiles become slices", []int{64, 1024, 2048}, []int{64, 128, 256}, []int{1, 1024, 2048}, large, []int{1, 128, 2048}, []int{1, 1, 1}},
		{"wide slices", []int{64, 4096, 16384}, []int{1, 4096, 16384}, []int{16, 512, 512}, large, []int{1, 16, 512}, []int{1, 1, 32}},
		{"long vectors", []int{1 << 24}, []int{1 << 20}, []int{1 << 21}, large, []int{1 << 18}, []int{1}},
		{"odd extents", []int{30, 1000, 1500}, []int{1, 1000, 1500}, []int{30, 100, 250}, large, []int{1, 100, 250}, []int{1, 1, 6}},
		{"chunks no larger than a layer", []int{64, 1024, 1024}, []int{64, 1024, 1024}, []int{1, 128, 1024}, large, []int{1, 64, 1024}, []int{1, 1, 1}},
		{"small chunks", []int{64, 1024, 1024}, []int{1, 1024, 1024}, []int{1, 32, 32}, large, nil, nil},
		{"short runs", []int{1024, 1024, 64}, []int{1, 1, 64}, []int{256, 256, 64}, large, nil, nil},
		{"too many chunks side by side", []int{64, 128, 1 << 17}, []int{1, 128, 1 << 17}, []int{64, 128, 256}, large, nil, nil},
		{"one block", []int{64, 128, 2048}, []int{1, 128, 2048}, []int{64, 128, 256}, large, nil, nil},
		{"no memory", []int{64, 1024, 2048}, []int{1, 1024, 2048}, []int{64, 128, 256}, 1 << 17, nil, nil},
		{"no elements", []int{0, 1024, 2048}, []int{1, 1024, 2048}, []int{64, 128, 256}, large, nil, nil},
		{"scalar", []int{}, []int{}, []int{}, large, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := chunked(t, test.shape, test.stored, test.chunk, nil)
			x.Source.Info().AnyRegion = true
			layer, block := x.InLayers(test.limit, 100)
			var shape []int
			if layer != nil {
				shape = layer.Chunk().Shape
			}
			if diff := cmp.Diff([2][]int{test.layer, test.block}, [2][]int{shape, block}); diff != "" {
				t.Errorf("layer and block (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotInLayers: sources whose chunks are read whole, and objects that are more than the
// elements, have no layers.
func TestNotInLayers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for name, change := range map[string]func(*Task){
		"nothing":                 func(*Task) {},
		"chunks are read whole":   func(x *Task) { x.Source.Info().AnyRegion = false },
		"behind a network":        func(x *Task) { x.Source.Info().Remote = true },
		"another order":           func(x *Task) { x.Source.Info().Slowest = []int{2, 1, 0} },
		"compressed":              func(x *Task) { x.Chain = bind(t, x.Grid.Chunk, "bytes", "zstd") },
		"converted":               func(x *Task) { x.Convert = narrowing{} },
		"carried through":         func(x *Task) { x.Stored = &storedSource{} },
		"no chunks in the source": func(x *Task) { x.Source.Info().Chunks = nil },
	} {
		x := chunked(t, []int{64, 1024, 2048}, []int{1, 1024, 2048}, []int{64, 128, 256}, nil)
		x.Source.Info().AnyRegion = true
		change(&x)
		layer, _ := x.InLayers(1<<40, 100)
		if want := strings.HasPrefix(name, "no"); (layer != nil) != want {
			t.Errorf("%s: has layers: %v", name, layer != nil)
		}
	}
}

// layeredTask is a task whose blocks of four chunks are written in layers of one row. Some
// chunks reach beyond the array. Chunk [0 0] and the first row of chunk [0 1] hold only the
// fill value.
func layeredTask(t *testing.T) (*memorySource, Task, *memoryWriter) {
	s := counted(14, 33)
	for _, box := range []ndarray.Region{{Start: []int{0, 0}, Shape: []int{4, 5}}, {Start: []int{0, 5}, Shape: []int{2, 5}}} {
		ndarray.Fill(s.array.Sub(box), fillValue)
	}
	x, w := task(t, s, 4, 5)
	x.Layer, _ = x.Chain.Layer([]int{1, 5})
	x.Block = []int{1, 4}
	return s, x, w
}

// TestLayered: objects, receipts, digests and progress are those of chunks that are encoded
// whole.
func TestLayered(t *testing.T) {
	for _, keep := range []bool{false, true} {
		noLeaks(t)
		s, x, w := layeredTask(t)
		x.KeepEmpty, x.Digest = keep, true
		x.Done = func(unit int) bool { return unit == 9 }
		var read, units atomic.Int64
		var l ledger
		c := config(&l)
		c.Memory = x.Cost()
		c.Observe = func(e Event) {
			read.Add(e.Read)
			if !e.Partial {
				units.Add(1)
			}
		}
		if err := Run(t.Context(), c, List{x}); err != nil {
			t.Fatal(err)
		}
		whole, alone := x, &memoryWriter{}
		whole.Layer, whole.Block, whole.Writer, whole.Stream = nil, nil, alone, alone.stream
		var lWhole ledger
		if err := Run(t.Context(), config(&lWhole), List{whole}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(alone.objects, w.objects); diff != "" {
			t.Errorf("objects (-whole +layered):\n%s", diff)
		}
		sort := cmp.Transformer("sorted", func(l *ledger) map[string]any {
			byUnit := map[string]any{}
			for _, r := range l.receipts {
				byUnit[fmt.Sprint(r.Unit)] = r
			}
			return byUnit
		})
		if diff := cmp.Diff(&lWhole, &l, sort); diff != "" {
			t.Errorf("receipts (-whole +layered):\n%s", diff)
		}
		for _, r := range l.receipts {
			at := x.Grid.Region(x.Grid.Index(r.Unit))
			if want := digest.Of(s.array.Sub(at), at.Start); !r.Empty && r.Digest.Sum != want {
				t.Errorf("unit %d has the digest %v, want %v", r.Unit, r.Digest.Sum, want)
			}
		}
		if got, want := read.Load(), int64(2*14*33); got != want {
			t.Errorf("the observer was told of %d bytes, want %d", got, want)
		}
		if got, want := units.Load(), int64(x.Grid.Len()-1); got != want || w.open.Load() != 0 {
			t.Errorf("%d units, want %d; %d streams are open", got, want, w.open.Load())
		}
	}
}

// TestLayeredFails fails each read, each write and each end of an object. The error names the
// chunk, no stream stays open, and what was stored is committed.
func TestLayeredFails(t *testing.T) {
	fails := func(doing string, at int) bool {
		noLeaks(t)
		s, x, w := layeredTask(t)
		x.KeepEmpty = true
		var n atomic.Int64
		fail := func() error {
			if int(n.Add(1)) == at+1 {
				return errTest
			}
			return nil
		}
		switch doing {
		case "read":
			s.before = func(context.Context, []int) error { return fail() }
		case "write":
			w.piece = func([]int, int) error { return fail() }
		case "end":
			w.before = func(context.Context, []int) error { return fail() }
			doing = "write"
		}
		var l ledger
		err := Run(t.Context(), config(&l), List{x})
		if err == nil {
			return false
		}
		if !errors.Is(err, errTest) || !strings.HasPrefix(err.Error(), `array "a", chunk [`) || !strings.Contains(err.Error(), "]: "+doing+": ") {
			t.Errorf("%s %d: error %v", doing, at, err)
		}
		if n := w.open.Load(); n != 0 {
			t.Errorf("%s %d: %d streams were not ended", doing, at, n)
		}
		checkCommitted(t, x, w, &l)
		return true
	}
	for doing, least := range map[string]int{"read": 20, "write": 80, "end": 20} {
		at := 0
		for fails(doing, at) {
			at++
		}
		if at < least {
			t.Errorf("only %d times did anything %s", at, doing)
		}
	}
}

// TestLayeredCost: a block takes no more memory than its task says, and much less than its
// chunks have; nor does it open more files than it may.
func TestLayeredCost(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	x := chunked(t, []int{64, 1024, 2048}, []int{1, 1024, 2048}, []int{64, 128, 256}, nil)
	x.Source.Info().AnyRegion = true
	x.Layer, x.Block = x.InLayers(1<<40, 100)
	least := x.Cost()
	if layer, _ := x.InLayers(least, 100); layer == nil {
		t.Errorf("no layers within their cost, %d bytes", least)
	}
	if layer, _ := x.InLayers(least-1, 100); layer != nil && slices.Equal(layer.Chunk().Shape, x.Layer.Chunk().Shape) {
		t.Errorf("the same layers within %d bytes", least-1)
	}
	if layer, _ := x.InLayers(1<<40, 7); layer != nil {
		t.Errorf("layers of 8 chunks with 7 files")
	}
	if n, _ := ndarray.Bytes(x.Chain.Chunk().Type, x.Grid.Chunk); least >= n {
		t.Errorf("a block takes %d bytes, a chunk has %d", least, n)
	}
}
