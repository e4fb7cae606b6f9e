package sinks

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
)

// testWriter returns a Writer of a place in memory.
func testWriter(t *testing.T, opt Options, fault func(op, key string) error) *Writer {
	t.Helper()
	st, err := store.Open(t.Context(), "mem://bucket/a.zarr", store.Options{Retries: -1, Fault: fault})
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWriter(t.Context(), st, opt)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// objectsOf returns the objects of a Writer's store.
func objectsOf(t *testing.T, w *Writer) map[string]string {
	t.Helper()
	objects := map[string]string{}
	err := w.store.List(t.Context(), "", func(o store.Info) error {
		data, err := w.store.ReadAll(t.Context(), o.Key, 1<<20)
		objects[o.Key] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

var shardSpec = ArraySpec{Type: dtype.Int32, Shape: []int{40, 30}, Chunks: []int{2, 3}, Shards: []int{8, 9}}

func countedValues() ndarray.Array {
	numbers := make([]int32, 40*30)
	for i := range numbers {
		numbers[i] = int32(i + 1)
	}
	return ndarray.From(numbers, []int{40, 30})
}

// TestMemory: objects that wait stay within their half of the memory, and nothing is left
// behind after Commit.
func TestMemory(t *testing.T) {
	const memory = 1000
	w := testWriter(t, Options{Memory: memory}, nil)
	a, err := w.CreateArray(t.Context(), "a", shardSpec)
	if err != nil {
		t.Fatal(err)
	}
	values := countedValues()
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(worker), 0))
			for range 100 {
				start := []int{r.IntN(40), r.IntN(30)}
				region := ndarray.Region{Start: start, Shape: []int{1, min(2, 30-start[1])}}
				if err := a.WriteRegion(t.Context(), values.Sub(region), start); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := w.waiting.Load(); n < 0 || n > memory/2 {
		t.Errorf("%d bytes wait, at most %d may", n, memory/2)
	}
	if err := a.WriteRegion(t.Context(), values, []int{0, 0}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := w.waiting.Load(); n != 0 || w.pool.Lent() != 0 || w.waitQueue.objects.Len() != 0 || len(a.objects) != 0 {
		t.Errorf("after Commit %d bytes and %d objects wait, of %d kept; %d buffers are lent", n, w.waitQueue.objects.Len(), len(a.objects), w.pool.Lent())
	}
}

// TestWholeNeverReads: writing regions of whole chunks and shards reads nothing, not even
// where they replace stored objects. Writing parts of new objects reads nothing, either.
func TestWholeNeverReads(t *testing.T) {
	var reads atomic.Int64
	w := testWriter(t, Options{}, func(op, _ string) error {
		if op == "read" || op == "stat" {
			reads.Add(1)
		}
		return nil
	})
	a, err := w.CreateArray(t.Context(), "a", shardSpec)
	if err != nil {
		t.Fatal(err)
	}
	values := countedValues()
	for range 2 {
		for _, r := range []ndarray.Region{{Start: []int{0, 0}, Shape: []int{8, 30}}, {Start: []int{8, 0}, Shape: []int{32, 30}}} {
			if err := a.WriteRegion(t.Context(), values.Sub(r), r.Start); err != nil {
				t.Fatal(err)
			}
		}
	}
	b, err := w.CreateArray(t.Context(), "b", shardSpec)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		r := ndarray.Region{Start: []int{i, 0}, Shape: []int{1, 30}}
		if err := b.WriteRegion(t.Context(), values.Sub(r), r.Start); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := reads.Load(); n != 0 {
		t.Errorf("%d reads", n)
	}
}

var errFault = errors.New("the store is away")

// TestFaults lets operation after operation of the store fail. The call fails with the
// array and its chunk; when it is repeated, the objects are those of an undisturbed
// writer.
func TestFaults(t *testing.T) {
	values := countedValues()
	var quiet atomic.Bool
	work := func(t *testing.T, w *Writer) map[string]string {
		quiet.Store(false)
		t.Helper()
		again := func(f func() error) {
			for {
				err := f()
				if err == nil {
					return
				}
				if !errors.Is(err, errFault) {
					t.Fatal(err)
				}
			}
		}
		a, err := w.CreateArray(t.Context(), "g/a", shardSpec)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			r := ndarray.Region{Start: []int{2 * (i * 7 % 20), 0}, Shape: []int{2, 30}}
			again(func() error { return a.WriteRegion(t.Context(), values.Sub(r), r.Start) })
		}
		again(func() error { return w.Commit(t.Context()) })
		for i := range 40 {
			r := ndarray.Region{Start: []int{i * 7 % 40, 0}, Shape: []int{1, 30}}
			again(func() error { return a.WriteRegion(t.Context(), values.Sub(r), r.Start) })
		}
		again(func() error { return w.Commit(t.Context()) })
		if w.pool.Lent() != 0 || w.waiting.Load() != 0 {
			t.Errorf("%d buffers are lent, %d bytes wait", w.pool.Lent(), w.waiting.Load())
		}
		quiet.Store(true)
		defer quiet.Store(false)
		return objectsOf(t, w)
	}
	want := work(t, testWriter(t, Options{Memory: 2000}, nil))
	for at := int64(1); ; at += 37 {
		var count atomic.Int64
		var failed atomic.Bool
		quiet.Store(true)
		w := testWriter(t, Options{Memory: 2000}, func(_, _ string) error {
			if !quiet.Load() && count.Add(1) == at {
				failed.Store(true)
				return errFault
			}
			return nil
		})
		if got := work(t, w); len(got) != len(want) {
			t.Errorf("operation %d failed: %d objects, want %d", at, len(got), len(want))
		} else {
			for key, text := range want {
				if got[key] != text {
					t.Errorf("operation %d failed: %s is another one", at, key)
				}
			}
		}
		if !failed.Load() {
			break
		}
	}
}

// TestFail: an error names the array and the chunk or the shard.
func TestFail(t *testing.T) {
	w := testWriter(t, Options{}, func(op, _ string) error {
		if op == "put" {
			return errFault
		}
		return nil
	})
	spec := shardSpec
	for _, want := range []string{`array "a", shard [1 0]: `, `array "b", chunk [4 0]: `} {
		a, err := w.CreateArray(t.Context(), want[7:8], spec)
		if err != nil {
			t.Fatal(err)
		}
		r := ndarray.Region{Start: []int{8, 0}, Shape: []int{spec.Chunks[0], spec.Chunks[1]}}
		if spec.Shards != nil {
			r.Shape = slices.Clone(spec.Shards)
		}
		if err := a.WriteRegion(t.Context(), countedValues().Sub(r), r.Start); !errors.Is(err, errFault) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q in front", err, want)
		}
		spec.Shards = nil
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a, err := w.CreateArray(t.Context(), "c", spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.WriteRegion(stopped, countedValues(), []int{0, 0}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

// TestWaitingCells: writing cells once more takes no more memory. A region that makes several
// objects wait makes room for all of them.
func TestWaitingCells(t *testing.T) {
	values := countedValues()
	row := ndarray.Region{Start: []int{1, 0}, Shape: []int{1, 30}} // parts of the cells of four shards
	for memory, waits := range map[int]bool{10_000: true, 200: false} {
		w := testWriter(t, Options{Memory: memory}, nil)
		a, err := w.CreateArray(t.Context(), "a", shardSpec)
		if err != nil {
			t.Fatal(err)
		}
		var first int64
		for i := range 3 {
			if err := a.WriteRegion(t.Context(), values.Sub(row), row.Start); err != nil {
				t.Fatal(err)
			}
			n := w.waiting.Load()
			if i == 0 {
				first = n
			}
			if n > int64(w.half()) || waits && n != first || waits != (n > 100) {
				t.Errorf("%d bytes of memory: %d wait, %d at first", memory, n, first)
			}
		}
	}
}

// TestPutsThatFail: an object that cannot be stored is an error of the call that stores it.
func TestPutsThatFail(t *testing.T) {
	values := countedValues()
	row := ndarray.Region{Start: []int{1, 0}, Shape: []int{1, 30}}
	for memory, early := range map[int]bool{10_000: false, 200: true} {
		w := testWriter(t, Options{Memory: memory}, func(op, _ string) error {
			if op == "put" {
				return errFault
			}
			return nil
		})
		a, err := w.CreateArray(t.Context(), "a", shardSpec)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.WriteRegion(t.Context(), values.Sub(row), row.Start); errors.Is(err, errFault) != early || (err == nil) == early {
			t.Errorf("%d bytes of memory: %v", memory, err)
		}
		if err := w.Commit(t.Context()); !errors.Is(err, errFault) || !strings.Contains(err.Error(), `array "a"`) {
			t.Errorf("%d bytes of memory, commit: %v", memory, err)
		}
	}
}

// TestNegativeMemory: a Writer has some memory, a new one and one of an existing hierarchy.
func TestNegativeMemory(t *testing.T) {
	st, err := store.Open(t.Context(), "mem://bucket/a.zarr", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w, err := newWriter(t.Context(), st, Options{Memory: -1}); err == nil {
		t.Errorf("got %v", w)
	}
	if w, err := existingWriter(t.Context(), theirs(t), Options{Memory: -1}); err == nil || w != nil {
		t.Errorf("got %v, %v", w, err)
	}
}

// TestCommitFails: a document that cannot be stored, and a caller that gives up, are errors
// of Commit.
func TestCommitFails(t *testing.T) {
	w := testWriter(t, Options{}, func(op, key string) error {
		if op == "put" && key == "a/zarr.json" {
			return errFault
		}
		return nil
	})
	if _, err := w.CreateArray(t.Context(), "a", shardSpec); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); !errors.Is(err, errFault) {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Commit(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
