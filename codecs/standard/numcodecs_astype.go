package standard

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// astypeName is the name of the codec.
const astypeName = "numcodecs.astype"

// numcodecsAstypeDefinition is the codec "numcodecs.astype". It stores elements as
// numbers of another type and converts them as NumPy's astype does. A float far out of
// the range of an integer type is an error, because NumPy's result depends on the
// machine.
func numcodecsAstypeDefinition(registry *dtype.Registry) codecs.Definition {
	types := numpyTypes{registry}
	return codecs.Definition{
		Name: astypeName, Kind: codecs.KindArrayToArray,
		Summary: "stores numbers as another type",
		Lossy:   "what the stored type cannot hold",
		Fields: []codecs.Field{
			{Name: "encode_dtype", Type: `NumPy type of numbers such as "<f4"`, Doc: "type to store"},
			{Name: "decode_dtype", Type: `NumPy type of numbers such as "<f8"`, Default: "null", Doc: "type of the array; left out: the array's data type"},
		},
		Example: json.RawMessage(`{"encode_dtype":"<f4"}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Encode *string `json:"encode_dtype"`
				Decode *string `json:"decode_dtype"`
			}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Encode == nil {
				return nil, codecs.Fieldf("encode_dtype", `missing: want a NumPy type such as "<f4"`)
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

func (c astypeCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	decode, err := decodedType("decode_dtype", c.decode, in.Type)
	if err != nil {
		return nil, err
	}
	b := &castBound{in: in.Type, out: in, scale: 1, losses: astypeLosses(c.encode, in.Type), stable: true}
	b.encode, b.decode = cast(numberOf(c.encode), numberOf(in.Type)), cast(numberOf(in.Type), numberOf(c.encode))
	if b.encode == nil {
		return nil, codecs.Fieldf("encode_dtype", "%s: complex numbers are stored as complex numbers, and others as others", c.encode.Name())
	}
	b.out.Type, b.out.Fill = c.encode, b.encode.Scalar(c.encode, in.Type, in.Fill)
	b.spec = codecs.Spec{Name: astypeName, Configuration: fmt.Appendf(nil,
		`{"encode_dtype":%s,"decode_dtype":%s}`, numpyName(c.encode), numpyName(decode))}
	return b, nil
}

// castBound is an elementwise codec.
//
// The fill value of its encoded arrays is nil if the array's fill value has no
// encoding. Such arrays can be read. They can also be written, unless the fill value is
// among the elements.
type castBound struct {
	spec           codecs.Spec
	in             dtype.Type
	out            codecs.Chunk
	encode, decode elements.Kernel
	scale          float64 // the magnitude by which numbers are multiplied
	losses         []codecs.Loss
	stable         bool // the result of Stable
	// hostOrder means that the spec names types as little-endian, whatever order is
	// stored. quantize looks at the memory of an array as its own type, which is in the
	// host's order in zarr-python from 3.4 on.
	hostOrder bool
}

func (b *castBound) Spec() codecs.Spec { return b.spec }

// SpecIn implements [codecs.OrderNaming].
func (b *castBound) SpecIn(received, made dtype.Order) (codecs.Spec, dtype.Order) {
	if b.hostOrder {
		return b.spec, dtype.Little
	}
	return inOrder(b.spec, received, made), made
}

// inOrder returns spec, which names little-endian types, with types in other orders.
// received is the order of the decoded type, and made is that of the encoded type. If
// only made is big-endian, only the field encode_dtype changes.
func inOrder(spec codecs.Spec, received, made dtype.Order) codecs.Spec {
	if made != dtype.Big {
		return spec
	}
	field := ""
	if received != dtype.Big {
		field = `"encode_dtype"`
	}
	spec.Configuration = bytes.ReplaceAll(spec.Configuration, []byte(field+`:"<`), []byte(field+`:">`))
	return spec
}

// Stable implements [codecs.Stable].
func (b *castBound) Stable(any) bool { return b.stable }

// EncodedRegion implements [codecs.Regional]: each element is encoded by itself.
func (b *castBound) EncodedRegion(r ndarray.Region) ndarray.Region { return r }

func (b *castBound) Encoded() codecs.Chunk { return b.out }

func (b *castBound) EncodeKernel() elements.Kernel { return b.encode }
func (b *castBound) DecodeKernel() elements.Kernel { return b.decode }

func (b *castBound) Encode(dst, src ndarray.Array) error { return codecs.EncodeElements(b, dst, src) }
func (b *castBound) Decode(dst, src ndarray.Array) error { return codecs.DecodeElements(b, dst, src) }

func (b *castBound) EncodeError(src ndarray.Array, at int) error {
	return unfit(src, at, b.out.Type)
}

func (b *castBound) DecodeError(src ndarray.Array, at int) error {
	return fmt.Errorf("%w: %w", codecs.ErrCorrupt, unfit(src, at, b.in))
}

// unfit returns the error about an element of src that has no value of type to. at
// counts elements in C order.
func unfit(src ndarray.Array, at int, to dtype.Type) error {
	return fmt.Errorf("%w: %w of %s", codecs.NewElementError(src, at), dtype.ErrOutOfRange, to.Name())
}

// Losses implements [codecs.Lossy].
func (b *castBound) Losses() []codecs.Loss { return b.losses }

// Unit implements [codecs.Rescaling].
func (b *castBound) Unit() float64 { return 1 / b.scale }

// astypeLosses returns the losses of NumPy's conversion.
func astypeLosses(to, from dtype.Type) []codecs.Loss {
	t, ok := castFormOf(to)
	f, number := castFormOf(from)
	switch {
	case ok && number:
		rule := castRule{outOfRange: wrapOutOfRange}
		if f.kind == dtype.Float && t.kind != dtype.Float {
			rule = castRule{rounding: dtype.TowardsZero}
		} else if t.kind == dtype.Float {
			rule = castRule{outOfRange: clampOutOfRange}
		}
		return rule.losses(t, f)
	case to.Size() < from.Size():
		return []codecs.Loss{{What: fmt.Sprintf("rounded to %s", to.Name())}}
	default:
		return nil
	}
}
