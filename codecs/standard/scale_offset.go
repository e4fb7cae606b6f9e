package standard

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// ScaleOffsetName is the name of the codec.
const ScaleOffsetName = "scale_offset"

// scaleOffsetDefinition is the registered codec "scale_offset". It stores (x − offset)
// × scale and decodes to x ÷ scale + offset.
//
// Every step is computed in the array's own type and rounded to it, half to even. No
// processor fuses two steps into one rounding. A result that the type does not have is
// an error: an integer out of range after either step, a remainder of the division, a
// finite float that becomes infinite, or a number that the type lacks. Infinities stay
// infinite and may change their sign. A NaN keeps its sign and payload and becomes
// quiet.
func scaleOffsetDefinition() codecs.Definition {
	return codecs.Definition{
		Name: ScaleOffsetName, Kind: codecs.KindArrayToArray, Packs: true,
		Summary: "subtracts an offset and multiplies by a scale",
		Lossy:   "the last bits of floats; integers come back as they were",
		Fields: []codecs.Field{
			{Name: "offset", Type: "value of the array's data type", Default: "0", Doc: "subtracted first"},
			{Name: "scale", Type: "value of the array's data type other than 0", Default: "1", Doc: "multiplied with what remains"},
		},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Offset json.RawMessage `json:"offset"`
				Scale  json.RawMessage `json:"scale"`
			}
			err := codecs.ReadConfiguration(text, &c)
			return scaleOffset{c.Offset, c.Scale}, err
		},
	}
}

// scaleOffset holds the JSON of the fields, or nil for a field that is not given.
type scaleOffset struct{ offset, scale json.RawMessage }

func (c scaleOffset) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	t, ok := in.Type.(dtype.Numeric)
	if ok {
		_, time := in.Type.(dtype.Temporal)
		k := t.Kind()
		ok = !time && (k == dtype.Int || k == dtype.Uint || k == dtype.Float)
	}
	if !ok {
		return nil, codecs.Fieldf("", "data type %s: want integers or floats", in.Type.Name())
	}
	b := &scaleOffsetBound{in: t, out: in}
	var err error
	if b.offset, err = parseTerm(t, "offset", c.offset, 0); err != nil {
		return nil, err
	}
	if b.scale, err = parseTerm(t, "scale", c.scale, 1); err != nil {
		return nil, err
	}
	b.spec = c.spec(b.offset.neutral, b.scale.neutral)
	if b.offset.neutral && b.scale.neutral {
		return unscaled{b.spec, in}, nil
	}
	b.encode, b.decode = scaleKernels(t, b.offset, b.scale)
	if b.out.Fill = b.encode.Scalar(t, t, in.Fill); b.out.Fill == nil && in.Fill != nil {
		return nil, codecs.Fieldf("", "the fill value %s cannot be encoded: %w: choose a fill value that can, or another offset or scale",
			t.FormatScalar(dtype.V3, in.Fill), b.misfit(in.Fill))
	}
	return b, nil
}

// term is the offset or the scale as a value of the type.
type term struct {
	neutral bool    // the default, bit for bit: it changes nothing
	float   float64 // the value of a float; float64 holds it
	whole   *big.Int
}

// parseTerm parses an optional field. Some types lack the default value: float8_e8m0fnu
// has no zero, and then nothing is subtracted.
func parseTerm(t dtype.Numeric, name string, text json.RawMessage, standard int64) (term, error) {
	n := term{neutral: true, float: float64(standard), whole: big.NewInt(standard)}
	if text == nil {
		return n, nil
	}
	value, err := t.ParseScalar(dtype.V3, text)
	if err != nil {
		return n, codecs.Fieldf(name, "%w", err)
	}
	var zero bool
	if t.Kind() == dtype.Float {
		f := floatOf(t, value)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return n, codecs.Fieldf(name, "%s: nothing could be decoded, want a finite number", t.FormatScalar(dtype.V3, value))
		}
		n.neutral = math.Float64bits(f) == math.Float64bits(n.float)
		n.float, zero = f, f == 0
	} else {
		whole := wholeOf(t, value)
		n.neutral = whole.Cmp(n.whole) == 0
		n.whole, zero = whole, whole.Sign() == 0
	}
	if zero && standard != 0 {
		return n, codecs.Fieldf(name, "zero: nothing could be decoded")
	}
	return n, nil
}

// spec returns the numbers as they were given, without those that change nothing.
// zarr-python does the same.
func (c scaleOffset) spec(noOffset, noScale bool) codecs.Spec {
	s := codecs.Spec{Name: ScaleOffsetName}
	switch {
	case noOffset && noScale:
	case noScale:
		s.Configuration = fmt.Appendf(nil, `{"offset":%s}`, c.offset)
	case noOffset:
		s.Configuration = fmt.Appendf(nil, `{"scale":%s}`, c.scale)
	default:
		s.Configuration = fmt.Appendf(nil, `{"offset":%s,"scale":%s}`, c.offset, c.scale)
	}
	return s
}

// wholeOf returns the value of an integer.
func wholeOf(t dtype.Numeric, value dtype.Scalar) *big.Int {
	whole, ok := new(big.Int).SetString(string(t.FormatScalar(dtype.V3, value)), 10)
	if !ok {
		panic("codecs: an integer of type " + t.Name() + " is not written as an integer")
	}
	return whole
}

// floatOf returns the value of a float, which float64 holds.
func floatOf(t dtype.Numeric, value dtype.Scalar) float64 {
	element := ndarray.New(t, []int{1})
	copy(element.Data, value)
	if narrow, ok := t.(dtype.Narrow); ok {
		var x [1]float64
		narrow.Layout().ToFloat64(x[:], element.Data)
		return x[0]
	}
	if x, ok := ndarray.As[float32](element); ok {
		return float64(x[0])
	}
	x, _ := ndarray.As[float64](element)
	return x[0]
}

// scaleOffsetBound is a bound scale_offset. It is elementwise.
type scaleOffsetBound struct {
	spec           codecs.Spec
	in             dtype.Numeric
	out            codecs.Chunk
	offset, scale  term
	encode, decode elements.Kernel
}

func (b *scaleOffsetBound) Spec() codecs.Spec     { return b.spec }
func (b *scaleOffsetBound) Encoded() codecs.Chunk { return b.out }
func (b *scaleOffsetBound) Encode(dst, src ndarray.Array) error {
	return codecs.EncodeElements(b, dst, src)
}
func (b *scaleOffsetBound) Decode(dst, src ndarray.Array) error {
	return codecs.DecodeElements(b, dst, src)
}
func (b *scaleOffsetBound) EncodedRegion(r ndarray.Region) ndarray.Region { return r }
func (b *scaleOffsetBound) EncodeKernel() elements.Kernel                 { return b.encode }
func (b *scaleOffsetBound) DecodeKernel() elements.Kernel                 { return b.decode }

func (b *scaleOffsetBound) EncodeError(src ndarray.Array, at int) error {
	value := elements.Value(src, at)
	return fmt.Errorf("%w: %w: choose another offset or scale", codecs.NewElementError(src, at), b.misfit(value))
}

// misfit returns the reason why an element cannot be encoded.
func (b *scaleOffsetBound) misfit(value dtype.Scalar) error {
	return fmt.Errorf("(%s − %s) × %s is %w of %s", b.in.FormatScalar(dtype.V3, value),
		b.text(b.offset), b.text(b.scale), dtype.ErrOutOfRange, b.in.Name())
}

func (b *scaleOffsetBound) DecodeError(src ndarray.Array, at int) error {
	what := fmt.Sprintf("%s: ÷ %s + %s", codecs.NewElementError(src, at), b.text(b.scale), b.text(b.offset))
	if b.in.Kind() != dtype.Float {
		if value := wholeOf(b.in, elements.Value(src, at)); value.Rem(value, b.scale.whole).Sign() != 0 {
			return fmt.Errorf("%w: %s: the division has a remainder", codecs.ErrCorrupt, what)
		}
	}
	return fmt.Errorf("%w: %s is %w of %s", codecs.ErrCorrupt, what, dtype.ErrOutOfRange, b.in.Name())
}

// text returns a term for error messages.
func (b *scaleOffsetBound) text(n term) string {
	if b.in.Kind() == dtype.Float {
		return strconv.FormatFloat(n.float, 'g', -1, 64)
	}
	return n.whole.String()
}

// unscaled is a scale_offset that changes nothing.
type unscaled struct {
	spec codecs.Spec
	out  codecs.Chunk
}

func (u unscaled) Spec() codecs.Spec                             { return u.spec }
func (u unscaled) Encoded() codecs.Chunk                         { return u.out }
func (u unscaled) EncodeView(src ndarray.Array) ndarray.Array    { return src }
func (u unscaled) DecodeView(dst ndarray.Array) ndarray.Array    { return dst }
func (u unscaled) EncodedRegion(r ndarray.Region) ndarray.Region { return r }

func (u unscaled) Encode(dst, src ndarray.Array) error {
	ndarray.Copy(dst, src)
	return nil
}

func (u unscaled) Decode(dst, src ndarray.Array) error {
	ndarray.Copy(dst, src)
	return nil
}

// Losses implements [codecs.Lossy].
func (u unscaled) Losses() []codecs.Loss { return nil }

// Losses implements [codecs.Lossy]. Without an offset, a scale that is a power of two
// changes only exponents and loses nothing.
func (b *scaleOffsetBound) Losses() []codecs.Loss {
	fraction, _ := math.Frexp(b.scale.float)
	if b.in.Kind() != dtype.Float || b.offset.float == 0 && math.Abs(fraction) == 0.5 {
		return nil
	}
	return []codecs.Loss{{What: fmt.Sprintf("computed in %s: off by up to 2 units in the last place of the value or the offset, whichever is larger", b.in.Name())}}
}

// Unit implements [codecs.Rescaling].
func (b *scaleOffsetBound) Unit() float64 {
	scale := b.scale.float
	if b.in.Kind() != dtype.Float {
		scale, _ = new(big.Float).SetInt(b.scale.whole).Float64()
	}
	return 1 / math.Abs(scale)
}

// Stable implements [codecs.Stable].
func (u unscaled) Stable(any) bool { return true }

// Stable implements [codecs.Stable]. Integers come back unchanged. Floats come back
// unchanged if the codec behind rounds them to integers, because that removes the
// errors of the arithmetic.
func (b *scaleOffsetBound) Stable(next any) bool {
	if b.in.Kind() != dtype.Float {
		return true
	}
	a, absorbs := next.(codecs.Absorbing)
	behind, ok := next.(codecs.ArrayToArray)
	return ok && absorbs && a.Absorbs() && roundsAway(b.in, behind.Encoded().Type, b.offset.float, b.scale.float)
}

// roundsAway reports whether a stored integer comes back unchanged when it is decoded to
// a float, encoded again and rounded. Decoding and encoding, x = stored ÷ scale + offset
// and then (x − offset) × scale, make errors of rounding. The result is the same integer
// if the errors together are less than one half. They are less than eight units in the
// last place of the largest number that occurs in the computation.
//
// in is the type of x, and stored is the type of the integers.
func roundsAway(in, stored dtype.Type, offset, scale float64) bool {
	digits, ok := map[int]float64{4: 24, 8: 53}[in.Size()] // bits of precision
	if !ok || !isFloat(in) || isFloat(stored) {
		return false
	}
	if scale = math.Abs(scale); scale < 1e-30 || scale > 1e30 {
		return false
	}
	largest := math.Exp2(float64(8*stored.Size())) + 2*math.Abs(offset)*scale
	return 8*largest*math.Exp2(-digits) < 0.5
}

// isFloat reports whether elements are floats. All other types with which codecs
// compute are integers.
func isFloat(t dtype.Type) bool {
	n, ok := t.(dtype.Numeric)
	return ok && n.Kind() == dtype.Float
}
