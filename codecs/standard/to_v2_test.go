package standard

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// Chains of HDF5 files become filters and a compressor, from which FromV2 makes the same chain.
func TestToV2(t *testing.T) {
	r := Registry(dtype.Standard())
	for _, c := range []struct {
		t          dtype.Type
		specs      string // separated by spaces, as on a command line
		filters    string
		compressor string
	}{
		{dtype.Float32, "bytes:endian=little", "", ""},
		{dtype.Int16, "bytes:endian=big numcodecs.zlib:level=4", "", `{"id":"zlib","level":4}`},
		{dtype.Float64, "bytes:endian=little numcodecs.shuffle:elementsize=8 numcodecs.zlib:level=1", `{"elementsize":8,"id":"shuffle"}`, `{"id":"zlib","level":1}`},
		{dtype.Float32, "bytes:endian=little numcodecs.shuffle:elementsize=4 numcodecs.zlib:level=1 numcodecs.fletcher32", `{"elementsize":4,"id":"shuffle"} {"id":"zlib","level":1} {"id":"fletcher32"}`, ""},
		{dtype.Float32, "bytes:endian=little zstd:level=5,checksum=false", "", `{"id":"zstd","level":5}`},
		{dtype.Float32, "bytes:endian=little numcodecs.bz2:level=9", "", `{"id":"bz2","level":9}`},
		{dtype.Float32, `bytes:endian=little blosc:cname=lz4,clevel=5,shuffle=bitshuffle,typesize=4,blocksize=0`, "", `{"blocksize":0,"clevel":5,"cname":"lz4","id":"blosc","shuffle":2}`},
		{dtype.StringType, "vlen-utf8", `{"id":"vlen-utf8"}`, ""},
	} {
		var specs []codecs.Spec
		for text := range strings.FieldsSeq(c.specs) {
			s, err := codecs.ParseSpec(text)
			if err != nil {
				t.Fatal(err)
			}
			specs = append(specs, s)
		}
		v, err := ToV2(r, c.t, specs)
		if err != nil {
			t.Errorf("%s: %v", c.specs, err)
			continue
		}
		var filters []string
		for _, f := range v.Filters {
			filters = append(filters, string(f))
		}
		if got := strings.Join(filters, " "); got != c.filters || string(v.Compressor) != c.compressor {
			t.Errorf("%s: %s and %s", c.specs, got, v.Compressor)
		}
		back, err := FromV2(r, v)
		if err != nil {
			t.Errorf("%s: %v", c.specs, err)
			continue
		}
		in := codecs.Chunk{Type: c.t, Shape: []int{8}, Fill: c.t.Default()}
		want, err1 := r.Bind(specs, in)
		got, err2 := r.Bind(back, in)
		if err1 != nil || err2 != nil {
			t.Errorf("%s: %v, %v", c.specs, err1, err2)
			continue
		}
		if diff := cmp.Diff(want.Specs(), got.Specs()); diff != "" {
			t.Errorf("%s: %s", c.specs, diff)
		}
	}
}

// What Zarr v2 does not have is refused by its name.
func TestToV2Refuses(t *testing.T) {
	r := Registry(dtype.Standard())
	for text, name := range map[string]string{
		"": "no codecs", "transpose": "transpose", "vlen-bytes": "vlen-bytes", "bytes packbits": "packbits", "bytes numcodecs.delta": "numcodecs.delta",
	} {
		var specs []codecs.Spec
		for name := range strings.FieldsSeq(text) {
			specs = append(specs, codecs.Spec{Name: name})
		}
		if _, err := ToV2(r, dtype.Float32, specs); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
