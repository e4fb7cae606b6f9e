package readers_test

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/readers"
	"github.com/zmigrate/zmigrate/zarr"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"zarr-python": "zarr-python 3.0", "zarr-python>=3.1": "zarr-python 3.1", "zarr-python >= 3.2.5": "zarr-python 3.2",
		"zarr-python>=3": "zarr-python 3.0", "zarr-python>=3.4.99": "zarr-python 3.4", "xarray": "xarray 2026.9", "xarray>=2026.9.1": "xarray 2026.9", "zarr-java": "zarr-java",
	} {
		r, err := readers.Parse(text)
		if err != nil || r.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, r, err, want)
		}
	}
	for text, want := range map[string]string{"zarr": "they are zarr-python, xarray,", "xarray>=new": `"new" is no version`, "": "no reader",
		"zarr-python>=2.18": "known from version 3.0 on: write zarr-python>=3.0", "xarray>=2025.1": "write xarray>=2026.9",
		"zarr-python>=9": "known up to version 3.4, and newer ones should read the same: write zarr-python>=3.4", "zarr-python>=3.10": "write zarr-python>=3.4",
		"zarr-java>=1": "has no versions of zarr-java: write zarr-java alone",
	} {
		if _, err := readers.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	a := &zarr.Array{Type: dtype.Float32, Grid: zarr.Grid{Shape: []int{4}, Chunk: []int{4}}, Fill: dtype.Float32.Default(), Codecs: []codecs.Spec{{Name: "zfp"}}, DimensionNames: []string{"x"}}
	for reader, want := range map[string]string{
		"zarr-python": "the codec zfp (instead: numcodecs.zfpy)", "tensorstore": "the codec zfp (instead: zstd)", "zarrs": "",
	} {
		r, err := readers.Parse(reader)
		if err != nil {
			t.Fatal(err)
		}
		refused, refuses := r.Refuses(a)
		if refused.String() != want || refuses != (want != "") {
			t.Errorf("%s: %q, want %q", reader, refused, want)
		}
	}
}

// TestPaddedBytes: zarrs leaves out the byte for the padding if packbits stores whole bytes.
func TestPaddedBytes(t *testing.T) {
	zarrs, err := readers.Parse("zarrs")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		typ           dtype.Type
		configuration string
		refuses       bool
	}{
		{dtype.Uint8, `{"padding_encoding":"first_byte"}`, true},
		{dtype.Uint16, `{"padding_encoding":"last_byte","last_bit":15}`, true},
		{dtype.Complex64, `{"padding_encoding":"end_byte","start_bit":0,"end_bit":31}`, true},
		{dtype.Uint16, `{"padding_encoding":"last_byte","last_bit":7}`, false},
		{dtype.Uint16, `{"padding_encoding":"last_byte","first_bit":8}`, false},
		{dtype.Uint16, `{"padding_encoding":"none"}`, false},
		{dtype.Uint16, `{}`, false},
		{dtype.BoolType, `{"padding_encoding":"first_byte"}`, false},
	} {
		a := &zarr.Array{Type: test.typ, Grid: zarr.Grid{Shape: []int{4}, Chunk: []int{4}}, Fill: test.typ.Default(), Codecs: []codecs.Spec{{Name: "packbits", Configuration: []byte(test.configuration)}}}
		if refused, refuses := zarrs.Refuses(a); refuses != test.refuses {
			t.Errorf("%s, %s: %q, want refused: %v", test.typ.Name(), test.configuration, refused, test.refuses)
		}
	}
}

// TestOffsetsInShards: zarr-python checks scale_offset within shards with the array's data type and zero.
func TestOffsetsInShards(t *testing.T) {
	python, err := readers.Parse("zarr-python>=3.4")
	if err != nil {
		t.Fatal(err)
	}
	const cast = `{"name":"cast_value","configuration":{"data_type":"int32"}}`
	for _, test := range []struct {
		typ           dtype.Type
		before, inner string
		refuses       bool
	}{
		{dtype.Uint8, "", `{"name":"scale_offset","configuration":{"offset":5,"scale":10}}`, true},
		{dtype.Uint8, "", `{"name":"scale_offset","configuration":{"offset":0,"scale":10}}`, false},
		{dtype.Uint8, "", `{"name":"scale_offset","configuration":{"scale":2}}`, false},
		{dtype.Int16, "", `{"name":"scale_offset","configuration":{"offset":5,"scale":10}}`, false},
		{dtype.Int16, "", `{"name":"scale_offset","configuration":{"offset":4000,"scale":10}}`, true},
		{dtype.Float32, "", `{"name":"scale_offset","configuration":{"offset":5,"scale":0.1}}`, false},
		{dtype.Uint8, cast, `{"name":"scale_offset","configuration":{"offset":-3,"scale":10}}`, true},
		{dtype.Uint8, cast, `{"name":"scale_offset","configuration":{"offset":0,"scale":1000}}`, true},
		{dtype.Uint8, "", cast + `,{"name":"scale_offset","configuration":{"offset":-3,"scale":10}}`, false},
	} {
		a := &zarr.Array{Type: test.typ, Grid: zarr.Grid{Shape: []int{4}, Chunk: []int{4}}, Fill: test.typ.Default()}
		if test.before != "" {
			a.Codecs = append(a.Codecs, codecs.Spec{Name: "cast_value", Configuration: []byte(`{"data_type":"int32"}`)})
		}
		a.Codecs = append(a.Codecs, codecs.Spec{Name: "sharding_indexed", Configuration: []byte(`{"chunk_shape":[2],"codecs":[` + test.inner +
			`,{"name":"bytes","configuration":{"endian":"little"}}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`)})
		if refused, refuses := python.Refuses(a); refuses != test.refuses {
			t.Errorf("%s, %s, %s: %q, want refused: %v", test.typ.Name(), test.before, test.inner, refused, test.refuses)
		}
	}
}
