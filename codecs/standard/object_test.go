package standard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// read is a range of an object that was read.
type read struct{ Off, Len int }

// sparse is an Input of any size. All its bytes are zero, except for some parts. It
// records what is read. It is safe for concurrent use.
type sparse struct {
	size  int64
	parts map[int64][]byte // by offset; a read lies within one part or meets none

	mu    sync.Mutex
	reads []read
}

func (s *sparse) Size() int64 { return s.size }

func (s *sparse) ReadAt(_ context.Context, p []byte, off int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if off < 0 || off+int64(len(p)) > s.size {
		return fmt.Errorf("%d bytes at %d of %d", len(p), off, s.size)
	}
	s.reads = append(s.reads, read{int(off), len(p)})
	clear(p)
	for at, data := range s.parts {
		if off >= at && off < at+int64(len(data)) {
			copy(p, data[off-at:])
		}
	}
	return nil
}

// taken returns the reads since the last call.
func (s *sparse) taken() []read {
	s.mu.Lock()
	defer s.mu.Unlock()
	reads := s.reads
	s.reads = nil
	return reads
}

func shards(t *testing.T, typ dtype.Type, shape []int, configuration string) (*codecs.Chain, *codecs.Shards) {
	t.Helper()
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("sharding_indexed", configuration)}, codecs.Chunk{Type: typ, Shape: shape, Fill: typ.Default()})
	if err != nil {
		t.Fatal(err)
	}
	layout, ok := chain.Shards()
	if !ok {
		t.Fatal("the chain is not a container alone")
	}
	return chain, layout
}

// TestObjectOfLargeShard reads inner chunks of a shard of 1 GiB. The first inner chunk
// takes reading the index and the inner chunk; each further one takes only itself.
func TestObjectOfLargeShard(t *testing.T) {
	for _, location := range []string{"start", "end"} {
		chain, layout := shards(t, dtype.Uint8, []int{1024, 1024, 1024}, fmt.Sprintf(sharded, "64,64,64", `"bytes","crc32c"`, location))
		var pool ndarray.Pool
		in := &sparse{size: 1 << 30, parts: map[int64][]byte{}}
		places := slices.Repeat([]codecs.Place{codecs.Absent}, 4096)
		for _, i := range []int{0, 100, 4095} {
			one := ndarray.New(dtype.Uint8, []int{64, 64, 64})
			ndarray.Fill(one, dtype.Scalar{byte(i)})
			data, buffer, err := layout.Inner().Encode(&pool, one)
			if err != nil {
				t.Fatal(err)
			}
			at := int64(1<<18)*int64(i)/2 + 100_000
			in.parts[at] = bytes.Clone(data)
			places[i] = codecs.Place{Offset: uint64(at), Length: uint64(len(data))}
			buffer.Release()
		}
		index, err := layout.AppendIndex(nil, places)
		if err != nil {
			t.Fatal(err)
		}
		at := int64(0)
		if location == "end" {
			at = in.size - int64(len(index))
		}
		in.parts[at] = index

		object, err := chain.Open(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]read{{int(at), len(index)}}, in.taken()); diff != "" {
			t.Errorf("opening reads (-want +got):\n%s", diff)
		}
		// Inner chunk 100 has the index (0, 6, 4).
		for i, start := range map[int][]int{0: {0, 0, 0}, 100: {0, 384, 256}, 4095: {960, 960, 960}} {
			got := ndarray.New(dtype.Uint8, []int{64, 64, 64})
			if err := object.DecodeRegion(t.Context(), &pool, got, start); err != nil {
				t.Fatal(err)
			}
			if !ndarray.Uniform(got, dtype.Scalar{byte(i)}) {
				t.Errorf("inner chunk %d differs", i)
			}
			if diff := cmp.Diff([]read{{int(places[i].Offset), int(places[i].Length)}}, in.taken()); diff != "" {
				t.Errorf("inner chunk %d (-want +got):\n%s", i, diff)
			}
		}
		got := ndarray.New(dtype.Uint8, []int{64, 64, 64})
		if err := object.DecodeRegion(t.Context(), &pool, got, []int{512, 0, 0}); err != nil || len(in.taken()) != 0 {
			t.Errorf("an inner chunk that is not stored was read (%v)", err)
		}
		if n, want := chain.Kept(), 16*4096; n != want {
			t.Errorf("%d bytes are kept, want %d, those of the index", n, want)
		}
	}
}

// stored returns an array with different elements, and its encoding.
func stored(t *testing.T, chain *codecs.Chain) (ndarray.Array, *sparse) {
	t.Helper()
	in := chain.Chunk()
	whole := ndarray.New(in.Type, in.Shape)
	for i := range whole.Data {
		whole.Data[i] = byte(i*i>>5) | 1
	}
	data, buffer, err := chain.Encode(&ndarray.Pool{}, whole)
	if err != nil {
		t.Fatal(err)
	}
	defer buffer.Release()
	return whole, &sparse{size: int64(len(data)), parts: map[int64][]byte{0: bytes.Clone(data)}}
}

// TestObjectReadsNeighboursTogether checks that inner chunks beside each other are read
// at once, up to 4 MiB. Of large uncompressed inner chunks, only the necessary rows are
// read.
func TestObjectReadsNeighboursTogether(t *testing.T) {
	const kib = 1 << 10
	for name, test := range map[string]struct {
		shape         []int
		configuration string
		box           ndarray.Region
		most          []int // the most bytes of each read
	}{
		"all of many small ones": {
			[]int{512, 512}, fmt.Sprintf(sharded, "16,16", `"bytes"`, "end"),
			ndarray.Region{Start: []int{0, 0}, Shape: []int{512, 512}}, []int{256 * kib},
		},
		"all of more than is read at once": {
			[]int{4096, 2560}, fmt.Sprintf(sharded, "128,128", `"bytes","crc32c"`, "end"),
			ndarray.Region{Start: []int{0, 0}, Shape: []int{4096, 2560}}, []int{4096 * kib, 4096 * kib, 4096 * kib},
		},
		"a row of inner chunks": {
			[]int{512, 512}, fmt.Sprintf(sharded, "64,64", `"bytes","crc32c"`, "start"),
			ndarray.Region{Start: []int{70, 0}, Shape: []int{3, 512}}, []int{8*4*kib + 64},
		},
		"a column, with little between": {
			[]int{64, 512}, fmt.Sprintf(sharded, "8,128", `"bytes"`, "end"),
			ndarray.Region{Start: []int{0, 0}, Shape: []int{64, 100}}, []int{32 * kib},
		},
		"rows of large ones": {
			[]int{1024, 1024}, fmt.Sprintf(sharded, "512,512", `"bytes"`, "end"),
			ndarray.Region{Start: []int{10, 0}, Shape: []int{20, 1024}}, []int{20 * kib / 2, 20 * kib / 2},
		},
	} {
		chain, _ := shards(t, dtype.Uint8, test.shape, test.configuration)
		whole, in := stored(t, chain)
		object, err := chain.Open(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		in.taken()
		var pool ndarray.Pool
		got := ndarray.New(dtype.Uint8, test.box.Shape)
		if err := object.DecodeRegion(t.Context(), &pool, got, test.box.Start); err != nil {
			t.Fatal(err)
		}
		want := ndarray.New(dtype.Uint8, test.box.Shape)
		ndarray.Copy(want, whole.Sub(test.box))
		if !bytes.Equal(want.Data, got.Data) {
			t.Errorf("%s: the elements differ", name)
		}
		reads := in.taken()
		if len(reads) != len(test.most) {
			t.Errorf("%s: reads %v, want %d", name, reads, len(test.most))
			continue
		}
		for i, r := range reads {
			if r.Len > test.most[i] {
				t.Errorf("%s: read %d is %v, want at most %d bytes", name, i, r, test.most[i])
			}
		}
	}
}

// TestObjectOfNestedShards checks that the index of a shard inside a shard is read
// once.
func TestObjectOfNestedShards(t *testing.T) {
	inner := `{"name":"sharding_indexed","configuration":` + fmt.Sprintf(sharded, "64,64", `"bytes","crc32c"`, "end") + `}`
	chain, _ := shards(t, dtype.Uint8, []int{1024, 512}, fmt.Sprintf(sharded, "512,256", inner, "end"))
	whole, in := stored(t, chain)
	object, err := chain.Open(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.taken()
	var pool ndarray.Pool
	for i, start := range [][]int{{512, 256}, {576, 256}, {512, 320}} {
		got := ndarray.New(dtype.Uint8, []int{64, 64})
		if err := object.DecodeRegion(t.Context(), &pool, got, start); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(collect(whole.Sub(ndarray.Region{Start: start, Shape: got.Shape})), collect(got)); diff != "" {
			t.Error(diff)
		}
		want := 1
		if i == 0 {
			want = 2 // the index, and the inner chunk
		}
		if reads := in.taken(); len(reads) != want {
			t.Errorf("region %d: reads %v, want %d", i, reads, want)
		}
	}
	if chain.Kept() < 16*(4+4*32) {
		t.Errorf("%d bytes are kept, less than the indexes have", chain.Kept())
	}
}

// TestObjectConcurrent checks that several readers can use one object.
func TestObjectConcurrent(t *testing.T) {
	inner := `{"name":"sharding_indexed","configuration":` + fmt.Sprintf(sharded, "16,8", `"bytes","zstd"`, "end") + `}`
	chain, _ := shards(t, dtype.Uint8, []int{64, 64}, fmt.Sprintf(sharded, "32,32", inner, "start"))
	whole, in := stored(t, chain)
	object, err := chain.Open(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var pool ndarray.Pool
	var readers sync.WaitGroup
	for i := range 8 {
		readers.Go(func() {
			for k := range 20 {
				box := ndarray.Region{Start: []int{(7*i + k) % 40, (5*i + 3*k) % 50}, Shape: []int{1 + k, 14}}
				got := ndarray.New(dtype.Uint8, box.Shape)
				if err := object.DecodeRegion(t.Context(), &pool, got, box.Start); err != nil {
					t.Error(err)
				} else if !cmp.Equal(collect(whole.Sub(box)), collect(got)) {
					t.Errorf("box %v differs", box)
				}
			}
		})
	}
	readers.Wait()
	if n := pool.Lent(); n != 0 {
		t.Errorf("%d buffers were not released", n)
	}
}

// TestObjectOfLyingIndex checks that an index that gives an inner chunk too many bytes
// is refused before memory is allocated.
func TestObjectOfLyingIndex(t *testing.T) {
	chain, layout := shards(t, dtype.Uint8, []int{8, 8}, fmt.Sprintf(sharded, "4,4", `"bytes","crc32c"`, "end"))
	index, err := layout.AppendIndex(nil, slices.Repeat([]codecs.Place{{Offset: 0, Length: 1 << 38}}, 4))
	if err != nil {
		t.Fatal(err)
	}
	in := &sparse{size: 1 << 40}
	in.parts = map[int64][]byte{in.size - int64(len(index)): index}
	object, err := chain.Open(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	in.taken()
	err = object.DecodeRegion(t.Context(), &ndarray.Pool{}, ndarray.New(dtype.Uint8, []int{8, 8}), []int{0, 0})
	if !errors.Is(err, codecs.ErrTooLarge) || len(in.taken()) != 0 {
		t.Errorf("%v, want ErrTooLarge before anything is read", err)
	}
}

// costly is an Input with a GapBytes of its own.
type costly struct {
	*sparse
	gap int
}

func (c costly) GapBytes() int { return c.gap }

// TestUncompressedRows checks that bytes between the elements of a box are read, too,
// if requests cost more. A read has at most 4 MiB.
func TestUncompressedRows(t *testing.T) {
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("bytes", "")}, codecs.Chunk{Type: dtype.Uint8, Shape: []int{64, 256, 1024}, Fill: dtype.Uint8.Default()})
	if err != nil {
		t.Fatal(err)
	}
	whole := ndarray.New(dtype.Uint8, []int{64, 256, 1024})
	for i := range whole.Data {
		whole.Data[i] = byte(i * i >> 9)
	}
	for _, test := range []struct {
		gap   int
		box   ndarray.Region
		reads int
	}{
		{0, ndarray.Region{Start: []int{3, 0, 0}, Shape: []int{2, 256, 1024}}, 1},
		{0, ndarray.Region{Start: []int{3, 7, 0}, Shape: []int{2, 5, 1024}}, 2},
		{0, ndarray.Region{Start: []int{3, 7, 9}, Shape: []int{2, 5, 10}}, 10},
		{0, ndarray.Region{Start: []int{3, 7, 9}, Shape: []int{1, 1, 1}}, 1},
		{2000, ndarray.Region{Start: []int{3, 7, 9}, Shape: []int{2, 5, 10}}, 2},
		{1 << 18, ndarray.Region{Start: []int{3, 7, 9}, Shape: []int{2, 5, 10}}, 1},
		{1 << 18, ndarray.Region{Start: []int{0, 0, 100}, Shape: []int{64, 256, 100}}, 4},
		{1 << 18, ndarray.Region{Start: []int{0, 0, 100}, Shape: []int{64, 2, 100}}, 4},
	} {
		in := &sparse{size: int64(len(whole.Data)), parts: map[int64][]byte{0: whole.Data}}
		got, want := ndarray.New(dtype.Uint8, test.box.Shape), ndarray.New(dtype.Uint8, test.box.Shape)
		if err := chain.DecodeRegion(t.Context(), &ndarray.Pool{}, got, test.box.Start, costly{in, test.gap}); err != nil {
			t.Fatal(err)
		}
		ndarray.Copy(want, whole.Sub(test.box))
		if !bytes.Equal(want.Data, got.Data) {
			t.Errorf("%v: the elements differ", test.box)
		}
		reads := in.taken()
		if len(reads) != test.reads {
			t.Errorf("%v, a request costs %d bytes: %d reads, want %d", test.box, test.gap, len(reads), test.reads)
		}
		for _, r := range reads {
			if r.Len > 4<<20 {
				t.Errorf("%v: %d bytes are read at once", test.box, r.Len)
			}
		}
	}
}
