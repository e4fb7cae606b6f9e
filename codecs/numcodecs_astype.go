package codecs

import (
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// numcodecsAstypeDefinition is the codec "numcodecs.astype": elements are
// stored as numbers of another type, converted as NumPy's astype does. A float
// that is far out of the range of an integer, where NumPy's result depends on
// the machine, is an error.
func numcodecsAstypeDefinition() Definition {
	types := numpyTypes{dtype.Standard()}
	return Definition{
		Name: "numcodecs.astype", Kind: KindArrayToArray,
		Summary: "stores numbers as another type",
		Lossy:   "what the stored type cannot hold",
		Fields: []Field{
			{Name: "encode_dtype", Type: `NumPy type of numbers such as "<f4"`, Doc: "type to store"},
			{Name: "decode_dtype", Type: `NumPy type of numbers such as "<f8"`, Default: "null", Doc: "type of the array; left out: the array's data type"},
		},
		Example: json.RawMessage(`{"encode_dtype":"<f4"}`),
		Parse: func(text json.RawMessage) (Codec, error) {
			var c struct {
				Encode *string `json:"encode_dtype"`
				Decode *string `json:"decode_dtype"`
			}
			if err := configuration(text, &c); err != nil {
				return nil, err
			}
			if c.Encode == nil {
				return nil, field("encode_dtype", `missing: want a NumPy type such as "<f4"`)
			}
			encode, err := types.parse("encode_dtype", c.Encode)
			if err != nil {
				return nil, err
			}
			decode, err := types.parse("decode_dtype", c.Decode)
			return astypeCodec{encode: encode, decode: decode}, err
		},
	}
}

type astypeCodec struct{ encode, decode dtype.Type }

func (c astypeCodec) BindArrayToArray(in Chunk) (ArrayToArray, error) {
	decode, err := decodedType("decode_dtype", c.decode, in.Type)
	if err != nil {
		return nil, err
	}
	b := &castBound{in: in.Type, out: in, scale: 1, losses: astypeLosses(c.encode, in.Type)}
	b.encode, b.decode = cast(numberOf(c.encode), numberOf(in.Type)), cast(numberOf(in.Type), numberOf(c.encode))
	if b.encode == nil {
		return nil, field("encode_dtype", "%s: complex numbers are stored as complex numbers, and others as others", c.encode.Name())
	}
	b.out.Type, b.out.Fill = c.encode, b.encode.scalar(c.encode, in.Type, in.Fill)
	b.spec = Spec{Name: "numcodecs.astype", Configuration: fmt.Appendf(nil,
		`{"encode_dtype":%s,"decode_dtype":%s}`, numpyName(c.encode), numpyName(decode))}
	return b, nil
}

// castBound is an elementwise codec.
//
// The fill value of its encoded arrays is nil where the array's own has no
// encoding: such arrays can be read, and written as long as the fill value is
// not among the elements.
type castBound struct {
	spec           Spec
	in             dtype.Type
	out            Chunk
	encode, decode kernel
	scale          float64 // the magnitude of what numbers are multiplied with
	losses         []Loss
}

func (b *castBound) Spec() Spec { return b.spec }

// numpySpelled: quantize looks at the memory of an array as its own type, which
// zarr-python from 3.4 on has in the host's order.
func (b *castBound) numpySpelled() bool { return b.spec.Name != "numcodecs.quantize" }

// EncodedRegion implements [Regional]: each element is for itself.
func (b *castBound) EncodedRegion(r ndarray.Region) ndarray.Region { return r }

func (b *castBound) Encoded() Chunk { return b.out }

func (b *castBound) encodeKernel() kernel { return b.encode }
func (b *castBound) decodeKernel() kernel { return b.decode }

func (b *castBound) Encode(dst, src ndarray.Array) error { return encodeElements(b, dst, src) }
func (b *castBound) Decode(dst, src ndarray.Array) error { return decodeElements(b, dst, src) }

func (b *castBound) encodeError(src ndarray.Array, at int) error {
	return unfit(src, at, b.out.Type)
}

func (b *castBound) decodeError(src ndarray.Array, at int) error {
	return fmt.Errorf("%w: %w", ErrCorrupt, unfit(src, at, b.in))
}
