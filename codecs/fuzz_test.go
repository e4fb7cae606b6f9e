package codecs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// fuzzDecode checks a bytes → bytes decoder: whatever comes in, it ends with
// the promised number of bytes or with one of the two errors, and what it
// accepted survives another round.
func fuzzDecode(f *testing.F, s codecs.Spec) {
	for _, content := range []string{"", "a", "some content, some content", string(make([]byte, 3000))} {
		data, err := bound(f, s, codecs.Size{Max: len(content), Fixed: true}).AppendEncode(nil, []byte(content))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint16(len(content)), true)
		f.Add(data[:len(data)/2], uint16(len(content)), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, most uint16, fixed bool) {
		size := codecs.Size{Max: int(most), Fixed: fixed}
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
		chain, err := codecs.Standard().Bind([]codecs.Spec{spec("bytes", configuration)}, in)
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
			t.Fatalf("encoding gives other bytes: %v", err)
		}
		if buffer != nil {
			buffer.Release()
		}
	})
}

// FuzzTransposeConfig: a configuration is refused or keeps every element.
func FuzzTransposeConfig(f *testing.F) {
	for _, text := range []string{`{"order":[2,0,1]}`, `{"order":"F"}`, `{"order":"C"}`, `{"order":[]}`, `{"order":[0,0,1]}`, `{"order":null}`, `{}`, `[]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in := codecs.Chunk{Type: dtype.Uint8, Shape: []int{2, 3, 4}, Fill: dtype.Scalar{0}}
		chain, err := codecs.Standard().Bind([]codecs.Spec{{Name: "transpose", Configuration: text}, {Name: "bytes"}}, in)
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

// FuzzChainSpec: a list of codecs is refused or is written as it is read.
func FuzzChainSpec(f *testing.F) {
	for _, text := range []string{
		`["bytes"]`, `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"zstd","configuration":{"level":0,"checksum":false}},"crc32c"]`,
		`[{"name":"transpose","configuration":{"order":[1,0]}},"endian",{"name":"gzip","configuration":{"level":1}}]`,
		`[{"name":"bytes","must_understand":false}]`, `[]`, `[null]`, `["zstd"]`, `[{"name":"gzip","configuration":{"level":1e3}}]`,
	} {
		f.Add([]byte(text))
	}
	registry := codecs.Standard()
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
			t.Fatalf("bound, but not sound: %v", err)
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
