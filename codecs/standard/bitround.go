package standard

import (
	"encoding/json"
	"fmt"
	"math/bits"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// roundName is the name of the codec.
const roundName = "numcodecs.bitround"

// bitroundDefinition is the registered codec "bitround". It keeps some bits of each
// number's precision and clears the bits below, so that compressors find less to store.
// Decoding changes nothing.
//
// The codec's text demands at least one bit, and its schema at least zero. Zero bits
// have a meaning: numbers become powers of two. All implementations accept zero, so
// this one does, too.
func bitroundDefinition() codecs.Definition {
	return codecs.Definition{
		Name: "bitround", Kind: codecs.KindArrayToArray,
		Summary: "rounds numbers to fewer significant bits",
		Lossy:   "bits beyond keepbits: of the mantissa, or of integers counted from the highest bit that is set",
		Fields: []codecs.Field{{
			Name: "keepbits", Type: "integer of at least 0",
			Doc: "number of bits to keep: of the mantissa of floats, or of integers counted from the highest bit that is set; too large a number keeps all bits",
		}},
		Example: json.RawMessage(`{"keepbits":7}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			keep, err := parseKeepbits(text)
			return bitroundCodec{name: "bitround", keep: keep}, err
		},
	}
}

// numcodecsBitroundDefinition is the codec "numcodecs.bitround", the predecessor of
// "bitround". It does the same for floats, and accepts no other types.
func numcodecsBitroundDefinition() codecs.Definition {
	return codecs.Definition{
		Name: roundName, Kind: codecs.KindArrayToArray,
		Summary: "the older name of bitround, for floats alone",
		Lossy:   "bits of the mantissa beyond keepbits",
		Fields: []codecs.Field{{
			Name: "keepbits", Type: "integer of at least 0", Doc: "bits of the mantissa to keep, at most as many as there are",
		}},
		Example: json.RawMessage(`{"keepbits":7}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			keep, err := parseKeepbits(text)
			return bitroundCodec{name: roundName, keep: keep, numcodecs: true}, err
		},
	}
}

func parseKeepbits(text json.RawMessage) (int, error) {
	var c struct {
		Keepbits *int `json:"keepbits"`
	}
	if err := codecs.ReadConfiguration(text, &c); err != nil {
		return 0, err
	}
	if c.Keepbits == nil {
		return 0, codecs.Fieldf("keepbits", "missing: want the number of bits to keep")
	}
	if *c.Keepbits < 0 {
		return 0, codecs.Fieldf("keepbits", "%d: want at least 0", *c.Keepbits)
	}
	return *c.Keepbits, nil
}

type bitroundCodec struct {
	name      string
	keep      int
	numcodecs bool
}

func (c bitroundCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	b := &bitroundBound{name: c.name, keep: c.keep, out: in}
	mantissa, ok := mantissaOf(in.Type)
	switch {
	case !ok && !c.numcodecs && isInteger(in.Type):
		b.round = integerRounder(in.Type.Size(), c.keep)
	case !ok || c.numcodecs && !numberOf(in.Type).float():
		return nil, codecs.Fieldf("", "data type %s cannot be rounded: want %s", in.Type.Name(), c.types())
	case c.numcodecs && c.keep > mantissa:
		return nil, codecs.Fieldf("keepbits", "%d: the mantissa of %s has %d bits", c.keep, in.Type.Name(), mantissa)
	default:
		if n := in.Type.(dtype.Numeric); n.Kind() == dtype.Complex {
			b.part = wordType(n.Size() / 2)
		}
		b.round = floatRounder(in.Type, c.keep, mantissa)
	}
	if b.part == nil {
		b.out.Fill = b.round.Scalar(in.Type, in.Type, in.Fill)
	} else if in.Fill != nil {
		fill := append(dtype.Scalar{}, in.Fill...)
		pair := elements.Line(b.part, fill)
		b.round(pair, pair)
		b.out.Fill = fill
	}
	return b, nil
}

func (c bitroundCodec) types() string {
	if c.numcodecs {
		return "float16, float32 or float64"
	}
	return "integers of 8 bits or more, times, or floats with infinities"
}

// isInteger reports whether elements of t are integers.
func isInteger(t dtype.Type) bool {
	k := numberOf(t)
	return k >= int8Number && k <= uint64Number
}

// wordType returns the unsigned integer type of size bytes.
func wordType(size int) dtype.Type {
	switch size {
	case 1:
		return dtype.Uint8
	case 2:
		return dtype.Uint16
	case 4:
		return dtype.Uint32
	default:
		return dtype.Uint64
	}
}

// mantissaOf returns the number of mantissa bits of a float type. It returns false for
// types without infinity, because large numbers could not be rounded up.
func mantissaOf(t dtype.Type) (int, bool) {
	n, ok := t.(dtype.Numeric)
	if !ok || n.Kind() != dtype.Float && n.Kind() != dtype.Complex {
		return 0, false
	}
	if narrow, ok := t.(dtype.Narrow); ok {
		layout := narrow.Layout()
		one, _ := layout.Round(1, dtype.NearestEven)
		two, _ := layout.Round(2, dtype.NearestEven) // the same mantissa with the next exponent
		_, infinite := layout.Infinity(false)
		return bits.TrailingZeros16(two - one), infinite
	}
	if wordSize(n) == 4 {
		return 23, true
	}
	return 52, true
}

// wordSize returns the bytes of a number. For a complex number, it returns the bytes of
// one part.
func wordSize(n dtype.Numeric) int {
	if n.Kind() == dtype.Complex {
		return n.Size() / 2
	}
	return n.Size()
}

type bitroundBound struct {
	name  string
	keep  int
	out   codecs.Chunk
	part  dtype.Type // for complex numbers, the type of the parts
	round elements.Kernel
}

func (b *bitroundBound) Spec() codecs.Spec {
	return codecs.Spec{Name: b.name, Configuration: json.RawMessage(fmt.Sprintf(`{"keepbits":%d}`, b.keep))}
}

func (b *bitroundBound) Encoded() codecs.Chunk { return b.out }

func (b *bitroundBound) Encode(dst, src ndarray.Array) error {
	if b.part != nil {
		dst, src = elements.Components(dst, b.part), elements.Components(src, b.part)
	}
	b.round.Run(dst, src) // every number has a result
	return nil
}

func (b *bitroundBound) Decode(dst, src ndarray.Array) error {
	ndarray.Copy(dst, src)
	return nil
}

func integerRounder(size, keep int) elements.Kernel {
	switch size {
	case 1:
		return roundIntegers[uint8](keep)
	case 2:
		return roundIntegers[uint16](keep)
	case 4:
		return roundIntegers[uint32](keep)
	default:
		return roundIntegers[uint64](keep)
	}
}

// word is an unsigned integer that holds the bits of an element.
type word interface {
	uint8 | uint16 | uint32 | uint64
}

// roundIntegers rounds half to even at the last bit that is kept. That bit is counted
// from the highest bit that is set. If the result needs one bit more than T has, it
// becomes the largest number that does not. Signed integers are rounded as unsigned
// words. So negative numbers keep their sign, and all of them lose equally many bits.
func roundIntegers[T word](keep int) elements.Kernel {
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[T](dst)
		from, _ := ndarray.As[T](src)
		for i, v := range from {
			length := bits.Len64(uint64(v))
			if keep >= length {
				to[i] = v
				continue
			}
			drop := length - keep
			mask := ^T(0) << drop
			rounded := v + v>>drop&1 + (T(1)<<(drop-1) - 1)
			if rounded < v {
				rounded = ^T(0)
			}
			to[i] = rounded & mask
		}
		return -1
	}
}

func floatRounder(t dtype.Type, keep, mantissa int) elements.Kernel {
	n := t.(dtype.Numeric)
	switch wordSize(n) {
	case 1:
		layout := t.(dtype.Narrow).Layout()
		infinity, _ := layout.Infinity(false)
		return roundFloats(keep, mantissa, uint8(1)<<(layout.Bits()-1), uint8(infinity))
	case 2:
		infinity, _ := t.(dtype.Narrow).Layout().Infinity(false)
		return roundFloats(keep, mantissa, uint16(1)<<15, infinity)
	case 4:
		return roundFloats(keep, mantissa, uint32(1)<<31, uint32(0x7f8)<<20)
	default:
		return roundFloats(keep, mantissa, uint64(1)<<63, uint64(0x7ff)<<52)
	}
}

// roundFloats rounds half to even. It adds to the bit pattern; a carry goes into the
// exponent, up to infinity. The payload of a NaN is rounded, too, unless the result
// would be no NaN.
func roundFloats[T word](keep, mantissa int, sign, infinity T) elements.Kernel {
	if keep >= mantissa {
		return func(dst, src ndarray.Array) int {
			copy(dst.Data, src.Data)
			return -1
		}
	}
	drop := mantissa - keep
	mask, half := ^T(0)<<drop, T(1)<<(drop-1)-1
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[T](dst)
		from, _ := ndarray.As[T](src)
		for i, v := range from {
			rounded := (v + v>>drop&1 + half) & mask
			if v&^sign > infinity && rounded&^sign <= infinity {
				rounded = v
			}
			to[i] = rounded
		}
		return -1
	}
}

// Losses implements [codecs.Lossy].
func (b *bitroundBound) Losses() []codecs.Loss {
	if mantissa, ok := mantissaOf(b.out.Type); ok {
		if b.keep >= mantissa {
			return nil
		}
		return []codecs.Loss{{What: fmt.Sprintf("rounded to %d bits of the mantissa: each number is off by at most 2^-%d of itself", b.keep, b.keep+1)}}
	}
	if b.keep >= 8*b.out.Type.Size() {
		return nil
	}
	return []codecs.Loss{{What: fmt.Sprintf("rounded to %d bits, counted from the highest bit that is set: each number is off by at most 2^-%d of itself", b.keep, b.keep)}}
}

// Stable implements [codecs.Stable]: rounding a rounded number changes nothing. There is one
// exception: without any bit to keep, an integer becomes the power of two above it, or 0, and that
// power becomes 0.
func (b *bitroundBound) Stable(any) bool { return b.keep > 0 || !isInteger(b.out.Type) }
