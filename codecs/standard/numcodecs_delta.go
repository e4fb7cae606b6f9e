package standard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// deltaName is the name of the codec.
const deltaName = "numcodecs.delta"

// numcodecsDeltaDefinition is the codec "numcodecs.delta". It stores the first element
// of a chunk in C order, and then the difference of each element to the one before. The
// stored type may be configured.
//
// Integers wrap, so that nothing is lost as long as the stored type holds the
// differences. A difference that it does not hold is an error; numcodecs stores it
// damaged. A float that is not finite is an error, too, because it would spoil all
// elements behind it. Floats are subtracted in the array's type and summed up in the
// wider of the two types, as NumPy does. They may come back rounded.
func numcodecsDeltaDefinition(registry *dtype.Registry) codecs.Definition {
	types := numpyTypes{registry}
	return codecs.Definition{
		Name: deltaName, Kind: codecs.KindArrayToArray,
		Summary: "stores differences of neighbours",
		Lossy:   "the last bits of floats; integers come back as they were",
		Fields: []codecs.Field{
			{Name: "dtype", Type: `NumPy type such as "<i4"`, Default: "null", Doc: "type of the array; left out: the array's data type"},
			{Name: "astype", Type: `NumPy type such as "<i2"`, Default: "null", Doc: "type to store; left out: dtype: integers for integers, floats for floats"},
		},
		Example: json.RawMessage(`{}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Dtype  *string `json:"dtype"`
				Astype *string `json:"astype"`
			}
			err := codecs.ReadConfiguration(text, &c)
			if err != nil {
				return nil, err
			}
			b := deltaCodec{}
			if b.decoded, err = types.parse("dtype", c.Dtype); err != nil {
				return nil, err
			}
			b.encoded, err = types.parse("astype", c.Astype)
			return b, err
		},
	}
}

type deltaCodec struct{ decoded, encoded dtype.Type } // nil if not given

func (c deltaCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	decoded, err := decodedType("dtype", c.decoded, in.Type)
	if err != nil {
		return nil, err
	}
	decoded = numpyTypeOf(numberOf(decoded)) // times are int64
	encoded := c.encoded
	if encoded == nil {
		encoded = decoded
	}
	from, to := numberOf(decoded), numberOf(encoded)
	b := &deltaBound{in: in.Type, out: in}
	switch {
	case from.integer() && to.integer():
		b.encode, b.decode = integerDelta(from, to)
		b.advice = "choose a wider astype"
	case from.float() && to.float():
		b.encode, b.decode = floatDelta(from, to)
		b.advice = "all elements behind it would be lost, choose another codec"
	case from.integer() || from.float():
		return nil, codecs.InField("astype", unsuited(fmt.Sprintf("%s for %s: want integers for integers and floats for floats", encoded.Name(), decoded.Name())))
	default:
		return nil, codecs.InField("", unsuited(fmt.Sprintf("data type %s: want integers or floats", in.Type.Name())))
	}
	b.out.Type, b.out.Fill = encoded, b.encode().Scalar(encoded, decoded, in.Fill)
	b.spec = codecs.Spec{Name: deltaName, Configuration: fmt.Appendf(nil,
		`{"dtype":%s,"astype":%s}`, numpyName(decoded), numpyName(encoded))}
	return b, nil
}

// unsuited is the text of an error about types that numcodecs has and this program does not. It
// is one of [errors.ErrUnsupported].
type unsuited string

func (u unsuited) Error() string { return string(u) }

func (unsuited) Is(target error) bool { return target == errors.ErrUnsupported }

// deltaBound makes a kernel for each chunk, because a kernel carries the last element
// from piece to piece.
type deltaBound struct {
	spec           codecs.Spec
	in             dtype.Type
	out            codecs.Chunk // its fill value is that of a first element
	encode, decode func() elements.Kernel
	advice         string // what to do about an element that cannot be encoded
}

func (b *deltaBound) Spec() codecs.Spec     { return b.spec }
func (b *deltaBound) Encoded() codecs.Chunk { return b.out }

// SpecIn implements [codecs.OrderNaming].
func (b *deltaBound) SpecIn(received, made dtype.Order) (codecs.Spec, dtype.Order) {
	return inOrder(b.spec, received, made), made
}

// Stable implements [codecs.Stable].
func (b *deltaBound) Stable(any) bool { return !isFloat(b.in) }

func (b *deltaBound) Encode(dst, src ndarray.Array) error {
	if bad := b.encode().Run(dst, src); bad >= 0 {
		return fmt.Errorf("%w: its difference to the element before is %w of %s: %s",
			codecs.NewElementError(src, bad), dtype.ErrOutOfRange, b.out.Type.Name(), b.advice)
	}
	return nil
}

func (b *deltaBound) Decode(dst, src ndarray.Array) error {
	b.decode().Run(dst, src) // sums wrap or are rounded, so every element has a result
	return nil
}

// integerDelta returns functions that make kernels between two types of integers.
func integerDelta(from, to number) (encode, decode func() elements.Kernel) {
	switch from {
	case int8Number:
		return integerDeltaAs[int8](to)
	case int16Number:
		return integerDeltaAs[int16](to)
	case int32Number:
		return integerDeltaAs[int32](to)
	case int64Number:
		return integerDeltaAs[int64](to)
	case uint8Number:
		return integerDeltaAs[uint8](to)
	case uint16Number:
		return integerDeltaAs[uint16](to)
	case uint32Number:
		return integerDeltaAs[uint32](to)
	default:
		return integerDeltaAs[uint64](to)
	}
}

func integerDeltaAs[T integer](to number) (encode, decode func() elements.Kernel) {
	switch to {
	case int8Number:
		return differences[int8, T], sums[T, int8]
	case int16Number:
		return differences[int16, T], sums[T, int16]
	case int32Number:
		return differences[int32, T], sums[T, int32]
	case int64Number:
		return differences[int64, T], sums[T, int64]
	case uint8Number:
		return differences[uint8, T], sums[T, uint8]
	case uint16Number:
		return differences[uint16, T], sums[T, uint16]
	case uint32Number:
		return differences[uint32, T], sums[T, uint32]
	default:
		return differences[uint64, T], sums[T, uint64]
	}
}

// differences returns a kernel that stops at the first difference that A does not hold.
func differences[A, T integer]() elements.Kernel {
	var last T
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[A](dst)
		from, _ := ndarray.As[T](src)
		to = to[:len(from)]
		for i, v := range from {
			d := v - last
			to[i] = A(d)
			if T(A(d)) != d {
				return i
			}
			last = v
		}
		return -1
	}
}

func sums[T, A integer]() elements.Kernel {
	var last T
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[T](dst)
		from, _ := ndarray.As[A](src)
		to = to[:len(from)]
		for i, d := range from {
			last += T(d)
			to[i] = last
		}
		return -1
	}
}

// floatDelta returns functions that make kernels between two types of floats.
func floatDelta(from, to number) (encode, decode func() elements.Kernel) {
	wide := max(from, to)
	differ, add := differFloats[float32], sumFloats[float32]
	switch from {
	case float64Number:
		differ = differFloats[float64]
	case float16Number:
		differ = differHalves
	}
	switch wide {
	case float64Number:
		add = sumFloats[float64]
	case float16Number:
		add = sumHalves
	}
	encode = func() elements.Kernel {
		return scan{from: from, work: from, to: to, loop: differ(), finite: true}.kernel()
	}
	decode = func() elements.Kernel { return scan{from: to, work: wide, to: from, loop: add()}.kernel() }
	return encode, decode
}

// scan goes over all elements in the type work, which is float32 for float16.
type scan struct {
	from, work, to number
	loop           func(ndarray.Array) // replaces the elements of one block in place
	finite         bool                // NaN and infinity have no result, because adding to them loses what is added
}

func (s scan) kernel() elements.Kernel {
	memory := s.work
	if memory == float16Number {
		memory = float32Number
	}
	typ := numpyTypeOf(memory)
	load, store, reload := cast(memory, s.from), cast(s.to, memory), cast(memory, s.to)
	return func(dst, src ndarray.Array) int {
		n := src.Len()
		scratch := make([]byte, min(n, elements.Piece)*typ.Size())
		for at := 0; at < n; at += elements.Piece {
			end := min(n, at+elements.Piece)
			block := elements.Line(typ, scratch[:(end-at)*typ.Size()])
			load(block, elements.Span(src, at, end))
			s.loop(block)
			store(elements.Span(dst, at, end), block)
			if !s.finite {
				continue
			}
			reload(block, elements.Span(dst, at, end))
			if bad := firstInfinite(block); bad >= 0 {
				return at + bad
			}
		}
		return -1
	}
}

// firstInfinite returns the index of the first float that is infinite or NaN, or -1.
func firstInfinite(a ndarray.Array) int {
	if values, ok := ndarray.As[float32](a); ok {
		return slices.IndexFunc(values, func(v float32) bool { return v-v != 0 })
	}
	values, _ := ndarray.As[float64](a)
	return slices.IndexFunc(values, func(v float64) bool { return v-v != 0 })
}

// These loops keep the first element unchanged, with its sign of zero, and carry the
// last element over to the next block.

func differFloats[T float]() func(ndarray.Array) {
	var last T
	first := true
	return func(a ndarray.Array) {
		values, _ := ndarray.As[T](a)
		if first && len(values) > 0 {
			last, values, first = values[0], values[1:], false
		}
		for i, v := range values {
			values[i], last = v-last, v
		}
	}
}

func differHalves() func(ndarray.Array) {
	differ := differFloats[float32]()
	return func(a ndarray.Array) {
		differ(a)
		keepHalf(a)
	}
}

func sumFloats[T float]() func(ndarray.Array) {
	var last T
	first := true
	return func(a ndarray.Array) {
		values, _ := ndarray.As[T](a)
		if first && len(values) > 0 {
			last, values, first = values[0], values[1:], false
		}
		for i, v := range values {
			last += v
			values[i] = last
		}
	}
}

// sumHalves returns a loop that rounds each sum to float16 before the next addition.
func sumHalves() func(ndarray.Array) {
	var last float32
	first := true
	return func(a ndarray.Array) {
		values, _ := ndarray.As[float32](a)
		if first && len(values) > 0 {
			last, values, first = values[0], values[1:], false
		}
		for i, v := range values {
			half, _ := dtype.Float16Layout.Round(float64(last+v), dtype.NearestEven)
			last = float32(dtype.Float16Layout.Float64(half))
			values[i] = last
		}
	}
}

// Losses implements [codecs.Lossy].
func (b *deltaBound) Losses() []codecs.Loss {
	if !numberOf(b.out.Type).float() {
		return nil
	}
	return []codecs.Loss{{What: "summed up again in " + b.in.Name() + ": errors of rounding add up along a chunk, without a bound"}}
}

// Unit implements [codecs.Rescaling].
func (b *deltaBound) Unit() float64 { return 0 }
