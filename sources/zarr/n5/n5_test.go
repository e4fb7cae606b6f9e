package n5

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// TestChecksum compares checksums with those of python-xxhash 4.1.0.
func TestChecksum(t *testing.T) {
	for n, want := range map[int]uint32{
		0: 0xd3b42d8, 1: 0x697486a, 3: 0xefe9eb3, 4: 0x2156342, 5: 0xb0beff0, 15: 0xd677676, 16: 0xf1836ad, 17: 0xc777f79, 31: 0xea76000, 32: 0x31c3f00, 100: 0xfac6163,
	} {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(i*7 + 1)
		}
		if got := checksum(p); got != want {
			t.Errorf("%d bytes: %07x, want %07x", n, got, want)
		}
	}
}

// javaFrames compresses as lz4-java does, with frames of at most size bytes.
func javaFrames(t testing.TB, p []byte, size int) []byte {
	t.Helper()
	var out []byte
	add := func(method byte, packed []byte, n int, sum uint32) {
		out = append(append(out, frameMagic...), method|6)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(packed)))
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
		out = append(binary.LittleEndian.AppendUint32(out, sum), packed...)
	}
	for part := range slices.Chunk(p, size) {
		packed := make([]byte, lz4.CompressBlockBound(len(part)))
		n, err := lz4.CompressBlock(part, packed, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 || n >= len(part) {
			add(frameStored, part, len(part), checksum(part))
		} else {
			add(frameLZ4, packed[:n], len(part), checksum(part))
		}
	}
	add(frameStored, nil, 0, 0)
	return out
}

// block returns a block in a mode.
func block(mode uint16, shape []uint32, elements int, data []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, mode)
	b = binary.BigEndian.AppendUint16(b, uint16(len(shape)))
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	if mode == varied {
		b = binary.BigEndian.AppendUint32(b, uint32(elements))
	}
	return append(b, data...)
}

// rust is what the crate n5 0.7.6 (MIT or Apache-2.0) makes of the data of TestBlock.
const rust = "\x04\x22\x4d\x18\x74\x40\xbd\x12\x00\x00\x00\x8f\x61\x62\x63\x64\x65\x66\x67\x68\x08\x00\x40\x50\x64\x65\x66\x67\x68\x65\x8a\xd5\xea\x00\x00\x00\x00\x1d\x5a\xea\x85"

// TestBlock reads blocks of all modes, and with LZ4 in all forms.
func TestBlock(t *testing.T) {
	data := bytes.Repeat([]byte("abcdefgh"), 12)
	noise := make([]byte, 96)
	for i := range noise {
		noise[i] = byte(i*i*7 + i)
	}
	packed := make([]byte, 200)
	n, err := lz4.CompressBlock(data, packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	packed = packed[:n]
	shape := []uint32{4, 3}
	for name, c := range map[string]struct {
		block      []byte
		compressed bool
		data       []byte
	}{
		"plain":        {block(plain, shape, 0, data), false, data},
		"varied":       {block(varied, shape, 12, data), false, data},
		"java":         {block(plain, shape, 0, javaFrames(t, data, 64)), true, data},
		"java, varied": {block(varied, shape, 12, javaFrames(t, data, 50)), true, data},
		"java, stored": {block(plain, shape, 0, javaFrames(t, noise, 40)), true, noise},
		"no end":       {block(plain, shape, 0, javaFrames(t, data, 64)[:len(javaFrames(t, data, 64))-frameHeader]), true, data},
		"z5":           {block(plain, shape, 0, packed), true, data},
		"numcodecs":    {block(plain, shape, 0, append([]byte{96, 0, 0, 0}, packed...)), true, data},
		"rust":         {block(plain, shape, 0, []byte(rust)), true, data},
	} {
		got, err := Block(c.block, 2, 8, 12, c.compressed)
		if err != nil || !bytes.Equal(got, block(plain, shape, 0, c.data)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	frames := javaFrames(t, data, 64)
	damaged := bytes.Clone(frames)
	damaged[len(frameMagic)+9] ^= 1
	for name, c := range map[string]struct {
		block      []byte
		compressed bool
		cause      error
	}{
		"no header":    {block(plain, shape, 0, nil)[:11], false, codecs.ErrCorrupt},
		"another rank": {block(plain, []uint32{12}, 0, data), false, codecs.ErrCorrupt},
		"an object":    {block(2, shape, 0, data), false, codecs.ErrCorrupt},
		"too many":     {block(plain, []uint32{4, 4}, 0, data), false, codecs.ErrTooLarge},
		"overflow":     {block(plain, []uint32{1 << 31, 1 << 31}, 0, data), false, codecs.ErrTooLarge},
		"number":       {block(varied, shape, 11, data), false, codecs.ErrCorrupt},
		"no number":    {block(varied, shape, 12, nil)[:13], false, codecs.ErrCorrupt},
		"checksum":     {block(plain, shape, 0, damaged), true, codecs.ErrCorrupt},
		"cut":          {block(plain, shape, 0, frames[:len(frames)-frameHeader-1]), true, codecs.ErrCorrupt},
		"rust, cut":    {block(plain, shape, 0, []byte(rust[:len(rust)-5])), true, codecs.ErrCorrupt},
		"rust, sum":    {block(plain, shape, 0, []byte(rust[:len(rust)-1]+"?")), true, codecs.ErrCorrupt},
		"rust, short":  {block(plain, []uint32{4, 2}, 0, []byte(rust)), true, codecs.ErrCorrupt},
		"rust, long":   {block(plain, []uint32{4, 3}, 0, append([]byte(rust), 0)), true, codecs.ErrCorrupt},
		"short":        {block(plain, shape, 0, javaFrames(t, data[:90], 64)), true, codecs.ErrCorrupt},
		"long":         {block(plain, shape, 0, javaFrames(t, append(data, 1), 64)), true, codecs.ErrCorrupt},
		"not LZ4":      {block(plain, shape, 0, data), true, codecs.ErrCorrupt},
		"empty":        {block(plain, shape, 0, nil), true, codecs.ErrCorrupt},
	} {
		if got, err := Block(c.block, 2, 8, 12, c.compressed); !errors.Is(err, c.cause) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// TestParse reads documents of arrays.
func TestParse(t *testing.T) {
	types := dtype.Standard()
	registry := standard.Registry(types)
	const array = `"dimensions":[5,7,10],"blockSize":[2,3,4],"dataType":"int16"`
	for text, want := range map[string]string{
		`"compression":{"type":"raw"}`: "", `"compressionType":"raw"`: "", `"compression":"gzip"`: "gzip", `"compressionType":"gzip"`: "gzip", `"compression":{"type":"gzip","level":-1}`: "gzip",
		`"compression":{"type":"gzip","useZlib":true}`: "numcodecs.zlib", `"compression":{"type":"bzip2","blockSize":9}`: "numcodecs.bz2", `"compression":{"type":"xz","preset":6}`: "numcodecs.lzma",
		`"compression":{"type":"lz4","blockSize":65536}`: "lz4", `"compression":{"type":"blosc","cname":"blosclz","shuffle":1}`: "blosc", `"compression":{"type":"zstd","level":3}`: "zstd", `"compression":null`: "",
	} {
		a, err := Parse([]byte("{"+array+","+text+`,"unit":"nm"}`), types, registry)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff([][]int{{10, 7, 5}, {4, 3, 2}}, [][]int{a.Grid.Shape, a.Grid.Chunk}); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if len(a.Attributes) != 1 || a.Attributes[0].Name != "unit" {
			t.Errorf("%s: attributes %v", text, a.Attributes)
		}
		var c struct {
			Codecs []codecs.Spec `json:"codecs"`
		}
		if err := json.Unmarshal(a.Codecs[1].Configuration, &c); err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(c.Codecs) == 3 {
			got = c.Codecs[2].Name
		}
		if a.LZ4 {
			got = "lz4"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if _, err := registry.Bind(a.Codecs, codecs.Chunk{Type: a.Type, Shape: a.Grid.Chunk, Fill: a.Fill}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		`{"dimensions":[5],"blockSize":[2,3],"dataType":"int16"}`: "in blocks of", `{"dimensions":[],"blockSize":[],"dataType":"int16"}`: "in blocks of", `{"dimensions":[5],"blockSize":[0],"dataType":"int16"}`: "in blocks of",
		`{"dimensions":[-5],"blockSize":[1],"dataType":"int16"}`: "in blocks of", `{"dimensions":[4294967296,4294967296],"blockSize":[1,1],"dataType":"int8"}`: "too large", `{"dimensions":[5],"blockSize":[2],"dataType":"string"}`: `"string"`,
		`{"dimensions":[5],"blockSize":[2],"dataType":"int16","compression":{"type":"jpeg"}}`: `"jpeg"`, `{"dimensions":[5],"blockSize":[2],"dataType":"int16","compression":[1]}`: "compression", `{"dimensions":"x"}`: "N5", `[`: "N5",
	} {
		if _, err := Parse([]byte(text), types, registry); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestNames takes the names of dimensions from attributes.
func TestNames(t *testing.T) {
	types := dtype.Standard()
	for text, want := range map[string][]string{
		`"axes":["x","y"]`: {"y", "x"}, `"_ARRAY_DIMENSIONS":["y","x"]`: {"y", "x"}, `"axes":["x"]`: nil, `"axes":[{"name":"x"},{"name":"y"}]`: nil,
	} {
		a, err := Parse([]byte(`{"dimensions":[5,7],"blockSize":[2,3],"dataType":"int16",`+text+`}`), types, standard.Registry(types))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, a.DimensionNames); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// TestIs tells documents of N5 from others.
func TestIs(t *testing.T) {
	for text, want := range map[string][2]bool{
		`{"n5":"2.5.1"}`: {true, false}, `{"dimensions":[1],"blockSize":[1],"dataType":"int8"}`: {true, true}, `{"dimensions":[1]}`: {}, `{"a":1}`: {}, `[]`: {}, ``: {},
	} {
		if node, array := Is([]byte(text)); node != want[0] || array != want[1] {
			t.Errorf("%s: %v, %v", text, node, array)
		}
	}
}

// FuzzBlock reads bytes as blocks.
func FuzzBlock(f *testing.F) {
	data := bytes.Repeat([]byte("abcdefgh"), 12)
	for _, b := range [][]byte{block(plain, []uint32{4, 3}, 0, data), block(varied, []uint32{4, 3}, 12, data), block(plain, []uint32{4, 3}, 0, javaFrames(f, data, 64)), block(plain, []uint32{4, 3}, 0, []byte(rust))} {
		f.Add(b, true)
		f.Add(b, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, compressed bool) {
		got, err := Block(bytes.Clone(data), 2, 8, 12, compressed)
		if err == nil && compressed && len(got) > Header(2)+12*8 {
			t.Errorf("%d bytes", len(got))
		}
	})
}

// FuzzParse reads texts as documents. What is read can be bound to its chunks, or is refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"n5":"2.5.1","dimensions":[5,7],"blockSize":[2,3],"dataType":"int16","compression":{"type":"gzip","level":-1},"axes":["x","y"]}`))
	f.Add([]byte(`{"dimensions":[5],"blockSize":[2],"dataType":"float32","compressionType":"bzip2"}`))
	types := dtype.Standard()
	registry := standard.Registry(types)
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := Parse(text, types, registry)
		if err != nil {
			return
		}
		if _, array := Is(text); !array {
			t.Errorf("%s is no array", text)
		}
		_, _ = registry.Bind(a.Codecs, codecs.Chunk{Type: a.Type, Shape: a.Grid.Chunk, Fill: a.Fill})
	})
}
