package stages

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/zarr"
)

// storedSource is a source of stored objects, by key, without elements.
type storedSource struct {
	memorySource
	chain   *codecs.Chain
	objects map[string][]byte
	inRAM   bool // objects are read when they are opened
	// before, if set, is called before each read, with its length.
	before func(index []int, n int) error
	open   func() error // if set, is called before each object is opened
	sum    *uint32      // the CRC-32 that the store has recorded of each object, or nil
}

func (s *storedSource) OpenStored(_ context.Context, index []int) (codecs.Input, error) {
	if s.open != nil {
		if err := s.open(); err != nil {
			return nil, err
		}
	}
	data, ok := s.objects[zarr.KeyEncoding{}.Key(index)]
	switch {
	case !ok:
		return nil, nil
	case s.inRAM:
		return codecs.InMemory(data), nil
	}
	return storedInput{codecs.InMemory(data), s, index}, nil
}

func (s *storedSource) VerifyStored(ctx context.Context, _ []int, in codecs.Input) error {
	return s.chain.Verify(ctx, in)
}

type storedInput struct {
	codecs.InMemory
	source *storedSource
	index  []int
}

// Sum implements [codecs.Summed].
func (in storedInput) Sum() (*crc32.Table, uint32) {
	if in.source.sum == nil {
		return nil, 0
	}
	return crc32.IEEETable, *in.source.sum
}

func (in storedInput) ReadAt(ctx context.Context, p []byte, off int64) error {
	if in.source.before != nil {
		if err := in.source.before(in.index, len(p)); err != nil {
			return err
		}
	}
	return in.InMemory.ReadAt(ctx, p, off)
}

// crcWriter is a memoryWriter whose receipts have the checksum of the object.
type crcWriter struct{ *memoryWriter }

func checksum(data []byte) uint32 {
	var c sinks.Checksum
	c.Add(data)
	return c.Sum()
}

func (w crcWriter) Put(ctx context.Context, index []int, data []byte) (sinks.Receipt, error) {
	r, err := w.memoryWriter.Put(ctx, index, data)
	r.Sum = checksum(data)
	return r, err
}

func (w crcWriter) stream(_ context.Context, index []int) (Stream, error) {
	w.open.Add(1)
	return &crcStream{memoryStream{writer: w.memoryWriter, ctx: context.Background(), index: index}}, nil
}

type crcStream struct{ memoryStream }

func (s *crcStream) Close() (sinks.Receipt, error) {
	r, err := s.memoryStream.Close()
	r.Sum = checksum(s.data)
	return r, err
}

// stored makes the objects of a counted array by a chain, and a task that
// carries them through.
func stored(t testing.TB, shape, chunk []int, chain *codecs.Chain) (*storedSource, Task, crcWriter) {
	t.Helper()
	s := &storedSource{memorySource: *counted(shape...), chain: chain, objects: map[string][]byte{}}
	made, w := task(t, &s.memorySource, chunk...)
	made.Chain = chain
	var l ledger
	if err := Run(t.Context(), config(&l), List{made}); err != nil {
		t.Fatal(err)
	}
	s.objects = w.objects
	out := crcWriter{&memoryWriter{}}
	carried := made
	carried.Source, carried.Stored, carried.Writer, carried.Stream = s, s, out, out.stream
	return s, carried, out
}

// shards binds a chain of shards with an index in front or at the end.
func shards(t testing.TB, shard, inner []int, location string) *codecs.Chain {
	t.Helper()
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{{
		Name:          "sharding_indexed",
		Configuration: fmt.Appendf(nil, `{"chunk_shape":[%s],"codecs":["bytes","crc32c"],"index_location":%q}`, join(inner), location),
	}}, codecs.Chunk{Type: dtype.Uint16, Shape: shard, Fill: fillValue})
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func TestCarriedObjectsStayAsTheyAre(t *testing.T) {
	for name, chain := range map[string]*codecs.Chain{
		"fixed":           bind(t, []int{4, 5}, "bytes"),
		"checksum":        bind(t, []int{4, 5}, "bytes", "zstd", "crc32c"),
		"bounded":         bind(t, []int{4, 5}, "transpose", "bytes", "gzip"),
		"shards":          shards(t, []int{4, 5}, []int{2, 5}, "end"),
		"index in front":  shards(t, []int{4, 5}, []int{2, 5}, "start"),
		"unlike an array": bind(t, []int{4, 5}, "bytes", "zstd"),
	} {
		for _, inRAM := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", name, inRAM), func(t *testing.T) {
				noLeaks(t)
				s, x, w := stored(t, []int{18, 12}, []int{4, 5}, chain)
				s.inRAM = inRAM
				delete(s.objects, zarr.KeyEncoding{}.Key([]int{1, 2}))
				if name == "unlike an array" {
					for key := range s.objects {
						// A frame with one block, which is never decoded.
						s.objects[key] = []byte("\x28\xb5\x2f\xfd\x20\x28\x1d\x00\x00any")
					}
				}
				done := x.Grid.Number([]int{3, 1})
				x.Done = func(unit int) bool { return unit == done }
				var l ledger
				var seen atomic.Int64
				c := config(&l)
				c.Observe = func(e Event) { seen.Add(e.Read) }
				if err := Run(t.Context(), c, List{x}); err != nil {
					t.Fatal(err)
				}
				want := s.objects
				delete(want, zarr.KeyEncoding{}.Key([]int{3, 1}))
				if diff := cmp.Diff(want, w.objects); diff != "" {
					t.Errorf("objects (-source +target):\n%s", diff)
				}
				empty := 0
				for _, r := range l.receipts {
					data := want[keyOf(x, r.Unit)]
					if r.Empty != (data == nil) || r.Bytes != int64(len(data)) || !r.Empty && r.Sum != checksum(data) {
						t.Errorf("receipt %+v of %d bytes", r, len(data))
					}
					if r.Empty {
						empty++
					}
				}
				if empty != 1 || len(l.receipts) != x.Grid.Len()-1 {
					t.Errorf("%d receipts, %d of them empty", len(l.receipts), empty)
				}
				if got, all := seen.Load(), int64(2*18*12-2*4*5); got != all {
					t.Errorf("observed %d bytes of elements, want %d", got, all)
				}
			})
		}
	}
}

// Damage that can be seen without decoding is found, and the object is not written.
func TestDamageOfCarriedObjects(t *testing.T) {
	cut := func(data []byte) []byte { return data[:len(data)-1] }
	flip := func(at int) func(data []byte) []byte {
		return func(data []byte) []byte {
			data = bytes.Clone(data)
			data[(at+len(data))%len(data)] ^= 0x10
			return data
		}
	}
	for name, test := range map[string]struct {
		chain  *codecs.Chain
		damage func(data []byte) []byte
		cause  error
	}{
		"cut short":             {bind(t, []int{4, 5}, "bytes"), cut, codecs.ErrCorrupt},
		"empty":                 {bind(t, []int{4, 5}, "bytes", "zstd"), func([]byte) []byte { return nil }, codecs.ErrCorrupt},
		"too long":              {bind(t, []int{4, 5}, "bytes", "zstd"), func([]byte) []byte { return make([]byte, 1<<20) }, codecs.ErrTooLarge},
		"checksum":              {bind(t, []int{4, 5}, "bytes", "zstd", "crc32c"), flip(3), codecs.ErrCorrupt},
		"header":                {bind(t, []int{4, 5}, "bytes", "blosc"), cut, codecs.ErrCorrupt},
		"index":                 {shards(t, []int{4, 5}, []int{2, 5}, "end"), flip(-9), codecs.ErrCorrupt},
		"index in front":        {shards(t, []int{4, 5}, []int{2, 5}, "start"), flip(3), codecs.ErrCorrupt},
		"shard of less":         {shards(t, []int{4, 5}, []int{2, 5}, "start"), cut, codecs.ErrCorrupt},
		"inner chunk":           {shards(t, []int{4, 5}, []int{2, 5}, "end"), flip(3), codecs.ErrCorrupt},
		"half of a frame":       {bind(t, []int{4, 5}, "bytes", "zstd"), cut, codecs.ErrCorrupt},
		"CRC-32 of the content": {bind(t, []int{4, 5}, "bytes", "gzip"), flip(-6), codecs.ErrCorrupt},
		"checksum inside":       {bind(t, []int{4, 5}, "bytes", "crc32c", "zstd"), flip(-1), codecs.ErrCorrupt},
		"no room for the index": {shards(t, []int{4, 5}, []int{2, 5}, "end"), func(data []byte) []byte { return data[:7] }, codecs.ErrCorrupt},
	} {
		for _, inRAM := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", name, inRAM), func(t *testing.T) {
				noLeaks(t)
				s, x, w := stored(t, []int{8, 10}, []int{4, 5}, test.chain)
				s.inRAM = inRAM
				key := zarr.KeyEncoding{}.Key([]int{1, 0})
				s.objects[key] = test.damage(s.objects[key])
				var l ledger
				err := Run(t.Context(), config(&l), List{x})
				if !errors.Is(err, test.cause) || !strings.HasPrefix(fmt.Sprint(err), `array "a", chunk [1 0]: read: `) {
					t.Errorf("error %v, want %v", err, test.cause)
				}
				if w.puts[key] != 0 {
					t.Error("the object was written")
				}
			})
		}
	}
}

// TestSumOfThePlace compares an object with the checksum that its store has recorded: an
// object in memory, and one that is copied in pieces.
func TestSumOfThePlace(t *testing.T) {
	for name, piece := range map[string]int{"in memory": 0, "in pieces": 7} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			s, x, _ := stored(t, []int{4, 5}, []int{4, 5}, bind(t, []int{4, 5}, "bytes"))
			x.Piece = piece
			key := zarr.KeyEncoding{}.Key([]int{0, 0})
			sum := crc32.ChecksumIEEE(s.objects[key])
			s.sum = &sum
			for _, damaged := range []bool{false, true} {
				if damaged {
					s.objects[key] = bytes.Clone(s.objects[key])
					s.objects[key][11] ^= 1
				}
				w := crcWriter{&memoryWriter{}}
				x.Writer, x.Stream = w, w.stream
				var l ledger
				err := Run(t.Context(), config(&l), List{x})
				if errors.Is(err, codecs.ErrCorrupt) != damaged || (len(w.objects) == 0) != damaged || w.open.Load() != 0 {
					t.Errorf("damaged is %v: %d objects were written, %v", damaged, len(w.objects), err)
				}
			}
		})
	}
}

// Objects larger than a piece are copied piece by piece, within the budget.
func TestLargeObjectsAreStreamed(t *testing.T) {
	noLeaks(t)
	const side = 3072 // a shard of 18 MiB
	s, x, w := stored(t, []int{side, 2 * side}, []int{side, side}, shards(t, []int{side, side}, []int{768, side}, "end"))
	var mu sync.Mutex
	longest, reads := 0, 0
	s.before = func(_ []int, n int) error {
		mu.Lock()
		defer mu.Unlock()
		longest, reads = max(longest, n), reads+1
		return nil
	}
	x.StreamBytes = 1 << 20
	var l ledger
	var told, whole atomic.Int64
	c := config(&l)
	c.Memory = x.Cost()
	if most := carriedPiece + codecs.VerifyPiece + 1<<20; c.Memory > most {
		t.Errorf("the cost of a streamed object is %d, want at most %d", c.Memory, most)
	}
	c.Observe = func(e Event) {
		if told.Add(e.Read); !e.Partial {
			whole.Add(1)
		}
	}
	if err := Run(t.Context(), c, List{x}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.objects, w.objects, cmp.Comparer(bytes.Equal)); diff != "" {
		t.Error("the objects are not what they were")
	}
	// An index, inner chunks of two pieces and a sum, and pieces of the whole.
	if longest != carriedPiece || reads > 2*(1+4*3+3) {
		t.Errorf("%d reads of up to %d bytes", reads, longest)
	}
	if told.Load() != 4*side*side || whole.Load() != 2 {
		t.Errorf("observed %d bytes of elements in %d objects", told.Load(), whole.Load())
	}
	if n := w.open.Load(); n != 0 {
		t.Errorf("%d streams are open", n)
	}
}

// Objects of elements of variable size are not in memory whole either, although their
// checksum is that of all bytes.
func TestLargeObjectsAreVerifiedInPieces(t *testing.T) {
	const size = 30 << 20
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{{Name: "vlen-utf8"}, {Name: "crc32c"}},
		codecs.Chunk{Type: dtype.StringType, Shape: []int{4}, Fill: dtype.Scalar{}})
	if err != nil {
		t.Fatal(err)
	}
	object := binary.LittleEndian.AppendUint32(nil, 4) // elements
	for range 4 {
		object = binary.LittleEndian.AppendUint32(object, size/4)
		object = append(object, bytes.Repeat([]byte("x"), size/4)...)
	}
	object = binary.LittleEndian.AppendUint32(object, crc32.Checksum(object, crc32.MakeTable(crc32.Castagnoli)))
	for name, damage := range map[string]int{"sound": -1, "damaged": size / 2, "damaged sum": len(object) - 1} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			data := bytes.Clone(object)
			if damage >= 0 {
				data[damage] ^= 4
			}
			s := &storedSource{memorySource: *counted(8), chain: chain, objects: map[string][]byte{"c/1": data}}
			var longest, read atomic.Int64
			s.before = func(_ []int, n int) error {
				longest.Store(max(longest.Load(), int64(n)))
				read.Add(int64(n))
				return nil
			}
			w := crcWriter{&memoryWriter{}}
			x := Task{Path: "a", Source: s, Stored: s, Grid: zarr.Grid{Shape: []int{8}, Chunk: []int{4}}, Chain: chain, Writer: w, Stream: w.stream, StreamBytes: 1 << 20}
			if want := carriedPiece + codecs.VerifyPiece; x.Cost() != want {
				t.Errorf("the cost is %d, want %d", x.Cost(), want)
			}
			var l ledger
			c := config(&l)
			c.Memory = x.Cost()
			err := Run(t.Context(), c, List{x})
			// The bytes are read three times: for the checksum, for the lengths, and to copy.
			if longest.Load() > carriedPiece || read.Load() > 3*int64(len(object)) {
				t.Errorf("%d bytes were read, up to %d at once", read.Load(), longest.Load())
			}
			if damage >= 0 {
				if !errors.Is(err, codecs.ErrCorrupt) || len(w.objects) != 0 {
					t.Errorf("%d objects were written, %v", len(w.objects), err)
				}
				return
			}
			if err != nil || !bytes.Equal(w.objects["c/1"], data) {
				t.Errorf("the object is not what it was: %v", err)
			}
		})
	}
}

// A run fails at any read or write of an object, and the next run goes on. The objects
// are the same, and each has one receipt.
func TestInterruptedCarrying(t *testing.T) {
	const side = 2304 // a shard of 10 MiB
	s, x, _ := stored(t, []int{2 * side, side}, []int{side, side}, shards(t, []int{side, side}, []int{side, 768}, "start"))
	for _, fault := range []string{"open", "read", "read whole", "write", "put"} {
		interrupted := true
		for n := 0; interrupted; n++ {
			t.Run(fmt.Sprintf("%s/%d", fault, n), func(t *testing.T) {
				noLeaks(t)
				s, x, w := *s, x, crcWriter{&memoryWriter{}}
				if fault == "read whole" {
					x.Piece = 16 << 20
				}
				x.Source, x.Stored, x.Writer, x.Stream = &s, &s, w, w.stream
				var left atomic.Int64
				left.Store(int64(n))
				fail := func() error {
					if left.Add(-1) == -1 {
						return errTest
					}
					return nil
				}
				switch fault {
				case "open":
					s.open = fail
				case "read", "read whole":
					s.before = func([]int, int) error { return fail() }
				case "write":
					w.piece = func([]int, int) error { return fail() }
				case "put":
					w.before = func(context.Context, []int) error { return fail() }
				}
				var l ledger
				err := Run(t.Context(), config(&l), List{x})
				interrupted = left.Load() < 0
				if interrupted && !errors.Is(err, errTest) || !interrupted && err != nil || n < 2 && !interrupted {
					t.Fatalf("error %v, was it interrupted: %v", err, interrupted)
				}
				left.Store(-1)
				committed := l.units(0)
				x.Done = func(unit int) bool { return slices.Contains(committed, unit) }
				if err := Run(t.Context(), config(&l), List{x}); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]int{0, 1}, l.units(0)); diff != "" {
					t.Errorf("committed units (-want +got):\n%s", diff)
				}
				if !cmp.Equal(s.objects, w.objects, cmp.Comparer(bytes.Equal)) || w.open.Load() != 0 {
					t.Errorf("the objects are not what they were, or %d streams are open", w.open.Load())
				}
			})
		}
	}
}

// The bytes that were written are compared with the bytes that were read.
func TestCarriedBytesThatChangeOnTheWay(t *testing.T) {
	_, x, w := stored(t, []int{4, 5}, []int{4, 5}, bind(t, []int{4, 5}, "bytes"))
	x.Writer = w.memoryWriter // its sums are of another kind
	var l ledger
	if err := Run(t.Context(), config(&l), List{x}); err == nil || !strings.Contains(err.Error(), "those read had") {
		t.Errorf("error %v", err)
	}
	if len(l.receipts) != 0 {
		t.Errorf("%d receipts", len(l.receipts))
	}
}

// An object in memory is read once: the bytes that are verified are the ones written.
func TestCarriedObjectsAreReadOnce(t *testing.T) {
	s, x, w := stored(t, []int{8, 10}, []int{4, 5}, bind(t, []int{4, 5}, "bytes", "crc32c"))
	var reads atomic.Int64
	s.before = func([]int, int) error {
		reads.Add(1)
		return nil
	}
	var l ledger
	if err := Run(t.Context(), config(&l), List{x}); err != nil || reads.Load() != 4 || len(w.objects) != 4 {
		t.Errorf("%d objects, %d reads, error %v", len(w.objects), reads.Load(), err)
	}
}

// TestDamagedAndGone: an object that came damaged over a network, and that cannot be
// opened once more, ends the run with the reason.
func TestDamagedAndGone(t *testing.T) {
	noLeaks(t)
	s, x, w := stored(t, []int{4, 5}, []int{4, 5}, bind(t, []int{4, 5}, "bytes", "crc32c"))
	opened := 0
	s.open = func() error {
		if opened++; opened == 2 {
			return errTest
		}
		return nil
	}
	s.before = func([]int, int) error { return codecs.ErrCorrupt }
	var l ledger
	c := config(&l)
	c.Far = true
	if err := Run(t.Context(), c, List{x}); !errors.Is(err, errTest) || len(w.objects) != 0 {
		t.Errorf("%d objects, error %v", len(w.objects), err)
	}
}

// TestDigestsOfCarriedObjects: an object that is carried through is decoded for the digest of
// its values within the array.
func TestDigestsOfCarriedObjects(t *testing.T) {
	for name, chain := range map[string]*codecs.Chain{
		"chunks": bind(t, []int{4, 5}, "bytes", "zstd"), "shards": shards(t, []int{4, 5}, []int{2, 5}, "end"),
	} {
		s, x, _ := stored(t, []int{6, 7}, []int{4, 5}, chain)
		x.Digest, x.Decode = true, codecs.NewBoxes(chain)
		var l ledger
		if err := Run(t.Context(), config(&l), List{x}); err != nil {
			t.Fatal(err)
		}
		for _, r := range l.receipts {
			at := x.Grid.Region(x.Grid.Index(r.Unit))
			if want := digest.Of(s.array.Sub(at), at.Start); !r.Digest.Known || r.Digest.Sum != want {
				t.Errorf("%s: unit %d has the digest %+v, want %x", name, r.Unit, r.Digest, want)
			}
		}
		if len(l.receipts) != 4 {
			t.Errorf("%s: %d receipts", name, len(l.receipts))
		}
	}
}
