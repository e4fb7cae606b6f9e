package standard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// object is an Input that records what is read.
type object struct {
	data  []byte
	reads []ndarray.Region // one-dimensional, in bytes
}

func (o *object) Size() int64 { return int64(len(o.data)) }

func (o *object) ReadAt(_ context.Context, p []byte, off int64) error {
	if off < 0 || off+int64(len(p)) > o.Size() {
		return fmt.Errorf("%d bytes at %d of %d", len(p), off, o.Size())
	}
	o.reads = append(o.reads, ndarray.Region{Start: []int{int(off)}, Shape: []int{len(p)}})
	copy(p, o.data[off:])
	return nil
}

func (o *object) bytesRead() (n int) {
	for _, r := range o.reads {
		n += r.Shape[0]
	}
	return n
}

const sharded = `{"chunk_shape":[%s],"codecs":[%s],"index_codecs":["bytes","crc32c"],"index_location":"%s"}`

// TestDecodeRegion checks that any box of any chain equals that part of the whole
// chunk.
func TestDecodeRegion(t *testing.T) {
	transpose, endian := spec("transpose", `{"order":[2,0,1]}`), spec("bytes", `{"endian":"big"}`)
	for _, specs := range [][]codecs.Spec{
		{spec("bytes", "")},
		{endian},
		{transpose, endian},
		{transpose, spec("transpose", `{"order":[1,0,2]}`), spec("bytes", ""), spec("zstd", "")},
		{endian, spec("crc32c", ""), spec("gzip", "")},
		{spec("sharding_indexed", fmt.Sprintf(sharded, "2,3,4", `"bytes","zstd"`, "end"))},
		{spec("sharding_indexed", fmt.Sprintf(sharded, "1,6,2", `{"name":"transpose","configuration":{"order":[1,2,0]}},"bytes"`, "start"))},
		{transpose, spec("sharding_indexed", fmt.Sprintf(sharded, "8,2,3", `{"name":"sharding_indexed","configuration":`+fmt.Sprintf(sharded, "4,1,3", `"bytes","crc32c"`, "end")+`}`, "end")), spec("gzip", "")},
	} {
		for _, typ := range []dtype.Type{dtype.Int16, dtype.Int4, dtype.StringType} {
			in := codecs.Chunk{Type: typ, Shape: []int{4, 6, 8}, Fill: typ.Default()}
			specs := slices.Clone(specs)
			if typ == dtype.StringType {
				for i := range specs {
					text := bytes.ReplaceAll(specs[i].Configuration, []byte(`"bytes"`), []byte(`"vlen-utf8"`))
					text = bytes.ReplaceAll(text, []byte(`"index_codecs":["vlen-utf8"`), []byte(`"index_codecs":["bytes"`))
					specs[i].Configuration = text
					if specs[i].Name == "bytes" {
						specs[i] = spec("vlen-utf8", "")
					}
				}
			}
			chain, err := standard.Registry(dtype.Standard()).Bind(specs, in)
			if err != nil {
				t.Fatal(err)
			}
			checkRegions(t, chain)
		}
	}
}

func checkRegions(t *testing.T, chain *codecs.Chain) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	in := chain.Chunk()
	whole := ndarray.New(in.Type, in.Shape)
	k := 0
	_ = whole.SetItems(func() ([]byte, error) { // never fails
		k++
		if k > 100 && k < 150 {
			return in.Fill, nil
		}
		return fmt.Appendf(nil, "%c%c", k%8, k/7), nil
	})
	ndarray.ClearUnused(whole)
	var pool ndarray.Pool
	data, buffer, err := chain.Encode(&pool, whole)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		box := ndarray.Region{Start: make([]int, 3), Shape: make([]int, 3)}
		for i, n := range in.Shape {
			box.Start[i] = r.IntN(n)
			box.Shape[i] = r.IntN(n - box.Start[i] + 1)
		}
		got := ndarray.New(in.Type, box.Shape)
		if err := chain.DecodeRegion(t.Context(), &pool, got, box.Start, &object{data: data}); err != nil {
			t.Fatalf("%v, %s, %v: %v", chain.Specs(), in.Type.Name(), box, err)
		}
		if diff := cmp.Diff(collect(whole.Sub(box)), collect(got)); diff != "" {
			t.Fatalf("%v, %s, %v: %s", chain.Specs(), in.Type.Name(), box, diff)
		}
	}
	for cut := range len(data) {
		got := ndarray.New(in.Type, in.Shape)
		err := chain.DecodeRegion(t.Context(), &pool, got, []int{0, 0, 0}, &object{data: data[:cut]})
		if err == nil || !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge) {
			t.Fatalf("%v, %s, cut to %d of %d bytes: %v", chain.Specs(), in.Type.Name(), cut, len(data), err)
		}
	}
	if buffer != nil {
		buffer.Release()
	}
	if n := pool.Lent(); n != 0 {
		t.Errorf("%v: %d buffers were not released", chain.Specs(), n)
	}
}

// TestDecodeFront checks that a box at the front of a chunk needs only the front of a frame, but all
// of a frame with a checksum.
func TestDecodeFront(t *testing.T) {
	in := codecs.Chunk{Type: dtype.Float32, Shape: []int{256, 1024}, Fill: dtype.Float32.Default()}
	whole := ndarray.New(in.Type, in.Shape)
	for i := range whole.Data {
		whole.Data[i] = byte(i * i >> 7)
	}
	for _, specs := range [][]codecs.Spec{
		{spec("bytes", ""), spec("zstd", "")},
		{spec("transpose", `{"order":[1,0]}`), spec("bytes", `{"endian":"big"}`), spec("zstd", "")},
		{spec("bytes", ""), spec("zstd", `{"checksum":true}`)},
	} {
		checked := strings.Contains(string(specs[len(specs)-1].Configuration), "checksum")
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, in)
		if err != nil {
			t.Fatal(err)
		}
		var pool ndarray.Pool
		data, buffer, err := chain.Encode(&pool, whole)
		if err != nil {
			t.Fatal(err)
		}
		defer buffer.Release()
		for _, cut := range []int{0, 1} { // bytes that are missing at the end
			for _, box := range []ndarray.Region{{Start: []int{3, 5}, Shape: []int{90, 500}}, {Start: []int{200, 1000}, Shape: []int{56, 24}}} {
				got := ndarray.New(in.Type, box.Shape)
				err := chain.DecodeRegion(t.Context(), &pool, got, box.Start, codecs.InMemory(data[:len(data)-cut]))
				if cut > 0 && (checked || box.Start[0] == 200) {
					if !errors.Is(err, codecs.ErrCorrupt) {
						t.Errorf("%v: %v of a chunk that is cut: %v", specs, box, err)
					}
				} else if diff := cmp.Diff(collect(whole.Sub(box)), collect(got)); err != nil || diff != "" {
					t.Errorf("%v: %v: %v %s", specs, box, err, diff)
				}
			}
		}
		if pool.Lent() != 1 {
			t.Errorf("%v: %d buffers were not released", specs, pool.Lent()-1)
		}
	}
}

// TestDecodeRegionReadsLittle checks that one inner chunk of a shard takes reading the
// index and that inner chunk, and that a box of an uncompressed chunk takes little more
// than its own bytes.
func TestDecodeRegionReadsLittle(t *testing.T) {
	in := codecs.Chunk{Type: dtype.Float32, Shape: []int{256, 1024}, Fill: dtype.Float32.Default()}
	whole := ndarray.New(in.Type, in.Shape)
	for i := range whole.Data {
		whole.Data[i] = byte(i * i >> 7)
	}
	for _, location := range []string{"start", "end"} {
		for codec, most := range map[string]int{`"bytes"`: 64 * 64 * 4, `"bytes","crc32c"`: 64*64*4 + 4} {
			chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("sharding_indexed", fmt.Sprintf(sharded, "64,64", codec, location))}, in)
			if err != nil {
				t.Fatal(err)
			}
			layout, ok := chain.Shards()
			if !ok {
				t.Fatal("the chain is not a container alone")
			}
			var pool ndarray.Pool
			data, buffer, err := chain.Encode(&pool, whole)
			if err != nil {
				t.Fatal(err)
			}
			o := &object{data: bytes.Clone(data)}
			buffer.Release()
			got := ndarray.New(in.Type, []int{64, 64})
			if err := chain.DecodeRegion(t.Context(), &pool, got, []int{128, 64}, o); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(collect(whole.Sub(ndarray.Region{Start: []int{128, 64}, Shape: []int{64, 64}})), collect(got)); diff != "" {
				t.Error(diff)
			}
			if want := layout.IndexSize() + most; len(o.reads) != 2 || o.bytesRead() != want {
				t.Errorf("%s, index at the %s: %d reads of %d bytes together, want the index and the inner chunk, %d", codec, location, len(o.reads), o.bytesRead(), want)
			}
		}
	}
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("bytes", "")}, in)
	if err != nil {
		t.Fatal(err)
	}
	o := &object{data: whole.Data}
	row := ndarray.New(in.Type, []int{3, 1024})
	if err := chain.DecodeRegion(t.Context(), &ndarray.Pool{}, row, []int{7, 0}, o); err != nil || len(o.reads) != 1 || o.bytesRead() != 3*4096 {
		t.Errorf("three rows: %d reads of %d bytes (%v)", len(o.reads), o.bytesRead(), err)
	}
	if diff := cmp.Diff([]int{1, 1}, chain.Granularity()); diff != "" {
		t.Error(diff)
	}
}

// TestDecodeRegionOfLyingBlosc checks that a Blosc buffer that claims to be larger than
// the chunk is refused before memory is allocated for its blocks.
func TestDecodeRegionOfLyingBlosc(t *testing.T) {
	in := codecs.Chunk{Type: dtype.Uint8, Shape: []int{1024}, Fill: dtype.Uint8.Default()}
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("bytes", ""), spec("blosc", `{"typesize":4}`)}, in)
	if err != nil {
		t.Fatal(err)
	}
	data := slices.Concat([]byte{2, 1, 0x21, 4, 0, 0, 0xe0, 0x7f, 0, 0, 0, 0x2a, 52, 0, 0, 0, 36, 0, 0, 0}, make([]byte, 32))
	var pool ndarray.Pool
	got := ndarray.New(in.Type, []int{4})
	err = chain.DecodeRegion(t.Context(), &pool, got, []int{8}, &object{data: data})
	if !errors.Is(err, codecs.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
	if n := pool.Lent(); n != 0 {
		t.Errorf("%d buffers were not released", n)
	}
}

// TestDamageNamesCodec damages chunks in all ways that change their length, and reads a
// region of each: the error names the codec that finds the damage, as if the whole chunk
// were read.
func TestDamageNamesCodec(t *testing.T) {
	inner := `{"chunk_shape":[32],"codecs":["bytes",{"name":"blosc","configuration":{"typesize":2}}],"index_codecs":["bytes","crc32c"]}`
	for _, specs := range [][]codecs.Spec{
		{spec("bytes", ""), spec("gzip", "")},
		{spec("bytes", ""), spec("zstd", "")},
		{spec("bytes", ""), spec("blosc", `{"typesize":2}`)},
		{spec("bytes", ""), spec("blosc", `{"typesize":2}`), spec("crc32c", "")},
		{spec("bytes", ""), spec("crc32c", "")},
		{spec("bytes", ""), spec("numcodecs.lz4", "")},
		{spec("numcodecs.delta", `{"dtype":"<i2"}`), spec("bytes", ""), spec("blosc", `{"typesize":2}`)},
		{spec("sharding_indexed", inner)},
	} {
		in := codecs.Chunk{Type: dtype.Int16, Shape: []int{64}, Fill: dtype.Int16.Default()}
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, in)
		if err != nil {
			t.Fatal(err)
		}
		var pool ndarray.Pool
		src := ndarray.New(in.Type, in.Shape)
		for i := range src.Data {
			src.Data[i] = byte(i / 4)
		}
		data, err := chain.AppendEncode(&pool, nil, src)
		if err != nil {
			t.Fatal(err)
		}
		name := specs[len(specs)-1].Name
		for n := range len(data) {
			whole := chain.Decode(&pool, ndarray.New(in.Type, in.Shape), data[:n])
			region := chain.DecodeRegion(t.Context(), &pool, ndarray.New(in.Type, []int{8}), []int{8}, &object{data: slices.Clone(data[:n])})
			if whole == nil || region == nil {
				continue
			}
			last := func(err error) (names []string) {
				for e, ok := errors.AsType[*codecs.Error](err); ok; e, ok = errors.AsType[*codecs.Error](e.Err) {
					names = append(names, e.Codec)
				}
				return names
			}
			if x, y := last(whole), last(region); !slices.Equal(x, y) && !slices.Contains(x, "sharding_indexed") || slices.Contains(y, "bytes") {
				t.Fatalf("%s cut to %d bytes: %v as a whole, %v as a region", name, n, whole, region)
			}
		}
	}
}
