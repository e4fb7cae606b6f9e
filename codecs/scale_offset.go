package codecs

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// scaleOffsetDefinition is the registered codec "scale_offset": it stores
// (x − offset) × scale and gives back x ÷ scale + offset.
//
// Every step is done in the array's own type and rounded to it, half to even; no
// processor rounds two of them as one. What the type cannot hold is an error: an
// integer out of its range after either step, a remainder of the division, a
// finite float that becomes infinite or a number the type lacks. Infinities stay
// what they are but for their sign, and a NaN keeps its sign and payload and
// becomes quiet.
func scaleOffsetDefinition() Definition {
	return Definition{
		Name: "scale_offset", Kind: KindArrayToArray,
		Summary: "subtracts an offset and multiplies by a scale",
		Lossy:   "the last bits of floats; integers come back as they were",
		Fields: []Field{
			{Name: "offset", Type: "value of the array's data type", Default: "0", Doc: "subtracted first"},
			{Name: "scale", Type: "value of the array's data type other than 0", Default: "1", Doc: "multiplied with what remains"},
		},
		Parse: func(text json.RawMessage) (Codec, error) {
			var c struct {
				Offset json.RawMessage `json:"offset"`
				Scale  json.RawMessage `json:"scale"`
			}
			err := configuration(text, &c)
			return scaleOffset{c.Offset, c.Scale}, err
		},
	}
}

// scaleOffset holds the JSON of the fields, nil for one that is not given.
type scaleOffset struct{ offset, scale json.RawMessage }

func (c scaleOffset) BindArrayToArray(in Chunk) (ArrayToArray, error) {
	t, ok := in.Type.(dtype.Numeric)
	if ok {
		_, time := in.Type.(dtype.Temporal)
		k := t.Kind()
		ok = !time && (k == dtype.Int || k == dtype.Uint || k == dtype.Float)
	}
	if !ok {
		return nil, field("", "data type %s: want integers or floats", in.Type.Name())
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
	if b.out.Fill = b.encode.scalar(t, t, in.Fill); b.out.Fill == nil && in.Fill != nil {
		return nil, field("", "the fill value %s cannot be encoded: %w: choose a fill value that can, or another offset or scale",
			t.FormatScalar(dtype.V3, in.Fill), b.misfit(in.Fill))
	}
	return b, nil
}

// term is one of the two numbers as a value of the type.
type term struct {
	neutral bool    // changes nothing: the default, to the bit
	float   float64 // of floats: the value, which float64 holds
	whole   *big.Int
}

// parseTerm reads a field that may be missing. Its default is not a value of every
// type, float8_e8m0fnu has no zero: then nothing is subtracted.
func parseTerm(t dtype.Numeric, name string, text json.RawMessage, standard int64) (term, error) {
	n := term{neutral: true, float: float64(standard), whole: big.NewInt(standard)}
	if text == nil {
		return n, nil
	}
	value, err := t.ParseScalar(dtype.V3, text)
	if err != nil {
		return n, field(name, "%w", err)
	}
	var zero bool
	if t.Kind() == dtype.Float {
		f := floatOf(t, value)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return n, field(name, "%s: nothing could be decoded, want a finite number", t.FormatScalar(dtype.V3, value))
		}
		n.neutral = math.Float64bits(f) == math.Float64bits(n.float)
		n.float, zero = f, f == 0
	} else {
		whole := wholeOf(t, value)
		n.neutral = whole.Cmp(n.whole) == 0
		n.whole, zero = whole, whole.Sign() == 0
	}
	if zero && standard != 0 {
		return n, field(name, "zero: nothing could be decoded")
	}
	return n, nil
}

// spec keeps the numbers as they were given and leaves out those that change
// nothing, as zarr-python does.
func (c scaleOffset) spec(noOffset, noScale bool) Spec {
	s := Spec{Name: "scale_offset"}
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

// wholeOf is the value of an integer.
func wholeOf(t dtype.Numeric, value dtype.Scalar) *big.Int {
	whole, ok := new(big.Int).SetString(string(t.FormatScalar(dtype.V3, value)), 10)
	if !ok {
		panic("codecs: an integer of type " + t.Name() + " is written as none")
	}
	return whole
}

// floatOf is the value of a float, which float64 holds.
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

// scaleOffsetBound is elementwise.
type scaleOffsetBound struct {
	spec           Spec
	in             dtype.Numeric
	out            Chunk
	offset, scale  term
	encode, decode kernel
}

func (b *scaleOffsetBound) Spec() Spec                                    { return b.spec }
func (b *scaleOffsetBound) Encoded() Chunk                                { return b.out }
func (b *scaleOffsetBound) Encode(dst, src ndarray.Array) error           { return encodeElements(b, dst, src) }
func (b *scaleOffsetBound) Decode(dst, src ndarray.Array) error           { return decodeElements(b, dst, src) }
func (b *scaleOffsetBound) EncodedRegion(r ndarray.Region) ndarray.Region { return r }
func (b *scaleOffsetBound) encodeKernel() kernel                          { return b.encode }
func (b *scaleOffsetBound) decodeKernel() kernel                          { return b.decode }

func (b *scaleOffsetBound) encodeError(src ndarray.Array, at int) error {
	value := valueAt(src, at)
	return fmt.Errorf("%w: %w: choose another offset or scale", element(src, at), b.misfit(value))
}

// misfit says why an element cannot be encoded.
func (b *scaleOffsetBound) misfit(value dtype.Scalar) error {
	return fmt.Errorf("(%s − %s) × %s is %w of %s", b.in.FormatScalar(dtype.V3, value),
		b.text(b.offset), b.text(b.scale), dtype.ErrOutOfRange, b.in.Name())
}

func (b *scaleOffsetBound) decodeError(src ndarray.Array, at int) error {
	what := fmt.Sprintf("%s: ÷ %s + %s", element(src, at), b.text(b.scale), b.text(b.offset))
	if b.in.Kind() != dtype.Float {
		if value := wholeOf(b.in, valueAt(src, at)); value.Rem(value, b.scale.whole).Sign() != 0 {
			return fmt.Errorf("%w: %s: the division has a remainder", ErrCorrupt, what)
		}
	}
	return fmt.Errorf("%w: %s is %w of %s", ErrCorrupt, what, dtype.ErrOutOfRange, b.in.Name())
}

// text names a term in errors.
func (b *scaleOffsetBound) text(n term) string {
	if b.in.Kind() == dtype.Float {
		return strconv.FormatFloat(n.float, 'g', -1, 64)
	}
	return n.whole.String()
}

// unscaled is a scale_offset that changes nothing.
type unscaled struct {
	spec Spec
	out  Chunk
}

func (u unscaled) Spec() Spec                                    { return u.spec }
func (u unscaled) Encoded() Chunk                                { return u.out }
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
