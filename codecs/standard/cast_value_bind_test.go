package standard_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// castValueCases are configurations with which all numbers come back.
func castValueCases() []codectest.Case {
	upTo32 := []dtype.Type{dtype.Int2, dtype.Int4, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Uint2, dtype.Uint4, dtype.Uint8, dtype.Uint16, dtype.Uint32}
	of8 := []dtype.Type{dtype.Int4, dtype.Uint4, dtype.Float4E2M1FN, dtype.Float6E2M3FN, dtype.Float6E3M2FN, dtype.Uint8}
	return []codectest.Case{
		{Spec: spec("cast_value", `{"data_type":"float64"}`), Types: upTo32, Refused: []codectest.Refused{
			{Configuration: `{}`, Field: "data_type"},
			{Configuration: `{"data_type":null}`, Field: "data_type"},
			{Configuration: `{"data_type":5}`, Field: "data_type"},
			{Configuration: `{"data_type":"int7"}`, Field: "data_type"},
			{Configuration: `{"data_type":"bool"}`, Field: "data_type"},
			{Configuration: `{"data_type":"complex64"}`, Field: "data_type"},
			{Configuration: `{"data_type":"string"}`, Field: "data_type"},
			{Configuration: `{"data_type":{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}}`, Field: "data_type"},
			{Configuration: `{"data_type":"int8"}`, Chunk: of(dtype.BoolType, 3)},
			{Configuration: `{"data_type":"int8"}`, Chunk: of(dtype.Complex64, 3)},
			{Configuration: `{"data_type":"int8"}`, Chunk: of(dtype.ComplexFloat8E5M2, 3)},
			{Configuration: `{"data_type":"int8"}`, Chunk: of(dtype.StringType, 3)},
			{Configuration: `{"data_type":"int8"}`, Chunk: of(dtype.RawBits(2), 3)},
			{Configuration: `{"data_type":"int8","rounding":"up"}`, Field: "rounding"},
			{Configuration: `{"data_type":"int8","rounding":0}`, Field: "rounding"},
			{Configuration: `{"data_type":"int8","out_of_range":"saturate"}`, Field: "out_of_range"},
			{Configuration: `{"data_type":"int8","out_of_range":true}`, Field: "out_of_range"},
			{Configuration: `{"data_type":"float32","out_of_range":"wrap"}`, Field: "out_of_range"},
			{Configuration: `{"data_type":"int8","Rounding":"nearest-even"}`, Field: "Rounding"},
		}},
		{Spec: spec("cast_value", `{"data_type":"int64","rounding":"towards-zero"}`), Types: upTo32, Refused: []codectest.Refused{
			{Configuration: `{"data_type":"int8","scalar_map":5}`, Field: "scalar_map"},
			{Configuration: `{"data_type":"int8","scalar_map":{"both":[]}}`, Field: "scalar_map.both"},
			{Configuration: `{"data_type":"int8","scalar_map":{"encode":{}}}`, Field: "scalar_map.encode"},
			{Configuration: `{"data_type":"int8","scalar_map":{"encode":[5]}}`, Field: "scalar_map.encode[0]"},
			{Configuration: `{"data_type":"int8","scalar_map":{"encode":[[1]]}}`, Field: "scalar_map.encode[0]"},
			{Configuration: `{"data_type":"int8","scalar_map":{"decode":[[1,2],[1,2,3]]}}`, Field: "scalar_map.decode[1]"},
			{Configuration: `{"data_type":"int8","scalar_map":{"encode":[[1,2],[1.5,3]]}}`, Field: "scalar_map.encode[1][0]"},
			{Configuration: `{"data_type":"int8","scalar_map":{"encode":[[1,300]]}}`, Field: "scalar_map.encode[0][1]"},
			{Configuration: `{"data_type":"int8","scalar_map":{"decode":[[300,1]]}}`, Field: "scalar_map.decode[0][0]"},
			{Configuration: `{"data_type":"int8","scalar_map":{"decode":[[1,"NaN"]]}}`, Field: "scalar_map.decode[0][1]"},
			{Configuration: `{"data_type":"float8_e4m3fnuz","scalar_map":{"encode":[[1,"+Infinity"]]}}`, Field: "scalar_map.encode[0][1]"},
		}},
		{Spec: spec("cast_value", `{"data_type":"int16","scalar_map":{"encode":[[3,-5]],"decode":[[-5,3]]}}`), Types: []dtype.Type{dtype.Uint8}},
		{Spec: spec("cast_value", `{"data_type":"float32","out_of_range":"clamp"}`), Types: of8},
		{Spec: spec("cast_value", `{"data_type":"float8_e4m3"}`), Types: []dtype.Type{dtype.Int4, dtype.Float6E2M3FN, dtype.Uint4}},
		{Spec: spec("cast_value", `{"data_type":"uint32","out_of_range":"wrap"}`), Types: []dtype.Type{dtype.Uint16, dtype.Uint2, dtype.Uint32}},
	}
}

// TestCastValueConfiguration checks that the spec has only fields that differ from
// their defaults, and that each number is spelled as its type does.
func TestCastValueConfiguration(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"data_type":"uint8"}`, ""},
		{`{"data_type":{"name":"uint8"}}`, `{"data_type":"uint8"}`},
		{`{"data_type":"uint8","rounding":"nearest-even","scalar_map":{}}`, `{"data_type":"uint8"}`},
		{`{"rounding":"nearest-away","out_of_range":"wrap","data_type":"uint8","scalar_map":{"decode":[],"encode":[]}}`,
			`{"data_type":"uint8","rounding":"nearest-away","out_of_range":"wrap"}`},
		{`{"data_type":"uint8","scalar_map":{"decode":[[0,"NaN"]],"encode":[["NaN",0],["+Infinity",1],[-1e3,2]]}}`,
			`{"data_type":"uint8","scalar_map":{"encode":[["NaN",0],["Infinity",1],[-1000.0,2]],"decode":[[0,"NaN"]]}}`},
		// The first of equal keys counts. All NaNs are equal, and both zeros are.
		{`{"data_type":"float32","scalar_map":{"encode":[["NaN","0x7fc00001"],["0x7ff8000000000001",2],[-0.0,3],[0,4],[5,5],[5,6]]}}`,
			`{"data_type":"float32","scalar_map":{"encode":[["NaN","0x7fc00001"],[-0.0,3.0],[5.0,5.0]]}}`},
		{`{"data_type":"int64","scalar_map":{"decode":[[9223372036854775807,"-Infinity"],[9223372036854775806,"Infinity"]]}}`, ""},
	} {
		if c.want == "" {
			c.want = c.in
		}
		b := bindArray(t, spec("cast_value", c.in), codecs.Chunk{Type: dtype.Float64, Shape: []int{3}})
		if diff := cmp.Diff(c.want, string(b.Spec().Configuration)); diff != "" {
			t.Errorf("%s: %s", c.in, diff)
		}
	}
}

// TestCastValueMap maps numbers that no float64 can distinguish, every NaN and both
// zeros. A number that is only rounded to a key is not mapped.
func TestCastValueMap(t *testing.T) {
	s := spec("cast_value", `{"data_type":"uint64","scalar_map":{"encode":[[9223372036854775807,18446744073709551615],[9223372036854775806,18446744073709551614]]}}`)
	got, err := encodeArray(t, s, arrayOf[int64](t, dtype.Int64, 1<<63-1, 1<<63-2, 1<<63-3))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{1<<64 - 1, 1<<64 - 2, 1<<63 - 3}, valuesOf[uint64](t, got)); diff != "" {
		t.Error(diff)
	}
	s = spec("cast_value", `{"data_type":"int8","scalar_map":{"encode":[["0x7fc00001",7],[0,9]],"decode":[[9,0]]}}`)
	bits := ndarray.New(dtype.Float32, []int{6})
	copy(valuesOf[uint32](t, bits), []uint32{0x7fc00000, 0xff800001, 0x7fc00001, 0x80000000, 0, 0x3e800000})
	if got, err = encodeArray(t, s, bits); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int8{7, 7, 7, 9, 9, 0}, valuesOf[int8](t, got)); diff != "" {
		t.Error(diff)
	}
}

func TestCastValueFill(t *testing.T) {
	const masked = `{"data_type":"int8","scalar_map":{"encode":[["NaN",-128]],"decode":[[-128,"NaN"]]}}`
	for _, c := range []struct {
		configuration string
		in            dtype.Type
		fill, want    string // want is "" if the fill value is refused
		fault         string // the reason of the refusal, or of the hazard
	}{
		{`{"data_type":"int8"}`, dtype.Float64, `5`, `5`, ""},
		{`{"data_type":"int8"}`, dtype.Float64, `-0.0`, `0`, ""},
		{`{"data_type":"float16"}`, dtype.Float32, `"0x7fc00001"`, `"NaN"`, ""},
		{`{"data_type":"float32"}`, dtype.Float64, `"-Infinity"`, `"-Infinity"`, ""},
		{masked, dtype.Float64, `"NaN"`, `-128`, ""},
		{masked, dtype.Float64, `-128`, `-128`, `the fill value -128.0 comes back as "NaN", stored as -128`},
		{`{"data_type":"int8"}`, dtype.Float64, `"NaN"`, ``, `the fill value "NaN" cannot be encoded: out of range of int8, which has no such value: map it in scalar_map.encode`},
		{`{"data_type":"int8"}`, dtype.Float64, `1e20`, ``, `the fill value 1e+20 cannot be encoded: out of range of int8, -128 to 127`},
		{`{"data_type":"int8"}`, dtype.Float64, `0.5`, `0`, `the fill value 0.5 comes back as 0.0, stored as 0`},
		{`{"data_type":"int8","out_of_range":"clamp"}`, dtype.Int16, `128`, `127`, `the fill value 128 comes back as 127, stored as 127`},
		{`{"data_type":"uint8","out_of_range":"wrap"}`, dtype.Int8, `-1`, `255`, ""},
		{`{"data_type":"float64"}`, dtype.Int64, `9223372036854775807`, `9.223372036854776e+18`, `is stored as 9.223372036854776e+18, which cannot be decoded`},
	} {
		fill, err := c.in.ParseScalar(dtype.V3, json.RawMessage(c.fill))
		if err != nil {
			t.Fatal(err)
		}
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("cast_value", c.configuration), {Name: "bytes"}}, codecs.Chunk{Type: c.in, Shape: []int{2}, Fill: fill})
		if c.want == "" {
			var field *codecs.FieldError
			if !errors.As(err, &field) || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s, %s: %v, want %q", c.configuration, c.fill, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, %s: %v", c.configuration, c.fill, err)
			continue
		}
		out := bindArray(t, chain.Specs()[0], chain.Chunk()).Encoded()
		if got := string(out.Type.FormatScalar(dtype.V3, out.Fill)); got != c.want {
			t.Errorf("%s: %s becomes %s, want %s", c.configuration, c.fill, got, c.want)
		}
		lost := ""
		for _, h := range chain.Hazards() {
			if h.Code == codecs.FillValueLost {
				lost = h.Message
			}
		}
		if (lost != "") != (c.fault != "") || !strings.Contains(lost, c.fault) {
			t.Errorf("%s, %s: hazard %q, want %q", c.configuration, c.fill, lost, c.fault)
		}
	}
	unknown := codecs.Chunk{Type: dtype.Float64, Shape: []int{2}}
	if out := bindArray(t, spec("cast_value", `{"data_type":"int8"}`), unknown).Encoded(); out.Fill != nil {
		t.Errorf("no fill value was encoded as %x", out.Fill)
	}
}

// TestCastValueErrors checks that an error names the element, its value, the reason and
// what to do.
func TestCastValueErrors(t *testing.T) {
	three := ndarray.New(dtype.Float64, []int{2, 2})
	at := func(x float64) ndarray.Array {
		valuesOf[float64](t, three)[2] = x
		return three
	}
	nan := math.Float64frombits(0x7ff8000000000000)
	for _, c := range []struct {
		configuration string
		x             float64
		want          string
	}{
		{`{"data_type":"int8"}`, 127.5, `element [1 0], 127.5: out of range of int8, -128 to 127: set out_of_range to "clamp" or "wrap", or map it in scalar_map.encode`},
		{`{"data_type":"uint4"}`, -0.75, `element [1 0], -0.75: out of range of uint4, 0 to 15: set out_of_range to "clamp" or "wrap", or map it in scalar_map.encode`},
		{`{"data_type":"int8","out_of_range":"wrap"}`, nan, `element [1 0], "NaN": out of range of int8, which has no such value: map it in scalar_map.encode`},
		{`{"data_type":"float32"}`, 1e300, `element [1 0], 1e+300: out of range of float32: set out_of_range to "clamp", or map it in scalar_map.encode`},
		{`{"data_type":"float6_e2m3fn","out_of_range":"clamp"}`, nan, `element [1 0], "NaN": out of range of float6_e2m3fn, which has no such value: map it in scalar_map.encode`},
	} {
		_, err := encodeArray(t, spec("cast_value", c.configuration), at(c.x))
		if err == nil || err.Error() != c.want || !errors.Is(err, dtype.ErrOutOfRange) || errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%s: %v, want %s", c.configuration, err, c.want)
		}
	}
	b := bindArray(t, spec("cast_value", `{"data_type":"int16"}`), of(dtype.Uint8, 2))
	err := b.Decode(ndarray.New(dtype.Uint8, []int{2}), arrayOf[int16](t, dtype.Int16, 5, -5))
	const want = `corrupt data: element [1], -5: out of range of uint8, 0 to 255: set out_of_range to "clamp" or "wrap", or map it in scalar_map.decode`
	if err == nil || err.Error() != want || !errors.Is(err, dtype.ErrOutOfRange) || !errors.Is(err, codecs.ErrCorrupt) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestCastValueHazards(t *testing.T) {
	for _, c := range []struct {
		in, stored dtype.Type
		want       string
	}{
		{dtype.Int64, dtype.Float64, "encoding makes float64 of int64"},
		{dtype.Float64, dtype.Uint64, "decoding makes float64 of uint64"},
		{dtype.Float32, dtype.Int32, "decoding makes float32 of int32"},
		{dtype.Int16, dtype.Float16, "encoding makes float16 of int16"},
		{dtype.Int4, dtype.Float6E2M3FN, "encoding makes float6_e2m3fn of int4"}, // -8
		{dtype.Int8, dtype.BFloat16, ""},
		{dtype.Int8, dtype.Float16, ""},
		{dtype.Uint8, dtype.Float16, ""},
		{dtype.Int2, dtype.Float4E2M1FN, ""},
		{dtype.Float32, dtype.Int16, ""},
		{dtype.Int32, dtype.Float64, ""},
		{dtype.Float64, dtype.Float16, ""},
		{dtype.Int64, dtype.Int8, ""},
	} {
		b := bindArray(t, spec("cast_value", `{"data_type":"`+c.stored.Name()+`"}`), of(c.in, 2))
		list := b.(codecs.Hazardous).Hazards()
		switch {
		case c.want == "" && len(list) > 0:
			t.Errorf("%s to %s: %v", c.in.Name(), c.stored.Name(), list)
		case c.want != "" && (len(list) != 1 || list[0].Code != codecs.InexactCast || list[0].Field != "data_type" || !strings.HasPrefix(list[0].Message, c.want)):
			t.Errorf("%s to %s: %v, want %s", c.in.Name(), c.stored.Name(), list, c.want)
		}
	}
}

// A lossy codec behind cast_value may make elements that cast_value cannot decode: of 254, bitround
// makes 256, which no uint8 is.
func TestCastValueBeforeLossy(t *testing.T) {
	const bits, zfp = `{"keepbits":3}`, `{"mode":"fixed_precision","precision":5}`
	cast := func(configuration string) codecs.Spec { return spec("cast_value", configuration) }
	for _, c := range []struct {
		in    dtype.Type
		specs []codecs.Spec
		want  string // the codec that the hazard names, "" for no hazard
	}{
		{dtype.Uint8, []codecs.Spec{cast(`{"data_type":"float32"}`), spec("numcodecs.bitround", bits), spec("bytes", `{"endian":"little"}`)}, "numcodecs.bitround"},
		{dtype.Uint8, []codecs.Spec{cast(`{"data_type":"float32","out_of_range":"clamp"}`), spec("numcodecs.bitround", bits), spec("bytes", `{"endian":"little"}`)}, ""},
		{dtype.Uint8, []codecs.Spec{cast(`{"data_type":"float32"}`), spec("bytes", `{"endian":"little"}`)}, ""},
		{dtype.Uint16, []codecs.Spec{cast(`{"data_type":"float64"}`), spec("zfp", zfp)}, "zfp"},
		{dtype.Uint16, []codecs.Spec{cast(`{"data_type":"float64"}`), spec("zfp", `{"mode":"reversible"}`)}, ""},
		{dtype.Uint16, []codecs.Spec{cast(`{"data_type":"int32"}`), spec("zfp", zfp)}, "zfp"},
		{dtype.Int64, []codecs.Spec{cast(`{"data_type":"int32"}`), spec("zfp", zfp)}, ""},
		{dtype.Float32, []codecs.Spec{cast(`{"data_type":"float64"}`), spec("zfp", zfp)}, ""},
	} {
		chain, err := standard.Registry(dtype.Standard()).Bind(c.specs, of(c.in, 4))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, h := range chain.Hazards() {
			if h.Code == codecs.LossyUndecodable {
				got, _, _ = strings.Cut(h.Message, " ")
				if h.Codec != 0 || h.Name != "cast_value" || !strings.Contains(h.Hint, "clamp") {
					t.Errorf("%v: %+v", c.specs, h)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s, %v: hazard of %q, want %q", c.in.Name(), c.specs, got, c.want)
		}
	}
}

func FuzzCastValueConfig(f *testing.F) {
	fuzzArrayConfig(f, "cast_value", false, realTypes(), `{"data_type":"int8"}`, `{"data_type":"float16","rounding":"towards-positive"}`,
		`{"data_type":"uint64","out_of_range":"clamp","rounding":"nearest-away"}`, `{"data_type":"int4","out_of_range":"wrap"}`, `{"data_type":"complex64"}`,
		`{"data_type":"float8_e8m0fnu","scalar_map":{"encode":[[0,1],["NaN","NaN"],["0x7fc0",2]],"decode":[[1,0],[1,0]]}}`,
		`{"data_type":"float64","scalar_map":{"encode":[[1,2],[2,1]],"decode":[[2,1],[1,2],["+Infinity",3]]}}`)
}
