package sinks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/zarr"
)

// bytesOf returns an array of one dimension.
func bytesOf(values ...uint8) ndarray.Array { return ndarray.From(values, []int{len(values)}) }

// line is the spec of an array of bytes with one dimension.
func line(length, chunk int) ArraySpec {
	return ArraySpec{Type: dtype.Uint8, Shape: []int{length}, Chunks: []int{chunk}, Codecs: codecs.Specs("bytes")}
}

// storedKeys returns the sorted keys of the objects of a Writer's store.
func storedKeys(t *testing.T, w *Writer) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(objectsOf(t, w)))
}

func noError(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// counter counts the operations of a store.
type counter struct {
	mu  sync.Mutex
	ops map[string]int
}

func (c *counter) fault(op, _ string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ops == nil {
		c.ops = map[string]int{}
	}
	c.ops[op]++
	return nil
}

// since returns the number of operations since the last call.
func (c *counter) since(ops ...string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, op := range ops {
		n += c.ops[op]
	}
	c.ops = nil
	return n
}

// TestBoundOfMemory: what waits may fill half of the memory exactly. An object is stored
// with its last element, before anything else is written.
func TestBoundOfMemory(t *testing.T) {
	for _, test := range []struct {
		memory, chunk int
		waits         int64
	}{{32, 16, 16}, {31, 16, 0}, {1, 2, 0}, {2, 1 << 10, 0}} {
		w := testWriter(t, Options{Memory: test.memory}, nil)
		a := must[*Array](t)(w.CreateArray(t.Context(), "a", line(2*test.chunk, test.chunk)))
		noError(t, a.WriteRegion(t.Context(), bytesOf(1), []int{0}))
		if n := w.waiting.Load(); n != test.waits {
			t.Errorf("%d bytes of memory: %d bytes wait, want %d", test.memory, n, test.waits)
		}
	}
	texts := must[*Array](t)(testWriter(t, Options{}, nil).CreateArray(t.Context(), "a", ArraySpec{Type: dtype.StringType, Shape: []int{8}, Chunks: []int{4}}))
	src := ndarray.New(dtype.StringType, []int{1})
	noError(t, src.SetItems(func() ([]byte, error) { return make([]byte, 1000), nil }), texts.WriteRegion(t.Context(), src, []int{0}))
	if n := texts.writer.waiting.Load(); n < 1000 || n > 2000 {
		t.Errorf("a text of 1000 bytes: %d bytes wait", n)
	}
	if w := testWriter(t, Options{}, nil); w.options.Memory != 256<<20 {
		t.Errorf("the default is %d bytes of memory", w.options.Memory)
	}
	w := testWriter(t, Options{Memory: 1000}, nil)
	if w.pool.Keep != 500 {
		t.Errorf("the pool keeps %d bytes of 1000", w.pool.Keep)
	}
	a := must[*Array](t)(w.CreateArray(t.Context(), "a", line(8, 4)))
	noError(t, a.WriteRegion(t.Context(), bytesOf(1, 2), []int{0}), a.WriteRegion(t.Context(), bytesOf(3, 4), []int{2}))
	if keys := storedKeys(t, w); !slices.Equal(keys, []string{"a/c/0"}) || w.waiting.Load() != 0 {
		t.Errorf("the first chunk is complete: there are %q, %d bytes wait", keys, w.waiting.Load())
	}
}

// TestAtOnceDefault: objects of a remote place are written at least 16 at a time, those of
// a folder as many as there are processors.
func TestAtOnceDefault(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for url, want := range map[string]int{"mem://bucket": 16, t.TempDir(): 3} {
		w := must[*Writer](t)(Create(t.Context(), url, Options{}))
		if w.atOnce != want || runtime.GOMAXPROCS(0) != 3 {
			t.Errorf("%s: %d at once, want %d; %d processors", url, w.atOnce, want, runtime.GOMAXPROCS(0))
		}
		noError(t, w.Close())
	}
}

// TestAtOnce: no call has more requests under way than the Writer allows.
func TestAtOnce(t *testing.T) {
	ctx := t.Context()
	array := func(w *Writer) *Array { return must[*Array](t)(w.Array(ctx, "a0")) }
	for name, test := range map[string]struct {
		op   string
		call func(w *Writer) error
	}{
		"write":     {"put", func(w *Writer) error { return array(w).WriteRegion(ctx, bytesOf(1, 2, 3, 4), []int{0}) }},
		"copy":      {"put", func(w *Writer) error { return array(w).WriteFrom(ctx, memoryRegions{values: bytesOf(1, 2, 3, 4)}) }},
		"documents": {"put", func(w *Writer) error { return w.Commit(ctx) }},
		"changes": {"read", func(w *Writer) error {
			again := must[*Writer](t)(existingWriter(ctx, w.store, Options{}))
			again.atOnce = 1
			for i := range 3 {
				must[[]int](t)(must[*Array](t)(again.Array(ctx, fmt.Sprint("a", i))).Append(ctx, bytesOf(9), ""))
			}
			return again.Commit(ctx)
		}},
		"folders": {"read", func(w *Writer) error {
			again := must[*Writer](t)(existingWriter(ctx, w.store, Options{}))
			again.atOnce = 1
			_, err := again.Arrays(ctx)
			return err
		}},
	} {
		var watched atomic.Bool
		var under atomic.Int64
		second := make(chan struct{}, 100)
		w := testWriter(t, Options{Unconsolidated: true}, func(op, _ string) error {
			if !watched.Load() || op != test.op {
				return nil
			}
			if under.Add(1) > 1 {
				second <- struct{}{}
			}
			<-time.After(time.Millisecond) // time in which a second request must not begin
			under.Add(-1)
			return nil
		})
		for i := range 3 {
			must[*Array](t)(w.CreateArray(ctx, fmt.Sprint("a", i), line(4, 1)))
		}
		noError(t, w.Commit(ctx))
		w.atOnce = 1
		watched.Store(true)
		noError(t, test.call(w))
		if len(second) > 0 {
			t.Errorf("%s: several requests at the same time", name)
		}
	}
}

// TestObjectInUse: while a goroutine waits for an object, the object is the same one for
// all, and each call leaves it unlocked, and in the queue only if it has cells.
func TestObjectInUse(t *testing.T) {
	w := testWriter(t, Options{}, nil)
	a := must[*Array](t)(w.CreateArray(t.Context(), "a", line(4, 4)))
	o := a.hold([]int{0})
	for range 2 {
		noError(t, a.WriteRegion(t.Context(), bytesOf(1, 2), []int{0}))
		if n := w.waitQueue.objects.Len(); n != 1 || o.queued == nil || !o.waits {
			t.Errorf("half of the object is written: %d objects wait", n)
		}
		noError(t, a.WriteRegion(t.Context(), bytesOf(3, 4), []int{2}))
		if n := w.waitQueue.objects.Len(); n != 0 || o.queued != nil || o.waits {
			t.Errorf("the object is complete: %d objects wait", n)
		}
		noError(t, a.WriteFrom(t.Context(), memoryRegions{values: bytesOf(5, 6, 7, 8)}))
		if !o.mu.TryLock() {
			t.Fatal("WriteFrom leaves the object locked")
		}
		o.mu.Unlock()
	}
	if a.release(o); len(a.objects) != 0 {
		t.Errorf("%d objects are kept", len(a.objects))
	}
	noError(t, a.WriteRegion(t.Context(), bytesOf(1), []int{0}))
	if len(a.objects) != 1 {
		t.Errorf("%d objects are kept, one of them waits", len(a.objects))
	}
	if noError(t, w.Commit(t.Context())); len(a.objects) != 0 {
		t.Errorf("after Commit %d objects are kept", len(a.objects))
	}
}

// TestMemoryComesBack: all memory is given back, also that of padded chunks, of shards with
// the index in front, and of values that cannot be encoded.
func TestMemoryComesBack(t *testing.T) {
	ctx := t.Context()
	inFront := line(5, 4)
	inFront.Codecs = []codecs.Spec{{Name: "sharding_indexed", Configuration: []byte(`{"chunk_shape":[2],"codecs":["bytes"],"index_location":"start"}`)}}
	for name, spec := range map[string]ArraySpec{"chunks": line(5, 4), "shards": inFront} {
		w := testWriter(t, Options{}, nil)
		a := must[*Array](t)(w.CreateArray(ctx, "a", spec))
		for _, values := range []ndarray.Array{bytesOf(1, 2, 3, 4, 5), bytesOf(1, 2, 3, 4, 0), bytesOf(0, 0, 0, 0, 0)} {
			noError(t, a.WriteRegion(ctx, values, []int{0}))
			if w.pool.Lent() != 0 {
				t.Errorf("%s: %d buffers are lent after %v", name, w.pool.Lent(), values.Data)
			}
		}
		fails := memoryRegions{bytesOf(1, 2, 3, 4, 5), func(start []int) bool { return start[0] >= 2 }}
		if err := a.WriteFrom(ctx, fails); !errors.Is(err, errFault) || w.pool.Lent() != 0 {
			t.Errorf("%s: %v, and %d buffers are lent", name, err, w.pool.Lent())
		}
	}
	spec := ArraySpec{Type: dtype.Float32, Shape: []int{3}, Chunks: []int{2}, Codecs: codecs.Specs("cast_value:data_type=int8", "bytes")}
	w := testWriter(t, Options{}, nil)
	a := must[*Array](t)(w.CreateArray(ctx, "a", spec))
	values := ndarray.From([]float32{1, 2, 1000}, []int{3})
	if err := a.WriteRegion(ctx, values, []int{0}); err == nil || !strings.Contains(err.Error(), `array "a", chunk [1]`) || w.pool.Lent() != 0 {
		t.Errorf("a value that cannot be encoded: %v, and %d buffers are lent", err, w.pool.Lent())
	}
}

// TestStreamOfShardFails: a shard of which a part cannot be stored is an error, and is not
// taken for one that holds only the fill value.
func TestStreamOfShardFails(t *testing.T) {
	const half = 1 << 20 // more than a part of the store
	values := ndarray.New(dtype.Uint8, []int{2 * half})
	ndarray.Fill(values, dtype.Scalar{1})
	spec := line(2*half, half)
	spec.Shards = []int{2 * half}
	for _, failing := range []string{"open", "write", "close"} {
		w := testWriter(t, Options{}, func(op, _ string) error {
			if op == failing {
				return errFault
			}
			return nil
		})
		a := must[*Array](t)(w.CreateArray(t.Context(), "a", spec))
		if err := a.WriteRegion(t.Context(), values, []int{0}); !errors.Is(err, errFault) || len(storedKeys(t, w)) > 0 {
			t.Errorf("%s fails: %v, there are %q", failing, err, storedKeys(t, w))
		}
	}
	// The caller gives up while the first inner chunk is read, or before there is memory.
	w := testWriter(t, Options{}, nil)
	a := must[*Array](t)(w.CreateArray(t.Context(), "a", spec))
	whole := a.grid().Region([]int{0})
	for _, early := range []bool{false, true} {
		ctx, stop := context.WithCancel(t.Context())
		if early {
			stop()
			noError(t, w.flight.Acquire(t.Context(), int64(w.half())))
		}
		from := memoryRegions{values, func([]int) bool { stop(); return false }}
		if err := a.copyObject(ctx, from, []int{0}, whole); !errors.Is(err, context.Canceled) {
			t.Errorf("given up, early %v: %v", early, err)
		}
		if err := a.WriteFrom(ctx, from); !errors.Is(err, context.Canceled) {
			t.Errorf("given up before: %v", err)
		}
		if err := a.writeObject(ctx, []int{0}, values, []int{0}); early && !errors.Is(err, context.Canceled) {
			t.Errorf("given up before there is memory: %v", err)
		}
	}
}

// TestShardIsGivenUp: of a shard that cannot be finished nothing stays. An error of giving
// it up is told, too.
func TestShardIsGivenUp(t *testing.T) {
	const half = 1 << 20 // more than a part of the store
	errAbort := errors.New("cannot be given up")
	for _, broken := range []bool{false, true} {
		var aborts atomic.Int64
		w := testWriter(t, Options{}, func(op, _ string) error {
			if op != "abort" {
				return nil
			}
			if aborts.Add(1); broken {
				return errAbort
			}
			return nil
		})
		spec := line(2*half, half)
		spec.Shards = []int{2 * half}
		a := must[*Array](t)(w.CreateArray(t.Context(), "a", spec))
		values := ndarray.New(dtype.Uint8, []int{2 * half})
		ndarray.Fill(values, dtype.Scalar{1})
		err := a.WriteFrom(t.Context(), memoryRegions{values, func(start []int) bool { return start[0] > 0 }})
		if !errors.Is(err, errFault) || errors.Is(err, errAbort) != broken || aborts.Load() != 1 || len(storedKeys(t, w)) > 0 {
			t.Errorf("broken %v: %v, given up %d times, there are %q", broken, err, aborts.Load(), storedKeys(t, w))
		}
	}
}

// TestArrayGrowsUnderWriteFrom: WriteFrom does not leave out elements that are appended
// meanwhile.
func TestArrayGrowsUnderWriteFrom(t *testing.T) {
	w := testWriter(t, Options{}, nil)
	w.atOnce = 1
	a := must[*Array](t)(w.CreateArray(t.Context(), "a", line(5, 4)))
	err := a.WriteFrom(t.Context(), memoryRegions{bytesOf(1, 2, 3, 4, 5), func(start []int) bool {
		if start[0] == 0 {
			must[[]int](t)(a.Append(t.Context(), bytesOf(6), ""))
		}
		return false
	}})
	if err == nil || !strings.Contains(err.Error(), `array "a", chunk [1]: the array became longer`) {
		t.Errorf("got %v", err)
	}
}

// syncs counts the calls of Sync.
type syncs struct {
	*store.Store
	n   int
	err error
}

func (s *syncs) Sync(context.Context) error {
	s.n++
	return s.err
}

// TestSyncs: a stored object is made visible before it is read, once, and when very many
// objects are hidden.
func TestSyncs(t *testing.T) {
	ctx := t.Context()
	w := testWriter(t, Options{}, nil)
	s := &syncs{Store: w.store}
	w.hierarchy = New(s)
	hide := func() { // as many objects as may be hidden, but for one
		w.unsynced.keys = map[string]struct{}{}
		for i := range mostUnsynced - 1 {
			w.unsynced.keys[strconv.Itoa(i)] = struct{}{}
		}
	}
	check := func(what string, want int, errs ...error) {
		t.Helper()
		if noError(t, errs...); s.n != want {
			t.Errorf("%s: %d times made visible, want %d", what, s.n, want)
		}
		s.n = 0
	}
	hide()
	check("few are hidden", 0, w.show(ctx, "x"), w.stored(ctx, "0"))
	check("many are hidden", 1, w.stored(ctx, "last"))
	check("none is hidden", 0, w.show(ctx, "last"), w.stored(ctx, "y"), w.show(ctx, "x"))
	check("one is hidden", 1, w.show(ctx, "y"), w.show(ctx, "y"))
	a := must[*Array](t)(w.CreateArray(ctx, "a", line(4, 4)))
	noError(t, a.WriteRegion(ctx, bytesOf(1, 2, 3, 4), []int{0}))
	s.err = errFault
	if err := a.WriteRegion(ctx, bytesOf(5), []int{0}); !errors.Is(err, errFault) {
		t.Errorf("an object that cannot be made visible is read: %v", err)
	}
	hide()
	if err := a.WriteRegion(ctx, bytesOf(1, 2, 3, 4), []int{0}); !errors.Is(err, errFault) {
		t.Errorf("many objects cannot be made visible: %v", err)
	}
	if err := w.Commit(ctx); !errors.Is(err, errFault) || slices.Contains(storedKeys(t, w), "a/zarr.json") {
		t.Errorf("objects cannot be made visible: %v, there are %q", err, storedKeys(t, w))
	}
}

// TestOpenedOnce: an array that is open is not read again, and a Commit without changes
// writes nothing.
func TestOpenedOnce(t *testing.T) {
	ctx := t.Context()
	var ops counter
	made := testWriter(t, Options{}, ops.fault)
	must[*Array](t)(made.CreateArray(ctx, "g/a", line(4, 4)))
	noError(t, made.Commit(ctx))
	w := reopened(t, made)
	a := must[*Array](t)(w.Array(ctx, "g/a"))
	ops.since()
	if again := must[*Array](t)(w.Array(ctx, "g/a")); again != a || ops.since("read") != 0 {
		t.Error("the array is opened again")
	}
	noError(t, w.Commit(ctx))
	if n := ops.since("put"); n != 0 {
		t.Errorf("a Commit without changes writes %d documents", n)
	}
	if noError(t, w.SetAttributes(ctx, "g/a", zarr.Attributes{}.With("n", []byte("1")))); ops.since("read") != 0 {
		t.Error("the array is opened again")
	}
	noError(t, w.Commit(ctx))
	if text := objectsOf(t, w)["g/a/zarr.json"]; !strings.Contains(text, `"n": 1`) {
		t.Errorf("one attribute has changed: %s", text)
	}
	noError(t, w.SetAttributes(ctx, "g", zarr.Attributes{}.With("n", []byte("1"))), w.CreateGroup(ctx, "k", nil), w.Commit(ctx))
	ops.since()
	if noError(t, w.Commit(ctx)); ops.since("put") != 0 {
		t.Error("what is committed is committed again")
	}
	// An array that is not open gets an attribute, which belongs to the caller.
	w = reopened(t, w)
	text := []byte("2")
	changes := zarr.Attributes{{Name: "n", Value: text}}
	noError(t, w.SetAttributes(ctx, "g/a", changes))
	if &changes[0].Value[0] != &text[0] {
		t.Error("the caller's attributes have changed")
	}
	text[0] = '3'
	noError(t, w.Commit(ctx))
	if text := objectsOf(t, w)["g/a/zarr.json"]; !strings.Contains(text, `"n": 2`) {
		t.Errorf("one attribute has changed: %s", text)
	}
}

// TestRootAttributes: the attributes of Create are those of the root.
func TestRootAttributes(t *testing.T) {
	w := testWriter(t, Options{Attributes: zarr.Attributes{}.With("title", []byte(`"t"`))}, nil)
	if err := w.CreateGroup(t.Context(), "", nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the root again: %v", err)
	}
	noError(t, w.Commit(t.Context()))
	if text := objectsOf(t, w)["zarr.json"]; !strings.Contains(text, `"title": "t"`) {
		t.Error(text)
	}
}

// TestWasThere: an object that begins where the array ended was not there.
func TestWasThere(t *testing.T) {
	made := testWriter(t, Options{}, nil)
	must[*Array](t)(made.CreateArray(t.Context(), "a", line(8, 4)))
	noError(t, made.Commit(t.Context()))
	a := must[*Array](t)(reopened(t, made).Array(t.Context(), "a"))
	for index, want := range map[int]bool{0: true, 1: true, 2: false} {
		if got := a.wasThere(&object{index: []int{index}}); got != want {
			t.Errorf("object %d was there: %v", index, got)
		}
	}
}

// TestOldShards writes to parts of shards that other programs have stored: one without
// inner chunks, and damaged ones.
func TestOldShards(t *testing.T) {
	ctx := t.Context()
	spec := line(4, 2)
	spec.Shards = []int{4}
	made := testWriter(t, Options{}, nil)
	a := must[*Array](t)(made.CreateArray(ctx, "a", spec))
	noError(t, made.Commit(ctx))
	none := must[[]byte](t)(a.shards.AppendIndex(nil, []codecs.Place{codecs.Absent, codecs.Absent}))
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"no inner chunk": {none, nil}, "a part of an index": {none[1:], codecs.ErrCorrupt}, "no data": {[]byte{}, codecs.ErrCorrupt},
		"a damaged index": {append([]byte{none[0] ^ 1}, none[1:]...), codecs.ErrCorrupt},
	} {
		noError(t, made.store.Put(ctx, "a/c/0", test.data))
		w := reopened(t, made)
		a := must[*Array](t)(w.Array(ctx, "a"))
		err := a.WriteRegion(ctx, bytesOf(7), []int{1})
		if err == nil {
			err = w.Commit(ctx)
		}
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// TestBitsetsOfOne: each number is in a set of its own, and no other one.
func TestBitsetsOfOne(t *testing.T) {
	for n := range 200 {
		var b bitset
		b.put(n, true)
		if got := slices.Collect(b.all()); !slices.Equal(got, []int{n}) || b.has(n+1) || n > 0 && b.has(n-1) {
			t.Errorf("%d: the set holds %v", n, got)
		}
	}
}

// TestTakeOff: the memory to encode a cell is twice the cell, what its codecs take and,
// in a shard, what the writer of the stored object takes.
func TestTakeOff(t *testing.T) {
	const most = 1 << 30
	w := testWriter(t, Options{Memory: 2 * most}, nil)
	plain, sharded := line(4000, 1000), line(4000, 1000)
	sharded.Shards = []int{2000}
	for name, spec := range map[string]ArraySpec{"chunks": plain, "shards": sharded} {
		a := must[*Array](t)(w.CreateArray(t.Context(), name, spec))
		want := int64(2000 + a.cell.Memory())
		if name == "shards" {
			want += int64(store.WriterBytes(w.store.URL(), 1, a.chain.Size().Max))
		}
		done, err := a.reserve(t.Context())
		noError(t, err)
		if !w.flight.TryAcquire(most-want) || w.flight.TryAcquire(1) {
			t.Errorf("%s: not %d bytes are taken", name, want)
		}
		w.flight.Release(most - want)
		done()
		if !w.flight.TryAcquire(most) {
			t.Errorf("%s: the memory does not come back", name)
		}
		w.flight.Release(most)
	}
}

// TestRefusals: calls refuse what they cannot do, and take what is only unusual.
func TestRefusals(t *testing.T) {
	ctx := t.Context()
	w := testWriter(t, Options{}, nil)
	noError(t, w.CreateGroup(ctx, "empty", nil))
	create := func(w *Writer, path string, spec ArraySpec) error {
		_, err := w.CreateArray(ctx, path, spec)
		return err
	}
	grow := func(src ndarray.Array, dimension string, spec ArraySpec) error {
		a := must[*Array](t)(testWriter(t, Options{}, nil).CreateArray(ctx, "a", spec))
		_, err := a.Append(ctx, src, dimension)
		return err
	}
	named := line(4, 4)
	named.Shape, named.Chunks, named.DimensionNames = []int{2, 2, 2}, []int{1, 1, 1}, []string{"x", "y", "x"}
	a := must[*Array](t)(w.CreateArray(ctx, "a", line(4, 4)))
	narrow := ArraySpec{Type: dtype.Uint8, Shape: []int{4, 4}, Shards: []int{1, 4}}
	put := func(key, text string) *store.Store {
		st := theirs(t)
		noError(t, st.Put(ctx, key, []byte(text)))
		return st
	}
	array := objectsOf(t, must[*Writer](t)(existingWriter(ctx, theirs(t), Options{})))["g/v/zarr.json"]
	unknown := must[*Writer](t)(existingWriter(ctx, put("g/v/zarr.json", strings.Replace(array, `"bytes"`, `"nonesuch"`, 1)), Options{}))
	_, unknownCodec := unknown.Array(ctx, "g/v")
	const group = `{"zarr_format":3,"node_type":"group","attributes":`
	_, noGroup := existingWriter(ctx, put("zarr.json", `{}`), Options{})
	attributes := must[*Writer](t)(existingWriter(ctx, put("zarr.json", group+`5}`), Options{}))
	_, noArrays := attributes.Arrays(ctx)
	changed := must[*Writer](t)(existingWriter(ctx, theirs(t), Options{}))
	noError(t, changed.SetAttributes(ctx, "g", zarr.Attributes{}.With("n", []byte("1"))), changed.store.Delete(ctx, "g/zarr.json"))
	damaged := must[*Writer](t)(existingWriter(ctx, put("zarr.json", group+`{},"consolidated_metadata":5}`), Options{}))
	must[[]int](t)(must[*Array](t)(damaged.Array(ctx, "g/v")).Append(ctx, ndarray.From([]int16{1}, []int{1}), ""))
	_, zip := Open(ctx, filepath.Join(t.TempDir(), "a.zip"), Options{})
	_, url := Open(ctx, "s3://bucket/a?no=such", Options{})
	_, none := w.Array(ctx, "none")
	record, _, err := dtype.Standard().ParseV2([]byte(`[["a","<i4",[2]]]`), "")
	noError(t, err)
	broken := must[*Writer](t)(existingWriter(ctx, theirs(t), Options{}))
	twice := zarr.Attributes{{Name: "n", Value: []byte("1")}, {Name: "n", Value: []byte("2")}}
	_, root := newWriter(ctx, broken.store, Options{Attributes: twice})
	_, odd := broken.CreateArray(ctx, "odd", ArraySpec{Type: dtype.Uint8, Shape: []int{1}, Attributes: zarr.Attributes{{Name: "n"}}})
	closed := testWriter(t, Options{}, nil)
	last := must[*Array](t)(closed.CreateArray(ctx, "a", ArraySpec{Type: dtype.Uint8, Shape: []int{1}}))
	noError(t, closed.Close())
	_, appended := last.Append(ctx, ndarray.From([]uint8{1}, []int{1}), "")
	_, created := closed.CreateArray(ctx, "b", ArraySpec{Type: dtype.Uint8, Shape: []int{1}})
	most := ndarray.Array{Type: dtype.Uint8, Shape: []int{math.MaxInt}}
	for _, test := range []struct {
		err  error
		is   error
		want string
	}{
		{create(w, "", line(1, 1)), nil, `array "": the `},
		{create(testGroups(t), "", line(1, 1)), nil, `array "": the group "empty" lies there`},
		{create(w, "record", ArraySpec{Type: record, Shape: []int{1}}), nil, `array "record": field "a": unknown data type: Zarr v3 has none for a field of`},
		{none, fs.ErrNotExist, `array "none" of mem://bucket/a.zarr`},
		{broken.CreateGroup(ctx, "k", zarr.Attributes{}.With("n", []byte("{"))), nil, `group "k": the value of the attribute "n" is not JSON`},
		{root, nil, `two attributes have the name "n"`},
		{odd, nil, `array "odd": the value of the attribute "n" is not JSON`},
		{last.WriteRegion(ctx, ndarray.From([]uint8{1}, []int{1}), []int{0}), fs.ErrClosed, "the Writer is closed"},
		{last.WriteFrom(ctx, nil), fs.ErrClosed, "the Writer is closed"},
		{appended, fs.ErrClosed, "the Writer is closed"},
		{created, fs.ErrClosed, "the Writer is closed"},
		{closed.CreateGroup(ctx, "g", nil), fs.ErrClosed, "the Writer is closed"},
		{closed.Commit(ctx), fs.ErrClosed, "the Writer is closed"},
		{grow(bytesOf(1), "", ArraySpec{Type: dtype.Uint8, Shape: []int{}}), nil, "it has no dimensions"},
		{grow(bytesOf(1), "z", named), nil, `there is no dimension "z", the dimensions are ["x" "y" "x"]`},
		{grow(bytesOf(1), "x", named), nil, `several dimensions have the name "x"`},
		{grow(bytesOf(1), "1", line(4, 4)), nil, `there is no dimension "1": the dimensions have no names, their numbers are 0 to 0`},
		{grow(bytesOf(1), "-1", line(4, 4)), nil, `there is no dimension "-1"`},
		{grow(most, "", line(4, 4)), nil, "an array of shape"},
		{a.WriteRegion(ctx, ndarray.Array{Type: dtype.Uint8, Shape: []int{-1}}, []int{0}), nil, "is not within the array"},
		{a.WriteRegion(ctx, bytesOf(1, 2), []int{3}), nil, "is not within the array"},
		{a.WriteFrom(ctx, nil), nil, "there is no array to write it from"},
		{unknownCodec, nil, `array "g/v": codecs: `},
		{noGroup, zarr.ErrNotZarr, "mem://bucket/a.zarr: "},
		{noArrays, nil, "mem://bucket/a.zarr: "},
		{changed.Commit(ctx), ErrChanged, `group "g": `},
		{damaged.Commit(ctx), nil, `group "": `},
		{zip, nil, "zip"},
		{url, nil, "no"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) || test.is != nil && !errors.Is(test.err, test.is) {
			t.Errorf("error %v, want %q, which wraps %v", test.err, test.want, test.is)
		}
	}
	noError(t,
		a.WriteRegion(ctx, bytesOf(), []int{4}), a.WriteRegion(ctx, bytesOf(9), []int{3}), create(w, "narrow", narrow),
		grow(ndarray.New(dtype.Uint8, []int{2, 3, 2}), "y", named), create(testWriter(t, Options{}, nil), "", line(1, 1)),
	)
}

// TestPlacesOfNewHierarchies: a place that cannot be listed, and a path that the place
// cannot hold, are refused.
func TestPlacesOfNewHierarchies(t *testing.T) {
	st := must[*store.Store](t)(store.Open(t.Context(), "mem://bucket", store.Options{Retries: -1, Fault: func(string, string) error { return errFault }}))
	if _, err := newWriter(t.Context(), st, Options{}); !errors.Is(err, errFault) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"ACCOUNT", "KEY", "SAS_TOKEN", "CONNECTION_STRING"} {
		t.Setenv("AZURE_STORAGE_"+name, "")
	}
	azure := must[*store.Store](t)(store.Open(t.Context(), "azblob://container/a.zarr?storage_account=nobody&anonymous=true", store.Options{Retries: -1, Limits: limits.New(0)}))
	w := must[*Writer](t)(makeWriter(azure, Options{}))
	if err := w.CreateGroup(t.Context(), "group.", nil); !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "which Azure drops") {
		t.Errorf("got %v", err)
	}
	noError(t, w.CreateGroup(t.Context(), "group", nil), w.Close())
}

// testGroups returns a Writer that has the group "empty" and no array.
func testGroups(t *testing.T) *Writer {
	t.Helper()
	w := testWriter(t, Options{}, nil)
	noError(t, w.CreateGroup(t.Context(), "empty", nil))
	return w
}
