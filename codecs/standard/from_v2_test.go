package standard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

func TestFromV2(t *testing.T) {
	for _, c := range []struct {
		dtype, filters, compressor string
		f                          bool
		want                       string // the chain, or "error: " and a part of the error
	}{
		{`"<f4"`, `null`, `null`, false, `[{"name":"bytes","configuration":{"endian":"little"}}]`},
		{`">f8"`, `null`, `{"id":"zstd","level":3}`, true, `[{"name":"transpose","configuration":{"order":"F"}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"zstd","configuration":{"level":3}}]`},
		{`"<i4"`, `[{"id":"delta","dtype":"<i4","astype":"<i2"}]`, `{"id":"zlib","level":1}`, false,
			`[{"name":"numcodecs.delta","configuration":{"astype":"<i2","dtype":"<i4"}},{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.zlib","configuration":{"level":1}}]`},
		{`">f8"`, `[{"id":"astype","encode_dtype":"<f4","decode_dtype":">f8"},{"id":"shuffle","elementsize":4}]`, `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":-1,"blocksize":0}`, false,
			`[{"name":"numcodecs.astype","configuration":{"decode_dtype":">f8","encode_dtype":"<f4"}},{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.shuffle","configuration":{"elementsize":4}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}}]`},
		{`">i4"`, `[{"id":"delta","dtype":"<i4","astype":"<i4"}]`, `null`, false, `error: filters[0]: its data type has another byte order`},
		{`"<i4"`, `[{"id":"delta","dtype":">i4","astype":"<i2"}]`, `null`, false, `error: filters[0]: its data type has another byte order`},
		{`"<f8"`, `[{"id":"fixedscaleoffset","offset":0,"scale":1,"dtype":"<f8","astype":">i2"},{"id":"delta","dtype":"<i2","astype":"<i2"}]`, `null`, false, `error: filters[1]: its data type has another byte order`},
		{`"<f4"`, `null`, `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}}]`},
		{`">f8"`, `null`, `{"id":"blosc","cname":"zstd","clevel":1,"shuffle":0,"blocksize":4096}`, true,
			`[{"name":"transpose","configuration":{"order":"F"}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"blosc","configuration":{"cname":"zstd","clevel":1,"shuffle":"noshuffle","typesize":8,"blocksize":4096}}]`},
		{`"<c16"`, `null`, `{"id":"blosc","cname":"blosclz","clevel":9,"shuffle":-1,"blocksize":0}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"blosclz","clevel":9,"shuffle":"shuffle","typesize":16,"blocksize":0}}]`},
		{`"|b1"`, `null`, `{"id":"blosc","cname":"snappy","clevel":9,"shuffle":-1,"blocksize":0}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"snappy","clevel":9,"shuffle":"bitshuffle","typesize":1,"blocksize":0}}]`},
		{`"|S300"`, `null`, `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":-1,"blocksize":0}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}]`},
		{`"<i2"`, `null`, `{"id":"blosc"}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}]`},
		{`"<i2"`, `null`, `{"id":"blosc","typesize":null}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}]`},
		{`"<i4"`, `[{"id":"delta","dtype":"<i4","astype":"<i2"}]`, `{"id":"blosc","shuffle":2,"typesize":4}`, false,
			`[{"name":"numcodecs.delta","configuration":{"astype":"<i2","dtype":"<i4"}},{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":4,"blocksize":0}}]`},
		{`"<i4"`, `[{"id":"delta","dtype":"<i4","astype":"<i2"}]`, `{"id":"blosc","shuffle":2}`, false,
			`[{"name":"numcodecs.delta","configuration":{"astype":"<i2","dtype":"<i4"}},{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}]`},
		{`"<i2"`, `[{"id":"fletcher32"}]`, `{"id":"blosc"}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.fletcher32","configuration":{}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}]`},
		{`"<i2"`, `[{"id":"blosc"}]`, `{"id":"zlib","level":1}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}},{"name":"numcodecs.zlib","configuration":{"level":1}}]`},
		{`"<f8"`, `[{"id":"quantize","digits":2,"dtype":"<f8","astype":"<f4"}]`, `null`, false,
			`[{"name":"numcodecs.quantize","configuration":{"astype":"<f8","digits":2,"dtype":"<f8"}},{"name":"numcodecs.astype","configuration":{"decode_dtype":"<f8","encode_dtype":"<f4"}},{"name":"bytes","configuration":{"endian":"little"}}]`},
		{`"<f8"`, `[{"id":"quantize","digits":2,"dtype":"<f8","astype":"<f8"}]`, `null`, false,
			`[{"name":"numcodecs.quantize","configuration":{"astype":"<f8","digits":2,"dtype":"<f8"}},{"name":"bytes","configuration":{"endian":"little"}}]`},
		{`"<i2"`, `null`, `{"id":"blosc","shuffle":"BIT"}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}]`},
		{`"<i2"`, `null`, `{"id":"zstd","level":13,"checksum":"No"}`, false, `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"checksum":false,"level":13}}]`},
		{`"<i2"`, `null`, `{"id":"lzma","preset":6,"delta":1}`, false, `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lzma","configuration":{"preset":6}}]`},
		{`"<i2"`, `null`, `{"id":"lzma","check":4,"filters":[{"id":3,"dist":4},{"id":33,"preset":1}]}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lzma","configuration":{"format":1,"check":4,"preset":null,"filters":null}}]`},
		{`"<i2"`, `null`, `{"id":"lzma","format":3,"filters":[{"id":33}]}`, false,
			`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lzma","configuration":{"filters":[{"id":33}],"format":3}}]`},
		{`"<i2"`, `null`, `{"id":"gzip","level":-1}`, false, `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":6}}]`},
		{`"|O"`, `[{"id":"vlen-utf8"}]`, `{"id":"gzip","level":5}`, false, `[{"name":"vlen-utf8","configuration":{}},{"name":"gzip","configuration":{"level":5}}]`},
		{`"|O"`, `[{"id":"vlen-utf8"}]`, `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`, false,
			`[{"name":"vlen-utf8","configuration":{}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}]`},
		{`"<i4"`, `[{"id":"pcodec"},{"id":"delta","dtype":"<i4"}]`, `null`, false, "error: filters[1]: it takes arrays, and a filter in front of it makes bytes"},
		{`"<f4"`, `[{"id":"nope"}]`, `null`, false, `error: filters[0]: unknown codec "nope"`},
		{`"<f4"`, `null`, `{"id":"nope"}`, false, `error: compressor: unknown codec "nope"`},
		{`"<f4"`, `["zlib"]`, `null`, false, "error: filters[0]: \"zlib\": want an object with an id"},
		{`"<f4"`, `[{"id":"shuffle"},{"id":"delta","dtype":"<f4"}]`, `null`, false, "error: filters[1]: it takes arrays, and a filter in front of it makes bytes"},
		{`[["a","<i2"],["b",">i2"]]`, `null`, `null`, false, "error: dtype: the fields of the record have different byte orders"},
	} {
		var filters []json.RawMessage
		if err := json.Unmarshal([]byte(c.filters), &filters); err != nil {
			t.Fatal(err)
		}
		first := ""
		if c.dtype == `"|O"` {
			first = "vlen-utf8"
		}
		typ, order, err := dtype.Standard().ParseV2(json.RawMessage(c.dtype), first)
		if err != nil {
			t.Fatal(err)
		}
		specs, err := standard.FromV2(standard.Registry(dtype.Standard()), standard.V2{Type: typ, Order: order, F: c.f, Filters: filters, Compressor: json.RawMessage(c.compressor)})
		if part, refused := strings.CutPrefix(c.want, "error: "); refused {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s %s %s: %v, want %q", c.dtype, c.filters, c.compressor, err, part)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s %s: %v", c.dtype, c.filters, c.compressor, err)
			continue
		}
		var got strings.Builder
		e := json.NewEncoder(&got)
		e.SetEscapeHTML(false)
		if err := e.Encode(specs); err != nil {
			t.Fatal(err)
		}
		unescaped := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(strings.TrimSpace(got.String()))
		if unescaped != c.want {
			t.Errorf("%s %s %s:\n%s, want\n%s", c.dtype, c.filters, c.compressor, unescaped, c.want)
		}
		if _, err := standard.Registry(dtype.Standard()).Bind(specs, codecs.Chunk{Type: typ, Shape: []int{4, 4}, Fill: typ.Default()}); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}

// TestFromV2KeepsNames converts compressors whose Zarr v3 form is not known. They keep the
// names that numcodecs gives them.
func TestFromV2KeepsNames(t *testing.T) {
	for name, test := range map[string]struct {
		typ              dtype.Type
		compressor, want string
	}{
		"no data type": {nil, `{"id":"blosc","shuffle":1}`, `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.blosc","configuration":{"shuffle":1}}]`},
		"a fault":      {dtype.Int16, `{"id":"blosc","clevel":10}`, `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.blosc","configuration":{"clevel":10}}]`},
	} {
		specs, err := standard.FromV2(standard.Registry(dtype.Standard()), standard.V2{Type: test.typ, Order: dtype.Little, Compressor: json.RawMessage(test.compressor)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(specs)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestNumcodecsConfigurations parses what numcodecs 0.17.1 writes for each of its
// codecs that this package has, with all fields.
func TestNumcodecsConfigurations(t *testing.T) {
	for _, text := range []string{
		`{"id": "adler32"}`,
		`{"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<f8"}`,
		`{"id": "bitround", "keepbits": 3}`,
		`{"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}`,
		`{"id": "bz2", "level": 1}`,
		`{"id": "crc32"}`,
		`{"id": "crc32", "location": "end"}`,
		`{"id": "crc32c"}`,
		`{"id": "delta", "dtype": "<i4", "astype": "<i2"}`,
		`{"id": "fixedscaleoffset", "scale": 2, "offset": 1, "dtype": "<f8", "astype": "<i2"}`,
		`{"id": "fletcher32"}`,
		`{"id": "gzip", "level": 1}`,
		`{"id": "jenkins_lookup3", "initval": 0, "prefix": null}`,
		`{"id": "lz4", "acceleration": 1}`,
		`{"id": "lzma", "format": 1, "check": -1, "preset": null, "filters": null}`,
		`{"id": "packbits"}`,
		`{"id": "pcodec", "level": 8, "mode_spec": "auto", "delta_spec": "auto", "paging_spec": "equal_pages_up_to", "delta_encoding_order": null, "equal_pages_up_to": 262144}`,
		`{"id": "quantize", "digits": 2, "dtype": "<f8", "astype": "<f8"}`,
		`{"id": "shuffle", "elementsize": 4}`,
		`{"id": "vlen-bytes"}`,
		`{"id": "vlen-utf8"}`,
		`{"id": "zfpy", "mode": 4, "compression_kwargs": {"tolerance": 0.1}, "tolerance": 0.1, "rate": -1, "precision": -1}`,
		`{"id": "zfpy", "mode": 2, "compression_kwargs": {"rate": 8}, "tolerance": -1, "rate": 8, "precision": -1}`,
		`{"id": "zlib", "level": 1}`,
		`{"id": "zstd", "level": 0, "checksum": false}`,
	} {
		specs, err := standard.FromV2(standard.Registry(dtype.Standard()), standard.V2{Order: dtype.Little, Compressor: json.RawMessage(text)})
		if err == nil {
			if serializer := strings.Contains(text, "vlen") || strings.Contains(text, "pcodec") || strings.Contains(text, "zfpy"); serializer {
				specs = specs[:1]
			}
			err = standard.Registry(dtype.Standard()).Check(specs)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, arguments := range []string{`{"tolerance": 0.2}`, `{"rate": 0.1}`, `{"any": 0.1}`, `"tolerance"`} {
		specs := []codecs.Spec{{Name: "numcodecs.zfpy", Configuration: json.RawMessage(`{"tolerance":0.1,"compression_kwargs":` + arguments + `}`)}}
		if err := standard.Registry(dtype.Standard()).Check(specs); err == nil || !strings.Contains(err.Error(), "compression_kwargs") {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// TestQuantizeToAnotherType checks the byte order that the spec of quantize names if
// astype stands behind it.
func TestQuantizeToAnotherType(t *testing.T) {
	for _, order := range []string{"<", ">"} {
		filter := `{"id":"quantize","digits":2,"dtype":"` + order + `f8","astype":"` + order + `f4"}`
		o := dtype.Little
		if order == ">" {
			o = dtype.Big
		}
		specs, err := standard.FromV2(standard.Registry(dtype.Standard()), standard.V2{Order: o, Filters: []json.RawMessage{json.RawMessage(filter)}})
		if err != nil {
			t.Fatal(err)
		}
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, codecs.Chunk{Type: dtype.Float64, Shape: []int{4}, Fill: dtype.Float64.Default()})
		if err != nil {
			t.Fatal(err)
		}
		bound := chain.Specs()
		if got, want := string(bound[0].Configuration), `{"digits":2,"dtype":"<f8","astype":"<f8"}`; got != want {
			t.Errorf("%s: quantize is %s, want %s", filter, got, want)
		}
		if got, want := string(bound[1].Configuration), `{"encode_dtype":"`+order+`f4","decode_dtype":"<f8"}`; got != want {
			t.Errorf("%s: astype is %s, want %s", filter, got, want)
		}
	}
}
