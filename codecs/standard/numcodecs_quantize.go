package standard

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// quantizeName is the name of the codec.
const quantizeName = "numcodecs.quantize"

// numcodecsQuantizeDefinition is the codec "numcodecs.quantize". It rounds floats to a
// multiple of a power of two. The power is fine enough for a number of decimal digits
// behind the point. Decoding changes nothing but the type.
//
// The arithmetic is that of numcodecs: round(x × 2^bits) ÷ 2^bits in the array's own
// type, half to even. 2^bits is the least power of two that is not below 10^digits.
func numcodecsQuantizeDefinition(registry *dtype.Registry) codecs.Definition {
	types := numpyTypes{registry}
	return codecs.Definition{
		Name: quantizeName, Kind: codecs.KindArrayToArray,
		Summary: "rounds floats to some decimal digits",
		Lossy:   "decimal digits beyond those kept",
		Fields: []codecs.Field{
			{Name: "digits", Type: "integer", Doc: "decimal digits to keep behind the point; negative: before it"},
			{Name: "dtype", Type: `NumPy type of floats such as "<f8"`, Default: "null", Doc: "type of the array; left out: the array's data type"},
			{Name: "astype", Type: `NumPy type of floats such as "<f4"`, Default: "null", Doc: "type to store; left out: dtype"},
		},
		Example: json.RawMessage(`{"digits":3}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Digits *int    `json:"digits"`
				Dtype  *string `json:"dtype"`
				Astype *string `json:"astype"`
			}
			err := codecs.ReadConfiguration(text, &c)
			if err != nil {
				return nil, err
			}
			if c.Digits == nil {
				return nil, codecs.Fieldf("digits", "missing: want the number of decimal digits to keep")
			}
			b := quantizeCodec{digits: *c.Digits}
			if b.decoded, err = types.parse("dtype", c.Dtype); err != nil {
				return nil, err
			}
			b.encoded, err = types.parse("astype", c.Astype)
			return b, err
		},
	}
}

type quantizeCodec struct {
	digits           int
	decoded, encoded dtype.Type // nil if not given
}

func (c quantizeCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	decoded, err := decodedType("dtype", c.decoded, in.Type)
	if err != nil {
		return nil, err
	}
	encoded := c.encoded
	if encoded == nil {
		encoded = decoded
	}
	from, to := numberOf(decoded), numberOf(encoded)
	if !from.float() {
		return nil, codecs.Fieldf("", "data type %s: want float16, float32 or float64", in.Type.Name())
	}
	if !to.float() {
		return nil, codecs.Fieldf("astype", "%s: want float16, float32 or float64", encoded.Name())
	}
	bits, ok := quantizeBits(c.digits, from)
	if !ok {
		return nil, codecs.Fieldf("digits", "%d: no power of two of %s is as fine", c.digits, decoded.Name())
	}
	scale := constant{float: math.Ldexp(1, bits)}
	p := newProgram(from)
	p.apply(multiply, scale)
	p.apply(round, constant{})
	p.apply(divide, scale)
	b := &castBound{in: in.Type, out: in, encode: p.kernel(to), decode: cast(from, to), scale: 1, stable: true, hostOrder: true}
	digits := "digits"
	if c.digits == 1 {
		digits = "digit"
	}
	b.losses = append([]codecs.Loss{{What: fmt.Sprintf("rounded to %d decimal %s", c.digits, digits), AtMost: math.Ldexp(1, -bits-1)}}, astypeLosses(encoded, decoded)...)
	b.out.Type, b.out.Fill = encoded, b.encode.Scalar(encoded, in.Type, in.Fill)
	b.spec = codecs.Spec{Name: quantizeName, Configuration: fmt.Appendf(nil,
		`{"digits":%d,"dtype":%s,"astype":%s}`, c.digits, numpyName(decoded), numpyName(encoded))}
	return b, nil
}

// quantizeBits returns the exponent of the power of two. It returns false if the type
// of the arithmetic does not have that power.
func quantizeBits(digits int, n number) (int, bool) {
	if digits == 0 {
		return 0, true
	}
	tens := math.Pow(10, float64(digits)) // 0 or infinity beyond the range of float64
	_, bits := math.Frexp(tens)           // 1 is the only power of ten that is a power of two
	least, most := -1074, 1023
	switch n {
	case float16Number:
		least, most = -24, 15
	case float32Number:
		least, most = -149, 127
	}
	return bits, tens > 0 && !math.IsInf(tens, 0) && bits >= least && bits <= most
}

// inTwo splits this codec into one that rounds and one that converts, if it stores
// another type. The quantize of zarr-python for Zarr v3 keeps the type.
func inTwo(spec codecs.Spec) []codecs.Spec {
	var fields map[string]any
	if spec.Name != quantizeName || json.Unmarshal(spec.Configuration, &fields) != nil {
		return []codecs.Spec{spec}
	}
	from, to := fields["dtype"], fields["astype"]
	if from == nil || to == nil || from == to {
		return []codecs.Spec{spec}
	}
	fields["astype"] = from
	rounds, err := json.Marshal(fields)
	if err != nil {
		return []codecs.Spec{spec}
	}
	converts, err := json.Marshal(map[string]any{"encode_dtype": to, "decode_dtype": from})
	if err != nil {
		return []codecs.Spec{spec}
	}
	return []codecs.Spec{{Name: spec.Name, Configuration: rounds}, {Name: astypeName, Configuration: converts}}
}
