package stages

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// patience is how long a test waits for what should happen at once. Only a run that hangs takes so
// long: a busy machine may be a hundred times as slow as usual.
const patience = 5 * time.Minute

// memorySource serves an array from memory.
type memorySource struct {
	info  sources.Info
	array ndarray.Array
	// before, if set, is called before each read.
	before func(ctx context.Context, start []int) error
}

func (s *memorySource) Info() *sources.Info { return &s.info }

func (s *memorySource) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(&s.info, dst, start); err != nil {
		return err
	}
	if s.before != nil {
		if err := s.before(ctx, start); err != nil {
			return err
		}
	}
	ndarray.Copy(dst, s.array.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

// memoryWriter keeps objects by their keys.
type memoryWriter struct {
	// before and after, if set, are called around each Put.
	before func(ctx context.Context, index []int) error
	after  func(index []int)
	// piece, if set, is called before each write to a stream, with the bytes
	// written so far.
	piece func(index []int, written int) error

	open    atomic.Int64 // streams that have begun and not ended
	mu      sync.Mutex
	objects map[string][]byte
	puts    map[string]int
}

func (w *memoryWriter) Put(ctx context.Context, index []int, data []byte) (sinks.Receipt, error) {
	if w.before != nil {
		if err := w.before(ctx, index); err != nil {
			return sinks.Receipt{}, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.objects == nil {
		w.objects, w.puts = map[string][]byte{}, map[string]int{}
	}
	key := zarr.KeyEncoding{}.Key(index)
	w.objects[key] = bytes.Clone(data)
	w.puts[key]++
	if w.after != nil {
		w.after(index)
	}
	return sinks.Receipt{Key: key, Bytes: int64(len(data)), Sum: crc32.ChecksumIEEE(data)}, nil
}

// stream begins an object, which Close puts.
func (w *memoryWriter) stream(ctx context.Context, index []int) (Stream, error) {
	w.open.Add(1)
	return &memoryStream{writer: w, ctx: ctx, index: index}, nil
}

type memoryStream struct {
	writer *memoryWriter
	ctx    context.Context //nolint:containedctx // the run's, as a real stream has it
	index  []int
	data   []byte
	ended  bool
}

func (s *memoryStream) Write(p []byte) (int, error) {
	if s.writer.piece != nil {
		if err := s.writer.piece(s.index, len(s.data)); err != nil {
			return 0, err
		}
	}
	s.data = append(s.data, p...)
	return len(p), nil
}

func (s *memoryStream) Close() (sinks.Receipt, error) {
	receipt, err := s.writer.Put(s.ctx, s.index, s.data)
	if err == nil {
		s.ended = true
		s.writer.open.Add(-1)
	}
	return receipt, err
}

func (s *memoryStream) Abort() error {
	if !s.ended {
		s.ended = true
		s.writer.open.Add(-1)
	}
	return nil
}

func (w *memoryWriter) keys() []string { return slices.Sorted(maps.Keys(w.objects)) }

// ledger gathers what Run commits and reports it when commits overlap.
type ledger struct {
	// during, if set, is called within each commit.
	during func(n int) error

	mu       sync.Mutex
	busy     bool
	overlap  bool
	sizes    []int // receipts in each commit
	receipts []sinks.Receipt
}

func (l *ledger) commit(ctx context.Context, receipts []sinks.Receipt) error {
	if err := ctx.Err(); err != nil {
		return err // no commit succeeds any more
	}
	l.mu.Lock()
	l.overlap = l.overlap || l.busy
	l.busy = true
	n := len(l.sizes)
	l.sizes = append(l.sizes, len(receipts))
	l.mu.Unlock()
	var err error
	if l.during != nil {
		err = l.during(n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = false
	if err == nil {
		l.receipts = append(l.receipts, receipts...)
	}
	return err
}

// units returns the committed units of a task, sorted. A unit that was committed twice
// is in the list twice.
func (l *ledger) units(task int) []int {
	var units []int
	for _, r := range l.receipts {
		if r.Array == task {
			units = append(units, r.Unit)
		}
	}
	slices.Sort(units)
	return units
}

// counted is an array of uint16 elements 1, 2, 3, … in C order.
func counted(shape ...int) *memorySource {
	a := ndarray.New(dtype.Uint16, shape)
	for i := range a.Len() {
		binary.NativeEndian.PutUint16(a.Data[2*i:], uint16(i+1))
	}
	return &memorySource{info: sources.Info{Path: "a", Type: dtype.Uint16, Shape: shape}, array: a}
}

// bind binds a chain to chunks of uint16 elements with the fill value 0xfefe.
func bind(t testing.TB, chunk []int, names ...string) *codecs.Chain {
	t.Helper()
	return bindIn(t, standard.Registry(dtype.Standard()), chunk, names...)
}

var fillValue = dtype.Scalar{0xfe, 0xfe}

func bindIn(t testing.TB, registry *codecs.Registry, chunk []int, names ...string) *codecs.Chain {
	t.Helper()
	var specs []codecs.Spec
	for _, name := range names {
		spec := codecs.Spec{Name: name}
		if name == "transpose" {
			order := make([]int, len(chunk))
			for i := range order {
				order[i] = len(order) - 1 - i
			}
			spec.Configuration = fmt.Appendf(nil, `{"order":[%s]}`, join(order))
		}
		specs = append(specs, spec)
	}
	chain, err := registry.Bind(specs, codecs.Chunk{Type: dtype.Uint16, Shape: chunk, Fill: fillValue})
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func join(numbers []int) string {
	var b []byte
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Append(b, n)
	}
	return string(b)
}

// task is an uncompressed task over a source; its writer is a memoryWriter.
func task(t testing.TB, s *memorySource, chunk ...int) (Task, *memoryWriter) {
	t.Helper()
	w := &memoryWriter{}
	return Task{
		Path: s.info.Path, Source: s, Writer: w, Stream: w.stream, Chain: bind(t, chunk, "bytes"),
		Grid: zarr.Grid{Shape: s.info.Shape, Chunk: chunk},
	}, w
}

// config runs with room for everything and commits to the ledger.
func config(l *ledger) Config {
	return Config{Memory: 64 << 20, Read: 4, Encode: 4, Write: 4, Commit: l.commit, Every: time.Hour}
}

// chunkOf returns the elements of the source in a chunk, padded with the fill value. It
// copies one element at a time, so that it shares no code with the package.
func chunkOf(s *memorySource, grid zarr.Grid, index []int) []byte {
	n, _ := ndarray.Elements(grid.Chunk)
	inner := zarr.Grid{Shape: grid.Chunk, Chunk: ones(len(grid.Chunk))}
	var out []byte
	for k := range n {
		at, element, inside := inner.Index(k), 0, true
		for i := range at {
			x := index[i]*grid.Chunk[i] + at[i]
			inside = inside && x < grid.Shape[i]
			element = element*grid.Shape[i] + x
		}
		if inside {
			out = append(out, s.array.Data[2*element:2*element+2]...)
		} else {
			out = append(out, fillValue...)
		}
	}
	return out
}

// little returns native uint16 elements as the bytes codec stores them.
func little(native []byte) []byte {
	out := make([]byte, len(native))
	for i := 0; i < len(native); i += 2 {
		binary.LittleEndian.PutUint16(out[i:], binary.NativeEndian.Uint16(native[i:]))
	}
	return out
}

// noLeaks fails the test if it ends with more goroutines than it began with. Goroutines
// that are about to end get the time that a busy machine takes.
func noLeaks(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		deadline := time.After(patience)
		for runtime.NumGoroutine() > before {
			select {
			case <-deadline:
				stacks := make([]byte, 1<<20)
				t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
				return
			default:
				runtime.Gosched()
			}
		}
	})
}

// failing is an array → bytes codec that cannot encode the chunk whose first element is
// poison.
type failing struct {
	codecs.ArrayToBytes
	poison uint16
}

var errEncode = errors.New("cannot be encoded")

func (f failing) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	d, err := standard.Registry(dtype.Standard()).Lookup("bytes")
	if err != nil {
		return nil, err
	}
	c, err := d.Parse(nil)
	if err != nil {
		return nil, err
	}
	b, err := c.(codecs.ArrayToBytesCodec).BindArrayToBytes(in)
	return failing{b, f.poison}, err
}

func (f failing) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	if binary.NativeEndian.Uint16(src.Data[src.Offset:]) == f.poison {
		return nil, errEncode
	}
	return f.ArrayToBytes.AppendEncode(dst, src)
}

// registryWith returns a registry whose codec "failing" fails at one chunk.
func registryWith(t testing.TB, poison uint16) *codecs.Registry {
	t.Helper()
	r := standard.Registry(dtype.Standard())
	err := r.Register(codecs.Definition{
		Name: "failing", Kind: codecs.KindArrayToBytes, Summary: "fails at one chunk",
		Parse: func(json.RawMessage) (codecs.Codec, error) { return failing{poison: poison}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
