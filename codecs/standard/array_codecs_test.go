package standard_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

func of(t dtype.Type, shape ...int) codecs.Chunk {
	return codecs.Chunk{Type: t, Shape: shape, Fill: t.Default()}
}

// twelveBits is a data type of another module: integers of 12 bits in two bytes.
type twelveBits struct{ dtype.Numeric }

func (twelveBits) Name() string                            { return "example.int12" }
func (twelveBits) Size() int                               { return 2 }
func (twelveBits) Default() dtype.Scalar                   { return make(dtype.Scalar, 2) }
func (twelveBits) V3() (json.RawMessage, error)            { return json.RawMessage(`"example.int12"`), nil }
func (twelveBits) V2(dtype.Order) (json.RawMessage, error) { return nil, errors.New("none") }
func (twelveBits) Kind() dtype.Kind                        { return dtype.Int }
func (twelveBits) Packing() dtype.Packing {
	return dtype.Packing{Components: 1, Bits: 12, Signed: true}
}
func (twelveBits) FormatScalar(_ dtype.Format, s dtype.Scalar) json.RawMessage {
	return dtype.Int16.FormatScalar(dtype.V3, s)
}

// withoutElements returns shapes without elements. Codecs that lose some elements run
// on them; other tests compare values. The suite's bools are any bytes, not only 0 and
// 1.
func withoutElements() [][]int { return [][]int{{0}, {3, 0, 2}} }

func integers() []dtype.Type {
	return []dtype.Type{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64}
}

func floats() []dtype.Type { return []dtype.Type{dtype.Float16, dtype.Float32, dtype.Float64} }

func bools() []dtype.Type { return []dtype.Type{dtype.BoolType} }

func times(t testing.TB) []dtype.Type {
	t.Helper()
	days, err := dtype.Datetime64("D", 1)
	if err != nil {
		t.Fatal(err)
	}
	hours, err := dtype.Timedelta64("h", 3)
	if err != nil {
		t.Fatal(err)
	}
	return []dtype.Type{days, hours}
}

func TestArrayCodecsConformance(t *testing.T) {
	r := standard.Registry(dtype.Standard())
	for _, c := range arrayCases(t) {
		t.Run(c.Spec.Name+string(c.Spec.Configuration), func(t *testing.T) {
			t.Parallel()
			codectest.Run(t, r, c)
		})
	}
}

func arrayCases(t *testing.T) []codectest.Case {
	t.Helper()
	return slices.Concat(bitroundCases(t), packbitsCases(t), shapeCases(), convertingCases(t), scalingCases(), scaleOffsetCases(t), castValueCases(), n5Cases(), pcodecCases(), zfpCases(t))
}

func pcodecCases() []codectest.Case {
	var cases []codectest.Case
	for _, level := range []string{"0", "3", "8"} {
		cases = append(cases, codectest.Case{
			Spec:  spec("numcodecs.pcodec", `{"level":`+level+`,"mode_spec":"auto","delta_spec":"auto","paging_spec":"equal_pages_up_to","delta_encoding_order":null,"equal_pages_up_to":262144}`),
			Types: slices.Concat(integers(), floats()), Refused: []codectest.Refused{
				{Configuration: `{"level":13}`, Field: "level"},
				{Configuration: `{"delta_encoding_order":8}`, Field: "delta_encoding_order"},
				{Configuration: `{"equal_pages_up_to":0}`, Field: "equal_pages_up_to"},
				{Configuration: `{}`, Chunk: of(dtype.BoolType, 3)},
				{Configuration: `{}`, Chunk: of(dtype.BFloat16, 3)},
				{Configuration: `{}`, Chunk: of(dtype.Int4, 3)},
				{Configuration: `{}`, Chunk: of(dtype.Complex64, 3)},
			},
		})
	}
	return cases
}

func bitroundCases(t *testing.T) []codectest.Case {
	t.Helper()
	return []codectest.Case{
		{
			Spec:  spec("bitround", `{"keepbits":64}`),
			Types: slices.Concat(integers(), floats(), times(t), []dtype.Type{dtype.BFloat16, dtype.ComplexBFloat16, dtype.Complex64, dtype.Complex128, dtype.Float8E5M2}),
			Refused: []codectest.Refused{
				{Configuration: `{}`, Field: "keepbits"},
				{Configuration: `{"keepbits":-1}`, Field: "keepbits"},
				{Configuration: `{"keepbits":1.5}`, Field: "keepbits"},
				{Configuration: `{"keepbits":1}`, Chunk: of(dtype.BoolType, 3)},
				{Configuration: `{"keepbits":1}`, Chunk: of(dtype.Int4, 3)},
				{Configuration: `{"keepbits":1}`, Chunk: of(dtype.Float8E4M3FNUZ, 3)},
				{Configuration: `{"keepbits":1}`, Chunk: of(dtype.RawBits(2), 3)},
			},
		},
		{
			Spec: spec("numcodecs.bitround", `{"keepbits":10}`), Types: []dtype.Type{dtype.Float16},
			Refused: []codectest.Refused{
				{Configuration: `{"keepbits":11}`, Chunk: of(dtype.Float16, 3), Field: "keepbits"},
				{Configuration: `{"keepbits":1}`, Chunk: of(dtype.BFloat16, 3)},
				{Configuration: `{"keepbits":1}`, Chunk: of(dtype.Complex64, 3)},
				{Configuration: `{"keepbits":1}`, Chunk: of(dtype.Int16, 3)},
			},
		},
	}
}

func packbitsCases(t *testing.T) []codectest.Case {
	t.Helper()
	narrow := []dtype.Type{
		dtype.Int2, dtype.Uint2, dtype.Int4, dtype.Uint4, dtype.Float4E2M1FN, dtype.Float6E2M3FN, dtype.Float6E3M2FN,
		dtype.ComplexFloat4E2M1FN, dtype.ComplexFloat6E2M3FN, dtype.BFloat16, dtype.ComplexBFloat16, dtype.ComplexFloat16, dtype.Float8E5M2,
		dtype.Complex64, dtype.Complex128, twelveBits{},
	}
	return []codectest.Case{
		{Spec: spec("packbits", ``), Types: slices.Concat(narrow, integers(), floats(), times(t)), Refused: []codectest.Refused{
			{Configuration: `{"padding_encoding":"first"}`, Field: "padding_encoding"},
			{Configuration: `{"first_bit":-1}`, Field: "first_bit"},
			{Configuration: `{"first_bit":32}`, Field: "first_bit"},
			{Configuration: `{"first_bit":2,"last_bit":1}`, Field: "last_bit"},
			{Configuration: `{"last_bit":32}`, Field: "last_bit"},
			{Configuration: `{"end_bit":32}`, Field: "end_bit"},
			{Configuration: `{"first_bit":0,"start_bit":0}`, Field: "start_bit"},
			{Configuration: `{"last_bit":0,"end_bit":0}`, Field: "end_bit"},
			{Configuration: `{"last_bit":12}`, Chunk: of(twelveBits{}, 2), Field: "last_bit"},
			{Configuration: `{}`, Chunk: of(dtype.RawBits(2), 2)},
		}},
		{Spec: spec("packbits", `{"padding_encoding":"none"}`), Types: bools(), Shapes: withoutElements()},
		{Spec: spec("packbits", `{"padding_encoding":"first_byte"}`), Types: narrow},
		{Spec: spec("packbits", `{"padding_encoding":"end_byte","start_bit":null,"end_bit":null}`), Types: narrow},
		{Spec: spec("packbits", `{"padding_encoding":"last_byte","first_bit":0,"last_bit":63}`), Types: []dtype.Type{dtype.Int64, dtype.Float64, dtype.Complex128}},
		{Spec: spec("numcodecs.packbits", ``), Types: bools(), Shapes: withoutElements(), Refused: []codectest.Refused{
			{Configuration: `{}`, Chunk: of(dtype.Uint8, 3)},
		}},
	}
}

func shapeCases() []codectest.Case {
	return []codectest.Case{
		{Spec: spec("reshape", `{"shape":[-1]}`), Refused: []codectest.Refused{
			{Configuration: `{}`, Field: "shape"},
			{Configuration: `{"shape":null}`, Field: "shape"},
			{Configuration: `{"shape":3}`, Field: "shape"},
			{Configuration: `{"shape":[0]}`, Field: "shape[0]"},
			{Configuration: `{"shape":[-2]}`, Field: "shape[0]"},
			{Configuration: `{"shape":[1.5]}`, Field: "shape[0]"},
			{Configuration: `{"shape":[[-1]]}`, Field: "shape[0]"},
			{Configuration: `{"shape":[[null]]}`, Field: "shape[0]"},
			{Configuration: `{"shape":[-1,-1]}`, Field: "shape[1]"},
			{Configuration: `{"shape":[4]}`, Field: "shape"},
			{Configuration: `{"shape":[-1,2]}`, Field: "shape[0]"},
			{Configuration: `{"shape":[[1],[0]]}`, Chunk: of(dtype.Int8, 2, 3), Field: "shape[1]"},
			{Configuration: `{"shape":[[1,0]]}`, Chunk: of(dtype.Int8, 2, 3), Field: "shape[0]"},
			{Configuration: `{"shape":[[0],[0]]}`, Chunk: of(dtype.Int8, 2, 3), Field: "shape[1]"},
			{Configuration: `{"shape":[[0],[2]]}`, Chunk: of(dtype.Int8, 2, 3), Field: "shape[1]"},
			{Configuration: `{"shape":[3,[0]]}`, Chunk: of(dtype.Int8, 2, 3), Field: "shape[1]"},
			{Configuration: `{"shape":[[1],-1]}`, Chunk: of(dtype.Int8, 2, 3), Field: "shape[0]"},
			{Configuration: `{"shape":[9223372036854775807,3]}`, Field: "shape"},
		}},
		{Spec: spec("reshape", `{"shape":[[0,1],[2]]}`), Shapes: [][]int{{1, 1, 1}, {2, 3, 4}, {5, 0, 2}, {9, 17, 33}}},
		{Spec: spec("reshape", `{"shape":[[0,1],3,[3,4]]}`), Shapes: [][]int{{2, 1, 3, 2, 2}, {4, 3, 3, 1, 1}}},
		{Spec: spec("reshape", `{"shape":[2,-1,1,[1]]}`), Shapes: [][]int{{4, 5}, {2, 1}, {12, 7}}},
		{Spec: spec("reshape", `{"shape":[]}`), Shapes: [][]int{{}, {1}, {1, 1}}},
		{Spec: spec("reshape", `{"shape":[6,4]}`), Shapes: [][]int{{4, 6}, {24}, {2, 3, 4}, {3, 2, 2, 2}}},
		{Spec: spec("zarrs.squeeze", ``)},
		{Spec: spec("zarrs.squeeze", `{}`), Shapes: [][]int{{1}, {1, 1}, {1, 4, 1, 3, 1}, {1, 0, 1}}},
	}
}

func convertingCases(t *testing.T) []codectest.Case {
	t.Helper()
	return []codectest.Case{
		{Related: true, Spec: spec("numcodecs.delta", `{}`), Types: slices.Concat(integers(), times(t)), Refused: []codectest.Refused{
			{Configuration: `{"dtype":"<i2"}`, Field: "dtype"},
			{Configuration: `{"dtype":4}`, Field: "dtype"},
			{Configuration: `{"dtype":"<M8[ns]x"}`, Field: "dtype"},
			{Configuration: `{"astype":"<U4"}`, Field: "astype"},
			{Configuration: `{"astype":"<f4"}`, Field: "astype"},
			{Configuration: `{"astype":"<i2"}`, Chunk: of(dtype.Float32, 3), Field: "astype"},
			{Configuration: `{"astype":"|b1"}`, Chunk: of(dtype.Int8, 3), Field: "astype"},
			{Configuration: `{}`, Chunk: of(dtype.BoolType, 3)},
			{Configuration: `{}`, Chunk: of(dtype.Complex64, 3)},
			{Configuration: `{}`, Chunk: of(dtype.Int4, 3)},
			{Configuration: `{}`, Chunk: of(dtype.BFloat16, 3)},
		}},
		{Related: true, Spec: spec("numcodecs.delta", `{"dtype":"<i2","astype":">u8"}`), Types: []dtype.Type{dtype.Int16}},
		{Related: true, Spec: spec("numcodecs.delta", `{"dtype":"uint32","astype":"i8"}`), Types: []dtype.Type{dtype.Uint32}},
		{Related: true, Spec: spec("numcodecs.delta", `{"dtype":"<f8","astype":"<f8"}`), Types: []dtype.Type{dtype.Float64}, Shapes: withoutElements()},
		{Spec: spec("numcodecs.astype", `{"encode_dtype":"<i8"}`), Types: integers(), Refused: []codectest.Refused{
			{Configuration: `{}`, Field: "encode_dtype"},
			{Configuration: `{"encode_dtype":"<q4"}`, Field: "encode_dtype"},
			{Configuration: `{"encode_dtype":"bfloat16"}`, Field: "encode_dtype"},
			{Configuration: `{"encode_dtype":"<c8"}`, Field: "encode_dtype"},
			{Configuration: `{"encode_dtype":"<i8","decode_dtype":"<i8"}`, Field: "decode_dtype"},
			{Configuration: `{"encode_dtype":"<i8"}`, Chunk: of(dtype.FixedUTF32(2), 3)},
		}},
		{Spec: spec("numcodecs.astype", `{"encode_dtype":"<u8","decode_dtype":"|b1"}`), Types: bools(), Shapes: withoutElements()},
		{Spec: spec("numcodecs.astype", `{"encode_dtype":"<c8"}`), Types: []dtype.Type{dtype.Complex64}},
	}
}

func scalingCases() []codectest.Case {
	return []codectest.Case{
		{Spec: spec("numcodecs.fixedscaleoffset", `{"offset":0,"scale":1}`), Types: []dtype.Type{dtype.Int8, dtype.Int16, dtype.Int32, dtype.Uint8, dtype.Uint16, dtype.Uint32}, Refused: []codectest.Refused{
			{Configuration: `{"scale":1}`, Field: "offset"},
			{Configuration: `{"offset":1}`, Field: "scale"},
			{Configuration: `{"offset":1,"scale":0}`, Field: "scale"},
			{Configuration: `{"offset":1,"scale":-0.0}`, Field: "scale"},
			{Configuration: `{"offset":"1","scale":1}`, Field: "offset"},
			{Configuration: `{"offset":1e999,"scale":1}`, Field: "offset"},
			{Configuration: `{"offset":null,"scale":1}`, Field: "offset"},
			{Configuration: `{"offset":0,"scale":1,"dtype":"<f4"}`, Field: "dtype"},
			{Configuration: `{"offset":0,"scale":1,"astype":"<c8"}`, Field: "astype"},
			{Configuration: `{"offset":0,"scale":1}`, Chunk: of(dtype.BoolType, 3)},
			{Configuration: `{"offset":0,"scale":1}`, Chunk: of(dtype.Complex64, 3)},
			{Configuration: `{"offset":0,"scale":1}`, Chunk: of(dtype.Float8E5M2, 3)},
		}},
		{Spec: spec("numcodecs.fixedscaleoffset", `{"offset":-7,"scale":2,"astype":"<i4"}`), Types: []dtype.Type{dtype.Int8}, Shapes: withoutElements()},
		{Spec: spec("numcodecs.quantize", `{"digits":2}`), Types: floats(), Shapes: withoutElements(), Refused: []codectest.Refused{
			{Configuration: `{}`, Chunk: of(dtype.Float32, 3), Field: "digits"},
			{Configuration: `{"digits":1.5}`, Chunk: of(dtype.Float32, 3), Field: "digits"},
			{Configuration: `{"digits":39}`, Chunk: of(dtype.Float32, 3), Field: "digits"},
			{Configuration: `{"digits":5}`, Chunk: of(dtype.Float16, 3), Field: "digits"},
			{Configuration: `{"digits":400}`, Chunk: of(dtype.Float64, 3), Field: "digits"},
			{Configuration: `{"digits":-400}`, Chunk: of(dtype.Float64, 3), Field: "digits"},
			{Configuration: `{"digits":1}`},
			{Configuration: `{"digits":1,"dtype":"<f8"}`, Chunk: of(dtype.Float32, 3), Field: "dtype"},
			{Configuration: `{"digits":1,"astype":"<i4"}`, Chunk: of(dtype.Float32, 3), Field: "astype"},
		}},
	}
}

func n5Cases() []codectest.Case {
	const two = `{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}`
	chain := func(order, endian string) string {
		return `{"codecs":[{"name":"transpose","configuration":{"order":` + order + `}},{"name":"bytes","configuration":{"endian":"` + endian + `"}}]}`
	}
	types := []dtype.Type{
		dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64, dtype.Float32, dtype.Float64,
	}
	shapes := [][]int{{1, 1}, {3, 5}, {0, 4}, {30, 40}}
	return []codectest.Case{
		{Spec: spec("n5_default", two+`]}`), Types: types, Shapes: shapes, Refused: []codectest.Refused{
			{Configuration: `{}`, Field: "codecs"},
			{Configuration: `{"codecs":3}`, Field: "codecs"},
			{Configuration: `{"codecs":[]}`, Field: "codecs"},
			{Configuration: `{"codecs":["bytes"]}`, Field: "codecs[0]"},
			{Configuration: `{"codecs":[{"name":"transpose","configuration":{"order":[0]}}]}`, Field: "codecs"},
			{Configuration: `{"codecs":[{"name":"transpose","configuration":{"order":[0]}},"crc32c"]}`, Field: "codecs[1]"},
			{Configuration: `{"codecs":[{"name":"transpose","configuration":{"order":[0,0]}},"bytes"]}`, Field: "codecs"},
			{Configuration: chain("[0]", "little"), Field: "codecs[1].configuration.endian"},
			{Configuration: chain("[0,1]", "big"), Chunk: of(dtype.Int16, 2, 2), Field: "codecs[0].configuration.order"},
			{Configuration: chain("[0,1]", "big"), Field: "codecs"},
			{Configuration: chain("[0]", "big"), Chunk: of(dtype.Float16, 2)},
			{Configuration: two + `,"crc32c","crc32c"]}`, Field: "codecs[3]"},
			{Configuration: two + `,{"name":"gzip","configuration":{"level":11}}]}`, Field: "codecs"},
		}},
		{Spec: spec("n5_default", two+`,{"name":"gzip","configuration":{"level":1}}]}`), Types: types, Shapes: shapes},
		{Spec: spec("n5_default", chain(`"F"`, "big")), Types: []dtype.Type{dtype.Int16}},
		{Spec: spec("n5_default", `{"codecs":[{"name":"transpose","configuration":{"order":"F"}},"bytes"]}`), Types: []dtype.Type{dtype.Uint8}},
	}
}

// TestExamples binds the example of each definition to an array of two dimensions.
func TestExamples(t *testing.T) {
	r := standard.Registry(dtype.Standard())
	for _, d := range r.Definitions() {
		if d.Kind == codecs.KindBytesToBytes {
			continue
		}
		bound := false
		for _, typ := range []dtype.Type{dtype.Float32, dtype.BoolType, dtype.StringType, dtype.BytesType} {
			specs := []codecs.Spec{{Name: d.Name, Configuration: d.Example}}
			if d.Kind == codecs.KindArrayToArray {
				specs = append(specs, codecs.Spec{Name: "bytes"})
			}
			_, err := r.Bind(specs, of(typ, 4, 4))
			bound = bound || err == nil
		}
		if !bound {
			t.Errorf("codec %s: its example suits no array", d.Name)
		}
	}
}

// encodeArray encodes an array with one codec.
func encodeArray(t *testing.T, s codecs.Spec, a ndarray.Array) (ndarray.Array, error) {
	t.Helper()
	b := bindArray(t, s, codecs.Chunk{Type: a.Type, Shape: a.Shape, Fill: a.Type.Default()})
	out := ndarray.New(b.Encoded().Type, b.Encoded().Shape)
	return out, b.Encode(out, a)
}

func bindArray(t testing.TB, s codecs.Spec, in codecs.Chunk) codecs.ArrayToArray {
	t.Helper()
	d, err := standard.Registry(dtype.Standard()).Lookup(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	codec, err := d.Parse(s.Configuration)
	if err != nil {
		t.Fatal(err)
	}
	b, err := codec.(codecs.ArrayToArrayCodec).BindArrayToArray(in)
	if err != nil {
		t.Fatalf("%s%s to %s: %v", s.Name, s.Configuration, in.Type.Name(), err)
	}
	return b
}
