package codecs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

func TestFromV2(t *testing.T) {
	for _, c := range []struct {
		dtype, filters, compressor string
		f                          bool
		want                       string // the chain, or a part of the error behind "error: "
	}{
		{`"<f4"`, `null`, `null`, false, `[{"name":"bytes","configuration":{"endian":"little"}}]`},
		{`">f8"`, `null`, `{"id":"zstd","level":3}`, true, `[{"name":"transpose","configuration":{"order":"F"}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"zstd","configuration":{"level":3}}]`},
		{`"<i4"`, `[{"id":"delta","dtype":"<i4","astype":"<i2"}]`, `{"id":"zlib","level":1}`, false,
			`[{"name":"numcodecs.delta","configuration":{"astype":"<i2","dtype":"<i4"}},{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.zlib","configuration":{"level":1}}]`},
		{`">f8"`, `[{"id":"astype","encode_dtype":"<f4","decode_dtype":">f8"},{"id":"shuffle","elementsize":4}]`, `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":-1,"blocksize":0}`, false,
			`[{"name":"numcodecs.astype","configuration":{"decode_dtype":">f8","encode_dtype":"<f4"}},{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.shuffle","configuration":{"elementsize":4}},{"name":"numcodecs.blosc","configuration":{"blocksize":0,"clevel":5,"cname":"lz4","shuffle":-1}}]`},
		{`"|O"`, `[{"id":"vlen-utf8"}]`, `{"id":"gzip","level":5}`, false, `[{"name":"vlen-utf8","configuration":{}},{"name":"gzip","configuration":{"level":5}}]`},
		{`"|O"`, `[{"id":"vlen-utf8"}]`, `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`, false,
			`[{"name":"vlen-utf8","configuration":{}},{"name":"numcodecs.blosc","configuration":{"blocksize":0,"clevel":5,"cname":"lz4","shuffle":1}}]`},
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
		specs, err := codecs.Standard().FromV2(codecs.V2{Type: typ, Order: order, F: c.f, Filters: filters, Compressor: json.RawMessage(c.compressor)})
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
		if _, err := codecs.Standard().Bind(specs, codecs.Chunk{Type: typ, Shape: []int{4, 4}, Fill: typ.Default()}); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}
