package readers_test

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// readerCase is an array that the readers of other programs try: its document, the
// object of its first chunk, and what reading has to give. Its second chunk is not
// stored and holds the fill value.
type readerCase struct {
	label    string // what is tried, such as the name of a codec
	on       string // the data type, or another variant of what is tried
	meta     *zarr.Array
	key      string
	object   []byte
	expected string // all elements, little-endian, in hexadecimal digits
}

// readerCases returns every codec with every data type that it takes, every data type
// with several fill values, and some layouts, names of dimensions and attributes.
func readerCases(t *testing.T) []readerCase {
	registry := standard.Registry(dtype.Standard())
	types := map[string]dtype.Type{}
	var names []string
	for _, f := range registry.Types().Families() {
		if f.WrittenAs == "" {
			names = append(names, f.Example.Name())
			types[f.Example.Name()] = f.Example
		}
	}
	var cases []readerCase
	add := func(label, on string, meta *zarr.Array) bool {
		c, ok := newReaderCase(t, registry, label, on, meta)
		if ok {
			cases = append(cases, c)
		}
		return ok
	}
	square := func() zarr.Grid { return zarr.Grid{Shape: []int{8, 4}, Chunk: []int{4, 4}} }
	plain := []string{"x", "y"}
	for _, d := range registry.Definitions() {
		for _, name := range names {
			if strings.HasPrefix(name, "complex_") && d.Name != "bytes" {
				continue // no reader that can be tried has these types
			}
			spec := codecs.Spec{Name: d.Name, Configuration: d.Example}
			for _, serializer := range []string{"bytes", "vlen-utf8", "vlen-bytes"} {
				chain := []codecs.Spec{spec, {Name: serializer}}
				switch d.Kind {
				case codecs.KindArrayToBytes:
					chain = chain[:1]
				case codecs.KindBytesToBytes:
					slices.Reverse(chain)
				}
				if add(d.Name, name, &zarr.Array{Type: types[name], Grid: square(), Codecs: chain, DimensionNames: plain}) {
					break
				}
			}
		}
	}
	addPairs(registry, func(label, on string, chain []codecs.Spec) {
		rows := 2
		if slices.ContainsFunc(chain, func(s codecs.Spec) bool { return s.Name == "sharding_indexed" }) {
			rows = 4 // of two inner chunks
		}
		_, name, _ := strings.Cut(on, " over ")
		add(label, on, &zarr.Array{Type: types[name], Grid: zarr.Grid{Shape: []int{8, 4}, Chunk: []int{rows, 4}}, Codecs: chain, DimensionNames: plain})
	})
	for _, name := range names {
		for _, fill := range []string{`"NaN"`, `"-Infinity"`, `"0x7fc00001"`, `"0x7e01"`, `["NaN",1]`, `-1`, `9007199254740993`, `true`, `"é"`, `"AQI="`, `"NaT"`, `[1,255]`, `{"x":"NaN","n":1}`} {
			value, err := types[name].ParseScalar(dtype.V3, json.RawMessage(fill))
			if err == nil {
				add("fill_value "+fill, name, &zarr.Array{Type: types[name], Grid: square(), Fill: value, DimensionNames: plain})
			}
		}
	}
	types["raw_bytes of 300"], types["null_terminated_bytes of 300"] = dtype.RawBytes(300), dtype.NullTerminated(300)
	types["struct of one field"] = record(t, dtype.Field{Name: "n", Type: dtype.Int16})
	types["struct of structs"] = record(t, dtype.Field{Name: "s", Type: types["struct of one field"]}, dtype.Field{Name: "n", Type: dtype.Int16})
	types["struct of raw_bytes"] = record(t, dtype.Field{Name: "n", Type: dtype.Int16}, dtype.Field{Name: "raw", Type: dtype.RawBytes(2)})
	type layout struct {
		name, on     string // on: the data type, int16 if ""
		shape, chunk []int
		codecs       string
		names        []string
		attributes   string
	}
	for _, l := range []layout{
		{name: "no dimensions", codecs: `["bytes"]`},
		{name: "one dimension", shape: []int{8}, chunk: []int{4}, codecs: `["bytes"]`, names: []string{"x"}},
		{name: "no elements", shape: []int{0, 4}, chunk: []int{4, 4}, codecs: `["bytes"]`, names: plain},
		{name: "big-endian", codecs: `[{"name":"bytes","configuration":{"endian":"big"}}]`, names: plain},
		{name: "big-endian complex numbers, a chunk beyond the edge", on: "complex64", shape: []int{3, 4}, chunk: []int{4, 4}, codecs: `[{"name":"bytes","configuration":{"endian":"big"}}]`, names: plain},
		{name: "little-endian complex numbers, a chunk beyond the edge", on: "complex64", shape: []int{3, 4}, chunk: []int{4, 4}, codecs: `["bytes"]`, names: plain},
		{name: "a transpose of no dimensions", codecs: `[{"name":"transpose","configuration":{"order":[]}},"bytes"]`},
		{name: "a struct of one field", on: "struct of one field", codecs: `["bytes"]`, names: plain},
		{name: "a struct of structs", on: "struct of structs", codecs: `["bytes"]`, names: plain},
		{name: "a struct of raw_bytes", on: "struct of raw_bytes", codecs: `["bytes"]`, names: plain},
		{name: "zlib of the default level", codecs: `["bytes",{"name":"numcodecs.zlib","configuration":{"level":-1}}]`, names: plain},
		{name: "big-endian astype and cast_value", on: "float32", codecs: `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<f8","decode_dtype":"<f4"}},{"name":"cast_value","configuration":{"data_type":"int16"}},{"name":"bytes","configuration":{"endian":"big"}}]`, names: plain},
		{name: "big-endian cast_value and delta", on: "float32", codecs: `[{"name":"cast_value","configuration":{"data_type":"int16"}},{"name":"numcodecs.delta","configuration":{"dtype":"<i2"}},{"name":"bytes","configuration":{"endian":"big"}}]`, names: plain},
		{name: "big-endian scale_offset and fixedscaleoffset", on: "float32", codecs: `[{"name":"scale_offset","configuration":{"scale":2}},{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":0,"scale":4,"dtype":"<f4","astype":"<i4"}},{"name":"bytes","configuration":{"endian":"big"}}]`, names: plain},
		{name: "big-endian bitround and cast_value", on: "float32", codecs: `[{"name":"numcodecs.bitround","configuration":{"keepbits":8}},{"name":"cast_value","configuration":{"data_type":"int16"}},{"name":"bytes","configuration":{"endian":"big"}}]`, names: plain},
		{name: "big-endian cast_value", on: "float32", codecs: `[{"name":"cast_value","configuration":{"data_type":"int16"}},{"name":"bytes","configuration":{"endian":"big"}}]`, names: plain},
		{name: "little-endian astype and cast_value", on: "float32", codecs: `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<f8","decode_dtype":"<f4"}},{"name":"cast_value","configuration":{"data_type":"int16"}},"bytes"]`, names: plain},
		{name: "index at the start", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes"],"index_location":"start"}}]`, names: plain},
		{name: "compressed shards", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes"]}},"zstd"]`, names: plain},
		{name: "shards in shards", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,2],"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes"]}}]}}]`, names: plain},
		{name: "transposed shards", codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes"]}}]`, names: plain},
		{name: "compressed shards in shards", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,2],"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes"]}},"zstd"]}}]`, names: plain},
		{name: "transposed oblong shards", shape: []int{8, 6}, chunk: []int{4, 6}, codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"sharding_indexed","configuration":{"chunk_shape":[3,4],"codecs":["bytes"]}}]`, names: plain},
		{name: "transposed oblong shards in shards", shape: []int{8, 6}, chunk: []int{4, 6}, codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,6],"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"sharding_indexed","configuration":{"chunk_shape":[3,4],"codecs":["bytes"]}}]}}]`, names: plain},
		{name: "transposed within shards", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},"bytes","zstd"]}}]`, names: plain},
		{name: "blosc of texts", on: "string", codecs: `["vlen-utf8",{"name":"blosc","configuration":{"typesize":1}}]`, names: plain},
		{name: "blosc of strings of bytes", on: "bytes", codecs: `["vlen-bytes",{"name":"blosc","configuration":{"typesize":1}}]`, names: plain},
		{name: "blosc of elements of 300 bytes, as one", on: "raw_bytes of 300", codecs: `["bytes",{"name":"blosc","configuration":{"typesize":1}}]`, names: plain},
		{name: "blosc of elements of 300 bytes", on: "raw_bytes of 300", codecs: `["bytes",{"name":"blosc","configuration":{"typesize":300}}]`, names: plain},
		{name: "blosc of texts of 300 bytes", on: "null_terminated_bytes of 300", codecs: `["bytes",{"name":"blosc","configuration":{"typesize":300}}]`, names: plain},
		{name: "packbits before transpose", on: "bool", codecs: `["numcodecs.packbits",{"name":"transpose","configuration":{"order":[0]}},"bytes"]`, names: plain},
		{name: "cast_value to 8 bytes and a checksum at the start", on: "float32", codecs: `[{"name":"cast_value","configuration":{"data_type":"int64"}},"bytes",{"name":"numcodecs.crc32","configuration":{"location":"start"}}]`, names: plain},
		{name: "cast_value to 4 bytes and a checksum at the start", on: "float32", codecs: `[{"name":"cast_value","configuration":{"data_type":"int32"}},"bytes",{"name":"numcodecs.crc32","configuration":{"location":"start"}}]`, names: plain},
		{name: "cast_value to 8 bytes and checksums, in shards", on: "float32", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,4],"codecs":[{"name":"cast_value","configuration":{"data_type":"int64"}},"bytes","crc32c"]}}]`, names: plain},
		{name: "quantize and cast_value to 8 bytes, index at the start", on: "float32", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,4],"codecs":[{"name":"numcodecs.quantize","configuration":{"digits":2,"dtype":"<f4"}},{"name":"cast_value","configuration":{"data_type":"int64"}},"bytes"],"index_location":"start"}}]`, names: plain},
		{name: "cast_value to 8 bytes, in shards", on: "float32", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,4],"codecs":[{"name":"cast_value","configuration":{"data_type":"int64"}},"bytes"]}}]`, names: plain},
		{name: "cast_value to 8 bytes, compressed, and checksums, in shards", on: "float32", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,4],"codecs":[{"name":"cast_value","configuration":{"data_type":"int64"}},"bytes","zstd","crc32c"]}}]`, names: plain},
		{name: "astype to 8 bytes and a checksum at the start", on: "float32", codecs: `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<f8","decode_dtype":"<f4"}},"bytes",{"name":"numcodecs.crc32","configuration":{"location":"start"}}]`, names: plain},
		{name: "elements of 8 bytes and checksums, in shards", on: "float64", codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,4],"codecs":["bytes","crc32c"]}}]`, names: plain},
		{name: "no names of dimensions", codecs: `["bytes"]`},
		{name: "one of two dimensions named", codecs: `["bytes"]`, names: []string{"x", ""}},
		{name: "both dimensions of one name", codecs: `["bytes"]`, names: []string{"x", "x"}},
		{name: "both dimensions of one name and length", shape: []int{4, 4}, chunk: []int{2, 4}, codecs: `["bytes"]`, names: []string{"x", "x"}},
		{name: "both dimensions of the name null", codecs: `["bytes"]`, names: []string{"", ""}},
		{name: "both dimensions of the name null and of one length", shape: []int{4, 4}, chunk: []int{2, 4}, codecs: `["bytes"]`, names: []string{"", ""}},
		{name: "attribute of a number that JSON lacks", codecs: `["bytes"]`, names: plain, attributes: `{"a":"NaN"}`},
		{name: "time since the year 0", codecs: `["bytes"]`, names: plain, attributes: `{"units":"hours since 0000-01-01","calendar":"standard"}`},
		{name: "time since the year 0, proleptic", codecs: `["bytes"]`, names: plain, attributes: `{"units":"hours since 0000-01-01","calendar":"proleptic_gregorian"}`},
		{name: "time in months", codecs: `["bytes"]`, names: plain, attributes: `{"units":"months since 2000-01-01"}`},
		{name: "time in months of 30 days", codecs: `["bytes"]`, names: plain, attributes: `{"units":"months since 2000-01-01","calendar":"360_day"}`},
		{name: "time of an unknown calendar", codecs: `["bytes"]`, names: plain, attributes: `{"units":"days since 2000-01-01","calendar":"martian"}`},
		{name: "time since nothing", codecs: `["bytes"]`, names: plain, attributes: `{"units":"days since forever"}`},
		{name: "time since 2000", codecs: `["bytes"]`, names: plain, attributes: `{"units":"days since 2000-01-01 00:00:0.0"}`},
		{name: "time since a month", codecs: `["bytes"]`, names: plain, attributes: `{"units":"days since 2000-02"}`},
		{name: "time since a month, noleap", codecs: `["bytes"]`, names: plain, attributes: `{"units":"days since 2000-02","calendar":"noleap"}`},
		{name: "time since a year before 1678", codecs: `["bytes"]`, names: plain, attributes: `{"units":"days since 1500T00:00:00"}`},
		{name: "time since eight digits", codecs: `["bytes"]`, names: plain, attributes: `{"units":"days since 20000131 12:00"}`},
		{name: "time since eight digits, noleap", codecs: `["bytes"]`, names: plain, attributes: `{"units":"days since 20000131","calendar":"noleap"}`},
		{name: "_FillValue of integers", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":-1}`},
		{name: "_FillValue of integers, the word NaN", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":"NaN"}`},
		{name: "_FillValue of integers, a list", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":[]}`},
		{name: "_FillValue of floats, a number", on: "float32", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":-9999}`},
		{name: "_FillValue of floats, the word NaN", on: "float32", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":"NaN"}`},
		{name: "_FillValue of floats, base64", on: "float32", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":"AAAAAICHw8A="}`},
		{name: "_FillValue of booleans, a number", on: "bool", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":1}`},
		{name: "_FillValue of texts", on: "string", codecs: `["vlen-utf8"]`, names: plain, attributes: `{"_FillValue":"none"}`},
		{name: "_FillValue of texts of fixed length", on: "null_terminated_bytes", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":"bm9uZQ=="}`},
		{name: "_FillValue of complex numbers, a list of numbers", on: "complex64", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":[1,2]}`},
		{name: "_FillValue of complex numbers, base64", on: "complex64", codecs: `["bytes"]`, names: plain, attributes: `{"_FillValue":["AAAAAICHw8A=","AAAAAICHw8A="]}`},
		{name: "scale_factor, a number", codecs: `["bytes"]`, names: plain, attributes: `{"scale_factor":1}`},
		{name: "scale_factor, a list of one", codecs: `["bytes"]`, names: plain, attributes: `{"scale_factor":[1]}`},
		{name: "scale_factor, a list of two", codecs: `["bytes"]`, names: plain, attributes: `{"scale_factor":[1,1]}`},
		{name: "add_offset, a text", codecs: `["bytes"]`, names: plain, attributes: `{"add_offset":"0"}`},
		{name: "add_offset of floats, a mapping", on: "float32", codecs: `["bytes"]`, names: plain, attributes: `{"add_offset":{}}`},
	} {
		meta := &zarr.Array{Type: types[cmp.Or(l.on, "int16")], Grid: square(), DimensionNames: l.names}
		if l.shape != nil || strings.HasSuffix(l.name, "no dimensions") {
			meta.Grid = zarr.Grid{Shape: l.shape, Chunk: l.chunk}
		}
		if err := json.Unmarshal([]byte(l.codecs), &meta.Codecs); err != nil {
			t.Fatal(err)
		}
		if l.attributes != "" {
			if err := json.Unmarshal([]byte(l.attributes), &meta.Attributes); err != nil {
				t.Fatal(err)
			}
		}
		if !add("layout", l.name, meta) {
			t.Errorf("%s: cannot be written", l.name)
		}
	}
	return cases
}

// addPairs adds pairs of codecs, one behind the other, and each codec within shards.
func addPairs(registry *codecs.Registry, add func(label, on string, chain []codecs.Spec)) {
	types := []string{"int16", "uint8", "float32"}
	shards := func(chain []codecs.Spec) []codecs.Spec {
		inner, err := json.Marshal(chain)
		if err != nil {
			panic(err)
		}
		return []codecs.Spec{{Name: "sharding_indexed", Configuration: fmt.Appendf(nil, `{"chunk_shape":[2,4],"codecs":%s}`, inner)}}
	}
	all := registry.Definitions()
	transpose := all[slices.IndexFunc(all, func(d codecs.Definition) bool { return d.Name == "transpose" })]
	for _, a := range all {
		for _, on := range types {
			if a.Name != "sharding_indexed" {
				add("within shards", a.Name+" over "+on, shards(chainOf(a)))
			}
			if a.Name != "sharding_indexed" && a.Kind == codecs.KindArrayToBytes {
				add("transpose within shards", a.Name+" over "+on, shards(chainOf(transpose, a)))
			}
		}
		for _, b := range all {
			if b.Kind < a.Kind || a.Kind == codecs.KindArrayToBytes && (b.Kind == a.Kind || a.Name == "bytes") {
				continue
			}
			for _, on := range types {
				if a.Kind != codecs.KindBytesToBytes || on == "int16" {
					add(a.Name+" before", b.Name+" over "+on, chainOf(a, b))
				}
			}
		}
	}
}

// chainOf returns a chain of codecs, with the codec bytes if none of them makes bytes of elements.
func chainOf(list ...codecs.Definition) (chain []codecs.Spec) {
	serialized := slices.ContainsFunc(list, func(d codecs.Definition) bool { return d.Kind == codecs.KindArrayToBytes })
	for _, d := range list {
		if !serialized && d.Kind == codecs.KindBytesToBytes {
			chain, serialized = append(chain, codecs.Spec{Name: "bytes"}), true
		}
		chain = append(chain, codecs.Spec{Name: d.Name, Configuration: d.Example})
	}
	if !serialized {
		chain = append(chain, codecs.Spec{Name: "bytes"})
	}
	return chain
}

// newReaderCase encodes the first chunk of an array. It returns false if the chain does
// not take the data type.
func newReaderCase(t *testing.T, registry *codecs.Registry, label, on string, meta *zarr.Array) (readerCase, bool) {
	t.Helper()
	if meta.Fill == nil {
		meta.Fill = meta.Type.Default()
	}
	chains := [][]codecs.Spec{meta.Codecs}
	if meta.Codecs == nil {
		chains = [][]codecs.Spec{{{Name: "bytes"}}, {{Name: "vlen-utf8"}}, {{Name: "vlen-bytes"}}}
	}
	for _, specs := range chains {
		chain, err := registry.Bind(specs, codecs.Chunk{Type: meta.Type, Shape: meta.Grid.Chunk, Fill: meta.Fill})
		if err != nil {
			continue
		}
		meta.Codecs = chain.Specs()
		values := ndarray.New(meta.Type, meta.Grid.Chunk)
		n, two := 0, samples(t, meta.Type)
		if err := values.SetItems(func() ([]byte, error) { n++; return two[n%2], nil }); err != nil {
			t.Fatal(err)
		}
		pool := &ndarray.Pool{}
		object, err := chain.AppendEncode(pool, nil, values)
		if err != nil {
			return readerCase{}, false // of elements that the codec refuses
		}
		back := ndarray.New(meta.Type, meta.Grid.Chunk)
		if err := chain.Decode(pool, back, object); err != nil {
			t.Fatal(err)
		}
		c := readerCase{label: label, on: on, meta: meta, object: object, key: "c" + strings.Repeat("/0", len(meta.Grid.Shape))}
		var items []string
		for item := range back.Items() {
			items = append(items, hex.EncodeToString(item))
		}
		all := 1
		for _, n := range meta.Grid.Shape {
			all *= n
		}
		for len(items) < all {
			items = append(items, hex.EncodeToString(meta.Fill))
		}
		c.expected = strings.Join(items[:all], ",")
		return c, true
	}
	return readerCase{}, false
}

// record returns a data type of structs.
func record(t *testing.T, fields ...dtype.Field) dtype.Type {
	t.Helper()
	r, err := dtype.Struct(fields...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// samples returns two elements of a type, which codecs for numbers keep as they are.
func samples(t *testing.T, data dtype.Type) [][]byte {
	t.Helper()
	for _, two := range [][2]string{
		{`1`, `2`}, {`1`, `-1`}, {`true`, `false`}, {`[1,2]`, `[2,1]`}, {`"ab"`, `"c"`}, {`"AQI="`, `"AwQ="`}, {`{"x":1,"n":2}`, `{"x":2,"n":1}`},
		{`{"n":1}`, `{"n":-1}`}, {`{"s":{"n":1},"n":2}`, `{"s":{"n":2},"n":1}`}, {`{"n":1,"raw":"AQI="}`, `{"n":2,"raw":"AwQ="}`},
		{`"` + strings.Repeat("AQID", 100) + `"`, `"` + strings.Repeat("BAUG", 100) + `"`},
	} {
		a, err := data.ParseScalar(dtype.V3, json.RawMessage(two[0]))
		if err != nil {
			continue
		}
		b, err := data.ParseScalar(dtype.V3, json.RawMessage(two[1]))
		if err == nil {
			return [][]byte{a, b}
		}
	}
	t.Fatalf("no elements are known for the data type %s", data.Name())
	return nil
}
