package standard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// fuzzDecode checks a bytes → bytes decoder. For any input it returns the promised
// number of bytes or one of the two errors. What it returns must survive encoding and
// decoding.
func fuzzDecode(f *testing.F, s codecs.Spec) { fuzzMultiples(f, s, 1) }

// fuzzMultiples is fuzzDecode for a decoder whose output is a multiple of some bytes.
func fuzzMultiples(f *testing.F, s codecs.Spec, multiple int) {
	for _, content := range []string{"", "a", "some content, some content", string(make([]byte, 3000))} {
		content = content[len(content)%multiple:]
		data, err := bound(f, s, codecs.Size{Max: len(content), Fixed: true}).AppendEncode(nil, []byte(content))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint16(len(content)), true)
		f.Add(data[:len(data)/2], uint16(len(content)), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, most uint16, fixed bool) {
		size := codecs.Size{Max: int(most) / multiple * multiple, Fixed: fixed}
		b := bound(t, s, size)
		before := bytes.Clone(data)
		out, err := b.AppendDecode(nil, data)
		if !bytes.Equal(before, data) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge) {
				t.Fatal(err)
			}
			return
		}
		if len(out) > size.Max || fixed && len(out) != size.Max {
			t.Fatalf("%d bytes, promised %+v", len(out), size)
		}
		if len(out)%multiple != 0 {
			return // a conditional codec may leave out the codec that has the fault
		}
		again, err := b.AppendEncode(nil, out)
		if err != nil || len(again) > b.Size().Max {
			t.Fatalf("%d bytes encode to %d, %v", len(out), len(again), err)
		}
		if second, err := b.AppendDecode(nil, again); err != nil || !bytes.Equal(second, out) {
			t.Fatalf("a second round differs: %v", err)
		}
	})
}

func FuzzGzipDecode(f *testing.F)   { fuzzDecode(f, spec("gzip", "")) }
func FuzzZstdDecode(f *testing.F)   { fuzzDecode(f, spec("zstd", "")) }
func FuzzCRC32CDecode(f *testing.F) { fuzzDecode(f, spec("crc32c", "")) }

func FuzzBytesDecode(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint8(2), uint8(2), true)
	f.Add([]byte{}, uint8(0), uint8(1), false)
	f.Add([]byte{1, 2, 3}, uint8(3), uint8(1), false)
	f.Fuzz(func(t *testing.T, data []byte, rows, columns uint8, big bool) {
		configuration := `{"endian":"little"}`
		if big {
			configuration = `{"endian":"big"}`
		}
		in := codecs.Chunk{Type: dtype.Int16, Shape: []int{int(rows), int(columns)}, Fill: dtype.Int16.Default()}
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("bytes", configuration)}, in)
		if err != nil {
			t.Fatal(err)
		}
		var pool ndarray.Pool
		a := ndarray.New(in.Type, in.Shape)
		err = chain.Decode(&pool, a, data)
		if n := 2 * int(rows) * int(columns); (err == nil) != (len(data) == n) || err != nil && !errors.Is(err, codecs.ErrCorrupt) {
			t.Fatalf("%d bytes for %d: %v", len(data), n, err)
		}
		if err != nil {
			return
		}
		out, buffer, err := chain.Encode(&pool, a)
		if err != nil || !bytes.Equal(out, data) {
			t.Fatalf("encoding the decoded elements gives other bytes: %v", err)
		}
		if buffer != nil {
			buffer.Release()
		}
	})
}

// FuzzTransposeConfig checks that a configuration is refused or keeps every element.
func FuzzTransposeConfig(f *testing.F) {
	for _, text := range []string{`{"order":[2,0,1]}`, `{"order":"F"}`, `{"order":"C"}`, `{"order":[]}`, `{"order":[0,0,1]}`, `{"order":null}`, `{}`, `[]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in := codecs.Chunk{Type: dtype.Uint8, Shape: []int{2, 3, 4}, Fill: dtype.Scalar{0}}
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{{Name: "transpose", Configuration: text}, {Name: "bytes"}}, in)
		if err != nil {
			return
		}
		var pool ndarray.Pool
		a, b := ndarray.New(in.Type, in.Shape), ndarray.New(in.Type, in.Shape)
		for i := range a.Data {
			a.Data[i] = byte(i)
		}
		data, buffer, err := chain.Encode(&pool, a)
		if err == nil {
			err = chain.Decode(&pool, b, data)
		}
		if err != nil || !bytes.Equal(a.Data, b.Data) {
			t.Fatalf("%s loses elements: %v", text, err)
		}
		if buffer != nil {
			buffer.Release()
		}
	})
}

// FuzzChainSpec checks that a list of codecs is refused, or that its specs parse to the
// same chain.
func FuzzChainSpec(f *testing.F) {
	for _, text := range []string{
		`["bytes"]`, `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"zstd","configuration":{"level":0,"checksum":false}},"crc32c"]`,
		`[{"name":"transpose","configuration":{"order":[1,0]}},"endian",{"name":"gzip","configuration":{"level":1}}]`,
		`[{"name":"bytes","must_understand":false}]`, `[]`, `[null]`, `["zstd"]`, `[{"name":"gzip","configuration":{"level":1e3}}]`,
	} {
		f.Add([]byte(text))
	}
	registry := standard.Registry(dtype.Standard())
	f.Fuzz(func(t *testing.T, text []byte) {
		var specs []codecs.Spec
		if json.Unmarshal(text, &specs) != nil || len(specs) > 20 {
			return
		}
		chain, err := registry.Bind(specs, codecs.Chunk{Type: dtype.Float32, Shape: []int{3, 4}, Fill: dtype.Float32.Default()})
		if err != nil {
			return
		}
		if err := registry.Check(specs); err != nil {
			t.Fatalf("Bind accepts the chain, Check refuses it: %v", err)
		}
		first, err := json.Marshal(chain.Specs())
		if err != nil {
			t.Fatal(err)
		}
		again, err := registry.Bind(chain.Specs(), chain.Chunk())
		if err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(again.Specs())
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s becomes %s (%v)", first, second, err)
		}
	})
}

func FuzzShardingIndexedDecode(f *testing.F) {
	const start, end = `,"index_location":"start"}`, `}`
	in := codecs.Chunk{Type: dtype.Uint8, Shape: []int{4, 6}, Fill: dtype.Uint8.Default()}
	chain := func(t testing.TB, location string) *codecs.Chain {
		s := spec("sharding_indexed", `{"chunk_shape":[2,3],"codecs":["bytes","zstd"],"index_codecs":["bytes"]`+location)
		c, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{s}, in)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	var pool ndarray.Pool
	for i, location := range []string{start, end} {
		a := ndarray.New(in.Type, in.Shape)
		a.Data[7*i+1] = 1
		data, buffer, err := chain(f, location).Encode(&pool, a)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(data), location == start)
		f.Add(bytes.Clone(data[1:]), location == start)
		buffer.Release()
	}
	f.Fuzz(func(t *testing.T, data []byte, first bool) {
		location := end
		if first {
			location = start
		}
		decodeAgain(t, chain(t, location), data)
	})
}

func FuzzVlenUTF8Decode(f *testing.F) {
	fuzzVlen(f, dtype.StringType)
}

func FuzzVlenBytesDecode(f *testing.F) {
	fuzzVlen(f, dtype.BytesType)
}

func fuzzVlen(f *testing.F, typ dtype.Object) {
	f.Add([]byte("\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00a\x02\x00\x00\x00\xc3\xa9"))
	f.Add([]byte("\x03\x00\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec(typ.V2Filter(), "")}, codecs.Chunk{Type: typ, Shape: []int{3}, Fill: typ.Default()})
		if err != nil {
			t.Fatal(err)
		}
		decodeAgain(t, chain, data)
	})
}

// decodeAgain decodes data. If that succeeds, it encodes and decodes once more.
func decodeAgain(t *testing.T, chain *codecs.Chain, data []byte) {
	t.Helper()
	var pool ndarray.Pool
	in := chain.Chunk()
	first, second := ndarray.New(in.Type, in.Shape), ndarray.New(in.Type, in.Shape)
	if err := chain.Decode(&pool, first, data); err != nil {
		if !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge) {
			t.Fatal(err)
		}
		return
	}
	again, buffer, err := chain.Encode(&pool, first)
	if err == nil {
		err = chain.Decode(&pool, second, again)
	}
	if buffer != nil {
		buffer.Release()
	}
	if err != nil || !slices.EqualFunc(slices.Collect(first.Items()), slices.Collect(second.Items()), bytes.Equal) {
		t.Fatalf("a second round differs: %v", err)
	}
}

func FuzzBloscDecode(f *testing.F) { fuzzDecode(f, spec("blosc", `{"typesize":4}`)) }
func FuzzNumcodecsBloscDecode(f *testing.F) {
	fuzzDecode(f, spec("numcodecs.blosc", `{"cname":"zstd","shuffle":2,"typesize":2}`))
}

func FuzzNumcodecsPcodecDecode(f *testing.F) {
	in := codecs.Chunk{Type: dtype.Int32, Shape: []int{7}, Fill: dtype.Int32.Default()}
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("numcodecs.pcodec", `{"level":3}`)}, in)
	if err != nil {
		f.Fatal(err)
	}
	var pool ndarray.Pool
	a := ndarray.New(in.Type, in.Shape)
	for i := range a.Data {
		a.Data[i] = byte(i * i)
	}
	data, buffer, err := chain.Encode(&pool, a)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Clone(data))
	buffer.Release()
	f.Fuzz(func(t *testing.T, data []byte) { decodeAgain(t, chain, data) })
}
