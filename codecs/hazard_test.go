package codecs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// risky is a codec that reports hazards, of kind array → array or bytes → bytes.
type risky struct{ codecs.BytesToBytes }

func (r risky) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	d, err := standard.Registry(dtype.Standard()).Lookup("crc32c")
	if err != nil {
		return nil, err
	}
	c, err := d.Parse(nil)
	if err != nil {
		return nil, err
	}
	b, err := c.(codecs.BytesToBytesCodec).BindBytesToBytes(in)
	return risky{b}, err
}

func (risky) Hazards() []codecs.Hazard {
	return []codecs.Hazard{
		{Field: "level", Code: "one", Message: "first"},
		{Code: "two", Message: "second"},
	}
}

func riskyDefinition() codecs.Definition {
	return codecs.Definition{Name: "risky", Kind: codecs.KindBytesToBytes, Parse: func(json.RawMessage) (codecs.Codec, error) {
		return risky{}, nil
	}}
}

func TestHazardsOfCodecs(t *testing.T) {
	r := testRegistry(t)
	if err := r.Register(riskyDefinition()); err != nil {
		t.Fatal(err)
	}
	sharded := func(inner string) string {
		return `sharding_indexed {"chunk_shape":[2],"codecs":[` + inner + `]}`
	}
	for _, c := range []struct {
		specs []codecs.Spec
		want  []codecs.Hazard
	}{
		{names("bytes", "crc32c"), nil},
		{names("bytes", "crc32c", "risky"), []codecs.Hazard{
			{Codec: 2, Name: "risky", Field: "level", Code: "one", Message: "first"},
			{Codec: 2, Name: "risky", Code: "two", Message: "second"},
		}},
		{names("shift", sharded(`"bytes","risky"`)), []codecs.Hazard{
			{Codec: 1, Name: "risky", Field: "codecs[1].level", Code: "one", Message: "first"},
			{Codec: 1, Name: "risky", Field: "codecs[1]", Code: "two", Message: "second"},
		}},
		{names(sharded(`{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":["bytes","risky"]}}`)), []codecs.Hazard{
			{Codec: 0, Name: "risky", Field: "codecs[0].codecs[1].level", Code: "one", Message: "first"},
			{Codec: 0, Name: "risky", Field: "codecs[0].codecs[1]", Code: "two", Message: "second"},
		}},
	} {
		chain, err := r.Bind(c.specs, codecs.Chunk{Type: dtype.Int16, Shape: []int{4}, Fill: dtype.Int16.Default()})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, chain.Hazards()); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.specs, diff)
		}
	}
}

// TestFillValueChanges sends fill values through chains. For those that do not come
// back, it checks which codec is named.
func TestFillValueChanges(t *testing.T) {
	const (
		asInt16  = `numcodecs.astype {"encode_dtype":"<i2","decode_dtype":null}`
		scaled   = `numcodecs.fixedscaleoffset {"offset":0,"scale":100,"dtype":"<f4","astype":"<i2"}`
		digits   = `numcodecs.quantize {"digits":1,"dtype":"<f4"}`
		delta    = `numcodecs.delta {"dtype":"<f4"}`
		bits     = `bitround {"keepbits":3}`
		reversed = `transpose {"order":"F"}`
	)
	for _, c := range []struct {
		typ   dtype.Type
		fill  string
		specs []codecs.Spec
		codec int    // index of the codec at fault; -1: none
		field string // the hazard's field
		want  string // part of the message
	}{
		{dtype.Float32, `"NaN"`, names("bytes", "zstd"), -1, "", ""},
		{dtype.Float32, `"0x7fc00001"`, names("bytes", "zstd"), -1, "", ""},
		{dtype.Float32, `-0.0`, names("bytes", "blosc"), -1, "", ""},
		{dtype.Float32, `1.5`, names(bits, "bytes"), -1, "", ""},
		{dtype.Float32, `1.3`, names(bits, "bytes"), 0, "", "the fill value 1.2999999523162842 comes back as 1.25"},
		{dtype.Float32, `1.3`, names(reversed, bits, "bytes", "zstd"), 1, "", "1.25"},
		{dtype.Float32, `9.9692099683868690e+36`, names(bits, "bytes"), -1, "", ""},
		{dtype.Float32, `1.25`, names(digits, "bytes"), -1, "", ""},
		{dtype.Float32, `1.3`, names(digits, "bytes"), 0, "", "comes back as 1.3125"},
		{dtype.Float32, `1.23`, names(scaled, "bytes"), -1, "", ""},
		{dtype.Float32, `1.234`, names(scaled, "bytes"), 0, "", "comes back as 1.23"},
		{dtype.Float32, `"NaN"`, names(asInt16, "bytes"), 0, "", `the fill value "NaN" cannot be encoded`},
		{dtype.Float32, `-9.5`, names(asInt16, "bytes"), 0, "", "comes back as -9"},
		{dtype.Float64, `"0x7ff8000000000001"`, names(`numcodecs.astype {"encode_dtype":"<f4"}`, "bytes"), 0, "", "comes back as another NaN"},
		{dtype.Float64, `"NaN"`, names(`numcodecs.astype {"encode_dtype":"<f4"}`, "bytes"), -1, "", ""},
		{dtype.Float32, `1.3`, names(delta, "bytes"), -1, "", ""},
		{dtype.Float32, `"Infinity"`, names(delta, "bytes"), 0, "", `the fill value "Infinity" cannot be encoded`},
		{dtype.Int16, `127`, names(`packbits {"first_bit":0,"last_bit":7}`), -1, "", ""},
		{dtype.Int16, `255`, names(`packbits {"first_bit":0,"last_bit":7}`), 0, "", "comes back as -1"},
		{dtype.Uint16, `4660`, names(`packbits {"first_bit":8,"last_bit":15}`, "crc32c"), 0, "", "the fill value 4660 comes back as 4608"},
		{dtype.Float32, `1.3`, names(`reshape {"shape":[-1]}`, bits, "bytes"), 1, "", "1.25"},
		{dtype.Float32, `1.3`, names(`sharding_indexed {"chunk_shape":[1,2],"codecs":["bytes"]}`), -1, "", ""},
		{dtype.Float32, `1.3`, names(bits, `sharding_indexed {"chunk_shape":[1,2],"codecs":["bytes"]}`), 0, "", "1.25"},
		{dtype.Float32, `1.3`, names(`sharding_indexed {"chunk_shape":[1,2],"codecs":[{"name":"bitround","configuration":{"keepbits":3}},"bytes"]}`), 0, "codecs[0]", "1.25"},
		{dtype.Float32, `"NaN"`, names(asInt16, `sharding_indexed {"chunk_shape":[1,2],"codecs":["bytes"]}`), 0, "", "cannot be encoded"},
		{dtype.StringType, `"none"`, names("vlen-utf8", "zstd"), -1, "", ""},
	} {
		fill, err := c.typ.ParseScalar(dtype.V3, json.RawMessage(c.fill))
		if err != nil {
			t.Fatal(err)
		}
		chain, err := standard.Registry(dtype.Standard()).Bind(c.specs, codecs.Chunk{Type: c.typ, Shape: []int{2, 4}, Fill: fill})
		if err != nil {
			t.Fatal(err)
		}
		list := chain.Hazards()
		if c.codec < 0 {
			if len(list) != 0 {
				t.Errorf("%s through %v: %+v, want none", c.fill, c.specs, list)
			}
			continue
		}
		if len(list) != 1 {
			t.Errorf("%s through %v: %+v, want one", c.fill, c.specs, list)
			continue
		}
		h := list[0]
		if h.Code != codecs.FillValueChanges || h.Codec != c.codec || h.Field != c.field || h.Name == "" ||
			!strings.Contains(h.Message, c.want) || h.Hint == "" {
			t.Errorf("%s through %v: %+v, want codec %d and %q", c.fill, c.specs, h, c.codec, c.want)
		}
	}
}

// TestFillValueOfOtherChunks has chains that accept chunks of one shape only. A small
// chunk is tried as a whole; for a large chunk, only the codecs in front are tried.
func TestFillValueOfOtherChunks(t *testing.T) {
	fill, err := dtype.Float32.ParseScalar(dtype.V3, json.RawMessage("1.3"))
	if err != nil {
		t.Fatal(err)
	}
	const bits = `bitround {"keepbits":3}`
	for _, c := range []struct {
		rows    int
		reshape string
		behind  bool // whether bitround follows
		want    int  // index of the codec at fault; -1: none is found
	}{
		{64, `reshape {"shape":[8,-1]}`, false, 0},
		{64, `reshape {"shape":[8,-1]}`, true, 1},
		{1 << 20, `reshape {"shape":[8,-1]}`, false, 0},
		{1 << 20, `reshape {"shape":[8,-1]}`, true, -1},
	} {
		specs := names(bits, c.reshape, "bytes")
		if c.behind {
			specs = names(c.reshape, bits, "bytes")
		}
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, codecs.Chunk{Type: dtype.Float32, Shape: []int{c.rows, 4}, Fill: fill})
		if err != nil {
			t.Fatal(err)
		}
		got := -1
		if list := chain.Hazards(); len(list) > 0 {
			got = list[0].Codec
		}
		if got != c.want {
			t.Errorf("%d rows through %v: codec %d, want %d", c.rows, specs, got, c.want)
		}
	}
}
