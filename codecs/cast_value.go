package codecs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// castValueDefinition is the codec "cast_value" of the registry of Zarr
// extensions: elements are stored as the numbers of another type. Each is
// converted by the first of these rules that applies: the scalar map names it;
// the other type has the same number; it is rounded, and, out of range then,
// clamped or wrapped. All others are errors, NaN and infinities that the other
// type lacks among them. Decoding is the same with the types swapped.
//
// Whether a float is out of range is decided after rounding, as if exponents
// had no bounds (IEEE 754-2019, section 7.4). Keys of the scalar map are
// compared as numbers: zero is negative zero, and any NaN is any other.
func castValueDefinition() Definition {
	types := dtype.Standard()
	return Definition{
		Name: "cast_value", Kind: KindArrayToArray,
		Summary: "stores numbers as another type, by rules",
		Lossy:   "what the stored type cannot hold and rounding, out_of_range or scalar_map make of it",
		Fields: []Field{
			{Name: "data_type", Type: "data type of integers or floats", Doc: "type to store"},
			{Name: "rounding", Type: `"nearest-even", "towards-zero", "towards-positive", "towards-negative" or "nearest-away"`, Default: `"nearest-even"`, Doc: "which of its neighbours a number becomes that lies between two"},
			{Name: "out_of_range", Type: `"clamp" or "wrap"`, Default: "null", Doc: "what becomes of numbers out of range; wrap is for integers; left out: an error"},
			{Name: "scalar_map", Type: "object with encode and decode, arrays of [from, to]", Default: "{}", Doc: "numbers that become others, before all rules"},
		},
		Example: json.RawMessage(`{"data_type":"int32"}`),
		Parse: func(text json.RawMessage) (Codec, error) {
			var c struct {
				DataType   json.RawMessage `json:"data_type"`
				Rounding   *string         `json:"rounding"`
				OutOfRange *string         `json:"out_of_range"`
				ScalarMap  json.RawMessage `json:"scalar_map"`
			}
			if err := configuration(text, &c); err != nil {
				return nil, err
			}
			if c.DataType == nil {
				return nil, field("data_type", `missing: want a data type of integers or floats, such as "int16"`)
			}
			t, err := types.ParseV3(c.DataType)
			if err != nil {
				return nil, &FieldError{"data_type", err}
			}
			codec := &castValue{}
			var ok bool
			if codec.out, ok = castFormOf(t); !ok {
				return nil, field("data_type", "%s: want integers or floats", t.Name())
			}
			if codec.rule, err = parseCastRule(c.Rounding, c.OutOfRange, codec.out); err != nil {
				return nil, err
			}
			var scalarMap struct {
				Encode []json.RawMessage `json:"encode"`
				Decode []json.RawMessage `json:"decode"`
			}
			if err := configuration(c.ScalarMap, &scalarMap); err != nil {
				return nil, within("scalar_map", err)
			}
			codec.encode, codec.decode = scalarMap.Encode, scalarMap.Decode
			return codec, nil
		},
	}
}

// within puts the name of a field in front of that of one inside it.
func within(name string, err error) error {
	inner, ok := errors.AsType[*FieldError](err)
	switch {
	case !ok:
		return &FieldError{name, err}
	case inner.Field == "":
		return &FieldError{name, inner.Err}
	default:
		return &FieldError{name + "." + inner.Field, inner.Err}
	}
}

func parseCastRule(rounding, outOfRange *string, to castForm) (castRule, error) {
	var r castRule
	if rounding != nil {
		for r.rounding.String() != *rounding {
			if r.rounding++; r.rounding > dtype.NearestAway {
				return r, field("rounding", `%.60q: want "nearest-even", "towards-zero", "towards-positive", "towards-negative" or "nearest-away"`, *rounding)
			}
		}
	}
	switch {
	case outOfRange == nil:
	case *outOfRange == "clamp":
		r.outOfRange = clampOutOfRange
	case *outOfRange != "wrap":
		return r, field("out_of_range", `%.60q: want "clamp" or "wrap", or leave it out to have an error`, *outOfRange)
	case to.kind == dtype.Float:
		return r, field("out_of_range", `"wrap" is for integers, and %s are floats: choose "clamp" or leave it out`, to.typ.Name())
	default:
		r.outOfRange = wrapOutOfRange
	}
	return r, nil
}

// castValue is the codec before it is bound: the pairs of the scalar map are
// not yet read.
type castValue struct {
	out            castForm
	rule           castRule
	encode, decode []json.RawMessage
}

func (c *castValue) BindArrayToArray(in Chunk) (ArrayToArray, error) {
	from, ok := castFormOf(in.Type)
	if !ok {
		return nil, field("", "data type %s: want integers or floats", in.Type.Name())
	}
	encode, err := parseCastMap("scalar_map.encode", c.encode, c.out, from)
	if err != nil {
		return nil, err
	}
	decode, err := parseCastMap("scalar_map.decode", c.decode, from, c.out)
	if err != nil {
		return nil, err
	}
	b := &castValueBound{
		from: from, to: c.out, rule: c.rule, out: in,
		encode:    c.rule.kernel(c.out, from, encode),
		decode:    c.rule.kernel(from, c.out, decode),
		encodeMap: encode, decodeMap: decode,
	}
	b.spec = Spec{Name: "cast_value", Configuration: b.configuration(encode, decode)}
	b.out.Type, b.out.Fill = c.out.typ, nil
	if err := b.castFill(in.Fill); err != nil {
		return nil, err
	}
	return b, nil
}

// castValueBound is elementwise.
type castValueBound struct {
	lost           string // why the fill value has no way back, "" where it has one
	spec           Spec
	from, to       castForm
	rule           castRule
	out            Chunk
	encode, decode kernel

	encodeMap, decodeMap castMap
}

// refuses implements selective.
func (b *castValueBound) refuses() bool { return b.rule.outOfRange == refuseOutOfRange }

// configuration writes the fields that are not as when left out.
func (b *castValueBound) configuration(encode, decode castMap) json.RawMessage {
	name, _ := b.to.typ.V3() // read from v3 metadata
	text := fmt.Appendf(nil, `{"data_type":%s`, name)
	if b.rule.rounding != dtype.NearestEven {
		text = fmt.Appendf(text, `,"rounding":%q`, b.rule.rounding)
	}
	switch b.rule.outOfRange {
	case clampOutOfRange:
		text = append(text, `,"out_of_range":"clamp"`...)
	case wrapOutOfRange:
		text = append(text, `,"out_of_range":"wrap"`...)
	}
	if scalarMap := castMapsJSON(encode, decode, b.to.typ, b.from.typ); scalarMap != nil {
		text = fmt.Appendf(text, `,"scalar_map":%s`, scalarMap)
	}
	return append(text, '}')
}

// castFill takes the fill value over as it is stored. Where it does not come
// back as the same number, which is a hazard, lost says so. What a number does
// not tell is not looked at here, see [FillValueChanges]: the sign of zero, and
// which NaN it is.
func (b *castValueBound) castFill(fill dtype.Scalar) error {
	if fill == nil {
		return nil
	}
	from, to := b.from.typ, b.to.typ
	name := from.FormatScalar(dtype.V3, fill)
	stored := b.encode.scalar(to, from, fill)
	if stored == nil {
		return field("", "the fill value %s cannot be encoded: %w: map it in scalar_map.encode, or choose another", name, b.misfit(b.to, b.from, fill))
	}
	b.out.Fill = stored
	back := b.decode.scalar(from, to, stored)
	switch {
	case back == nil:
		b.lost = fmt.Sprintf("the fill value %s is stored as %s, which cannot be decoded", name, to.FormatScalar(dtype.V3, stored))
	case b.from.number(back) != b.from.number(fill):
		b.lost = fmt.Sprintf("the fill value %s comes back as %s, stored as %s",
			name, from.FormatScalar(dtype.V3, back), to.FormatScalar(dtype.V3, stored))
	}
	return nil
}

func (b *castValueBound) Spec() Spec                                    { return b.spec }
func (b *castValueBound) Encoded() Chunk                                { return b.out }
func (b *castValueBound) Encode(dst, src ndarray.Array) error           { return encodeElements(b, dst, src) }
func (b *castValueBound) Decode(dst, src ndarray.Array) error           { return decodeElements(b, dst, src) }
func (b *castValueBound) EncodedRegion(r ndarray.Region) ndarray.Region { return r }
func (b *castValueBound) encodeKernel() kernel                          { return b.encode }
func (b *castValueBound) decodeKernel() kernel                          { return b.decode }
