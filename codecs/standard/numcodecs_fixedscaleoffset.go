package standard

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
)

// FixedScaleOffsetName is the name of the codec.
const FixedScaleOffsetName = "numcodecs.fixedscaleoffset"

// numcodecsFixedscaleoffsetDefinition is the codec "numcodecs.fixedscaleoffset". It
// stores (x − offset) × scale as another type, rounded half to even.
//
// The arithmetic is that of numcodecs with NumPy 2, to the last bit. Floats are
// computed in their own type, and every step is rounded. Integers stay integers and
// wrap, as long as offset and scale are spelled as integers that the type holds. From
// the first constant that is not, the computation goes on in float64. Decoding divides
// stored integers as float64, adds, and converts at the end. A number that is too large
// for an integer loses its upper bits, see [cast].
func numcodecsFixedscaleoffsetDefinition(registry *dtype.Registry) codecs.Definition {
	types := numpyTypes{registry}
	return codecs.Definition{
		Name: FixedScaleOffsetName, Kind: codecs.KindArrayToArray,
		Summary: "subtracts, multiplies and rounds to whole numbers",
		Lossy:   "what rounding takes, at most half a unit of 1/scale, and the arithmetic of floats",
		Fields: []codecs.Field{
			{Name: "offset", Type: "number", Doc: "subtracted first"},
			{Name: "scale", Type: "number other than 0", Doc: "multiplied with what remains"},
			{Name: "dtype", Type: `NumPy type such as "<f8"`, Default: "null", Doc: "type of the array; left out: the array's data type"},
			{Name: "astype", Type: `NumPy type such as "<i2"`, Default: "null", Doc: "type to store; left out: dtype"},
		},
		Example: json.RawMessage(`{"offset":0,"scale":100,"astype":"<i4"}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Offset json.RawMessage `json:"offset"`
				Scale  json.RawMessage `json:"scale"`
				Dtype  *string         `json:"dtype"`
				Astype *string         `json:"astype"`
			}
			err := codecs.ReadConfiguration(text, &c)
			if err != nil {
				return nil, err
			}
			b := scaleOffsetCodec{}
			if b.offset, err = parseConstant("offset", c.Offset); err != nil {
				return nil, err
			}
			if b.scale, err = parseConstant("scale", c.Scale); err != nil {
				return nil, err
			}
			if b.scale.float == 0 {
				return nil, codecs.Fieldf("scale", "zero: nothing could be decoded")
			}
			if b.decoded, err = types.parse("dtype", c.Dtype); err != nil {
				return nil, err
			}
			b.encoded, err = types.parse("astype", c.Astype)
			return b, err
		},
	}
}

// constant is a number of a configuration. Its spelling, as an integer or not, decides
// in which type the arithmetic is done.
type constant struct {
	text  json.RawMessage
	float float64
	whole int64
	isInt bool
}

func parseConstant(name string, text json.RawMessage) (constant, error) {
	if text == nil {
		return constant{}, codecs.Fieldf(name, "missing: want a number")
	}
	c := constant{text: text}
	var err error
	if c.float, err = strconv.ParseFloat(string(text), 64); err != nil {
		return c, codecs.Fieldf(name, "%.60s: want a number that a float64 holds", text)
	}
	c.whole, err = strconv.ParseInt(string(text), 10, 64)
	c.isInt = err == nil
	return c, nil
}

// fits reports whether the constant can be used in integer arithmetic.
func (c constant) fits(n number) bool {
	if !c.isInt || !n.integer() {
		return false
	}
	bits := 8 << ((n - int8Number) % 4)
	if n.signed() {
		return c.whole>>(bits-1) == 0 || c.whole>>(bits-1) == -1
	}
	return c.whole >= 0 && (bits == 64 || c.whole>>bits == 0)
}

type scaleOffsetCodec struct {
	offset, scale    constant
	decoded, encoded dtype.Type // nil if not given
}

func (c scaleOffsetCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	decoded, err := decodedType("dtype", c.decoded, in.Type)
	if err != nil {
		return nil, err
	}
	encoded := c.encoded
	if encoded == nil {
		encoded = decoded
	}
	from, to := numberOf(decoded), numberOf(encoded)
	if !from.integer() && !from.float() {
		return nil, codecs.Fieldf("", "data type %s: want integers or floats", in.Type.Name())
	}
	if !to.integer() && !to.float() {
		return nil, codecs.Fieldf("astype", "%s: want integers or floats", encoded.Name())
	}
	b := &castBound{in: in.Type, out: in, encode: c.encoder(from, to), decode: c.decoder(from, to), scale: math.Abs(c.scale.float)}
	b.losses = c.lost(from, to)
	b.stable = roundsAway(in.Type, encoded, c.offset.float, c.scale.float)
	b.out.Type, b.out.Fill = encoded, b.encode.Scalar(encoded, in.Type, in.Fill)
	b.spec = codecs.Spec{Name: FixedScaleOffsetName, Configuration: fmt.Appendf(nil,
		`{"offset":%s,"scale":%s,"dtype":%s,"astype":%s}`, c.offset.text, c.scale.text, numpyName(decoded), numpyName(encoded))}
	return b, nil
}

// lost returns the losses. from and to are as in encoder.
func (c scaleOffsetCodec) lost(from, to number) []codecs.Loss {
	var list []codecs.Loss
	if from.float() {
		list = append(list, codecs.Loss{What: "rounded to whole numbers behind offset and scale, and in the last places by the arithmetic", AtMost: 0.5 / math.Abs(c.scale.float)})
	}
	if to.integer() && from != to {
		list = append(list, codecs.Loss{What: "numbers that the stored type does not hold lose their upper bits, without a bound"})
	}
	return list
}

func (c scaleOffsetCodec) encoder(from, to number) elements.Kernel {
	p := newProgram(from)
	for _, op := range []struct {
		operation
		constant
	}{{subtract, c.offset}, {multiply, c.scale}} {
		if p.work.integer() && !op.fits(p.work) {
			p.convert(float64Number)
		}
		p.apply(op.operation, op.constant)
	}
	p.apply(round, constant{})
	return p.kernel(to)
}

func (c scaleOffsetCodec) decoder(from, to number) elements.Kernel {
	p := newProgram(to)
	if to.integer() {
		p.convert(float64Number)
	}
	p.apply(divide, c.scale)
	p.apply(add, c.offset)
	return p.kernel(from)
}
