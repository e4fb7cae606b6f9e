package standard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// CastValueName is the name of the codec.
const CastValueName = "cast_value"

// castValueDefinition is the codec "cast_value" of the registry of Zarr extensions. It
// stores elements as numbers of another type. The first rule that applies converts an
// element:
//
//  1. The scalar map has an entry for the element.
//  2. The other type has the same number.
//  3. The number is rounded. If it is then out of range, it is clamped or wrapped.
//
// All other elements are errors. Among them are NaN and infinities if the other type
// lacks them. Decoding uses the same rules with the types swapped.
//
// A float is out of range if it is so after rounding with an unbounded exponent (IEEE
// 754-2019, section 7.4). Keys of the scalar map are compared as numbers: zero equals
// negative zero, and all NaNs are equal.
func castValueDefinition(types *dtype.Registry) codecs.Definition {
	return codecs.Definition{
		Name: CastValueName, Kind: codecs.KindArrayToArray, Packs: true,
		Summary: "stores numbers as another type, by rules",
		Lossy:   "numbers that the stored type does not have: rounding, out_of_range and scalar_map change them",
		Fields: []codecs.Field{
			{Name: "data_type", Type: "data type of integers or floats", Doc: "type to store"},
			{Name: "rounding", Type: `"nearest-even", "towards-zero", "towards-positive", "towards-negative" or "nearest-away"`, Default: `"nearest-even"`, Doc: "to which of its two neighbours a number between them is rounded"},
			{Name: "out_of_range", Type: `"clamp" or "wrap"`, Default: "null", Doc: "what becomes of numbers out of range; wrap is for integers; left out: an error"},
			{Name: "scalar_map", Type: "object with encode and decode, arrays of [from, to]", Default: "{}", Doc: "numbers that become others, before all rules"},
		},
		Example: json.RawMessage(`{"data_type":"int32"}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				DataType   json.RawMessage `json:"data_type"`
				Rounding   *string         `json:"rounding"`
				OutOfRange *string         `json:"out_of_range"`
				ScalarMap  json.RawMessage `json:"scalar_map"`
			}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.DataType == nil {
				return nil, codecs.Fieldf("data_type", `missing: want a data type of integers or floats, such as "int16"`)
			}
			t, err := types.ParseV3(c.DataType)
			if err != nil {
				return nil, codecs.InField("data_type", err)
			}
			codec := &castValue{}
			var ok bool
			if codec.out, ok = castFormOf(t); !ok {
				return nil, codecs.Fieldf("data_type", "%s: want integers or floats", t.Name())
			}
			if codec.rule, err = parseCastRule(c.Rounding, c.OutOfRange, codec.out); err != nil {
				return nil, err
			}
			var scalarMap struct {
				Encode []json.RawMessage `json:"encode"`
				Decode []json.RawMessage `json:"decode"`
			}
			if err := codecs.ReadConfiguration(c.ScalarMap, &scalarMap); err != nil {
				return nil, within("scalar_map", err)
			}
			codec.encode, codec.decode = scalarMap.Encode, scalarMap.Decode
			return codec, nil
		},
	}
}

// within puts the name of a field in front of the path of a field inside it.
func within(name string, err error) error {
	inner, ok := errors.AsType[*codecs.FieldError](err)
	switch {
	case !ok:
		return codecs.InField(name, err)
	case inner.Field == "":
		return codecs.InField(name, inner.Err)
	default:
		return codecs.InField(name+"."+inner.Field, inner.Err)
	}
}

func parseCastRule(rounding, outOfRange *string, to castForm) (castRule, error) {
	var r castRule
	if rounding != nil {
		for r.rounding.String() != *rounding {
			if r.rounding++; r.rounding > dtype.NearestAway {
				return r, codecs.Fieldf("rounding", `%.60q: want "nearest-even", "towards-zero", "towards-positive", "towards-negative" or "nearest-away"`, *rounding)
			}
		}
	}
	switch {
	case outOfRange == nil:
	case *outOfRange == "clamp":
		r.outOfRange = clampOutOfRange
	case *outOfRange != "wrap":
		return r, codecs.Fieldf("out_of_range", `%.60q: want "clamp" or "wrap", or leave it out to have an error`, *outOfRange)
	case to.kind == dtype.Float:
		return r, codecs.Fieldf("out_of_range", `"wrap" is for integers, and %s are floats: choose "clamp" or leave it out`, to.typ.Name())
	default:
		r.outOfRange = wrapOutOfRange
	}
	return r, nil
}

// castValue is the codec before it is bound. The pairs of the scalar map are not parsed
// yet, because that takes both types.
type castValue struct {
	out            castForm
	rule           castRule
	encode, decode []json.RawMessage
}

func (c *castValue) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	from, ok := castFormOf(in.Type)
	if !ok {
		return nil, codecs.Fieldf("", "data type %s: want integers or floats", in.Type.Name())
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
	b.spec = codecs.Spec{Name: CastValueName, Configuration: b.configuration(encode, decode)}
	b.out.Type, b.out.Fill = c.out.typ, nil
	if err := b.castFill(in.Fill); err != nil {
		return nil, err
	}
	return b, nil
}

// castValueBound is a bound cast_value. It is elementwise.
type castValueBound struct {
	lost           string // why the fill value cannot be decoded; "" if it can
	checks         bool   // whether encode refuses what decode cannot decode
	spec           codecs.Spec
	from, to       castForm
	rule           castRule
	out            codecs.Chunk
	encode, decode elements.Kernel

	encodeMap, decodeMap castMap
}

// Refuses implements [codecs.Selective].
func (b *castValueBound) Refuses() bool { return b.rule.outOfRange == refuseOutOfRange || b.checks }

// Returning implements [codecs.OneWay]. The greatest int32 becomes 2147483648 as a float32, for
// example, which no int32 is.
func (b *castValueBound) Returning() codecs.ArrayToArray {
	if b.returns() {
		return b
	}
	c := *b
	c.checks = true
	c.encode = func(dst, src ndarray.Array) int {
		if bad := b.encode(dst, src); bad >= 0 {
			return bad
		}
		return b.decode.Find(b.from.typ, dst)
	}
	return &c
}

// returns reports whether decoding certainly has a result for all that encoding makes.
func (b *castValueBound) returns() bool {
	for _, e := range b.encodeMap {
		if b.decode.Scalar(b.from.typ, b.to.typ, e.value) == nil {
			return false
		}
	}
	switch {
	case b.from.kind == dtype.Float:
		return b.from.layout == nil || b.to.kind == dtype.Float && b.to.layout == nil
	case b.to.kind == dtype.Float:
		return holdsIntegers(b.to, b.from)
	default:
		return true
	}
}

// configuration returns the fields that differ from their defaults.
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

// castFill encodes the fill value. If it does not decode to the same number, which is a
// hazard, castFill says so in lost. A number does not show the sign of zero or which
// NaN it is; [codecs.FillValueChanges] covers these.
func (b *castValueBound) castFill(fill dtype.Scalar) error {
	if fill == nil {
		return nil
	}
	from, to := b.from.typ, b.to.typ
	name := from.FormatScalar(dtype.V3, fill)
	stored := b.encode.Scalar(to, from, fill)
	if stored == nil {
		return codecs.Fieldf("", "the fill value %s cannot be encoded: %w: map it in scalar_map.encode, or choose another", name, b.misfit(b.to, b.from, fill))
	}
	b.out.Fill = stored
	back := b.decode.Scalar(from, to, stored)
	switch {
	case back == nil:
		b.lost = fmt.Sprintf("the fill value %s is stored as %s, which cannot be decoded", name, to.FormatScalar(dtype.V3, stored))
	case b.from.number(back) != b.from.number(fill):
		b.lost = fmt.Sprintf("the fill value %s comes back as %s, stored as %s",
			name, from.FormatScalar(dtype.V3, back), to.FormatScalar(dtype.V3, stored))
	}
	return nil
}

func (b *castValueBound) Spec() codecs.Spec     { return b.spec }
func (b *castValueBound) Encoded() codecs.Chunk { return b.out }
func (b *castValueBound) Encode(dst, src ndarray.Array) error {
	return codecs.EncodeElements(b, dst, src)
}
func (b *castValueBound) Decode(dst, src ndarray.Array) error {
	return codecs.DecodeElements(b, dst, src)
}
func (b *castValueBound) EncodedRegion(r ndarray.Region) ndarray.Region { return r }
func (b *castValueBound) EncodeKernel() elements.Kernel                 { return b.encode }
func (b *castValueBound) DecodeKernel() elements.Kernel                 { return b.decode }

// Stable implements [codecs.Stable]. The codec is stable if it rounds to the nearest
// number, and if encoding undoes what the scalar map decodes.
func (b *castValueBound) Stable(any) bool {
	return b.restores(func(castEntry) bool { return true })
}

// Absorbs implements [codecs.Absorbing]. Errors of arithmetic leave NaN as it is, but
// no other key of the scalar map.
func (b *castValueBound) Absorbs() bool {
	return b.restores(func(e castEntry) bool { return string(b.from.typ.FormatScalar(dtype.V3, e.key)) == `"NaN"` })
}

// restores is Stable; found tells which keys of the scalar map are found again.
func (b *castValueBound) restores(found func(castEntry) bool) bool {
	if b.rule.rounding != dtype.NearestEven {
		return false
	}
	for _, e := range b.encodeMap {
		back := func(d castEntry) bool { return bytes.Equal(d.key, e.value) && bytes.Equal(d.value, e.key) }
		if !slices.ContainsFunc(b.decodeMap, back) || !found(e) {
			return false
		}
	}
	for _, d := range b.decodeMap {
		if !slices.ContainsFunc(b.encodeMap, func(e castEntry) bool { return bytes.Equal(e.key, d.value) }) {
			return false
		}
	}
	return true
}

// Losses implements [codecs.Lossy].
func (b *castValueBound) Losses() []codecs.Loss {
	list := b.rule.losses(b.to, b.from)
	if narrow := b.from.layout; narrow != nil && b.to.kind == dtype.Float && b.to.layout == nil {
		if _, ok := narrow.NaN(); ok {
			list = append(list, codecs.Loss{What: "NaN stays NaN, and loses its sign and its other bits"})
		}
	}
	if len(b.encodeMap) > 0 && len(b.decodeMap) == 0 {
		list = append(list, codecs.Loss{What: "numbers that scalar_map names become others", Anything: true})
	}
	return list
}

// losses returns the losses of a cast. A number out of range is a loss, unless the rule
// refuses it.
func (r castRule) losses(to, from castForm) []codecs.Loss {
	var list []codecs.Loss
	nearest := r.rounding == dtype.NearestEven || r.rounding == dtype.NearestAway
	floats, outside := from.kind == dtype.Float, false
	switch {
	case to.kind != dtype.Float && floats:
		outside = true
		away := 1.0
		if nearest {
			away = 0.5
		}
		list = append(list, codecs.Loss{What: fmt.Sprintf("rounded to whole numbers (%s)", r.rounding), AtMost: away})
	case to.kind != dtype.Float:
		outside = from.least() < to.least() || from.greatest() > to.greatest()
	case floats && !to.holdsFloats(from) || !floats && !holdsIntegers(to, from):
		outside = true
		digits := to.mantissa()
		if nearest {
			digits++
		}
		list = append(list, codecs.Loss{What: fmt.Sprintf("rounded to %s (%s): each number is off by at most 2^-%d of itself, except next to zero", to.typ.Name(), r.rounding, digits)})
	}
	switch {
	case outside && r.outOfRange == clampOutOfRange:
		list = append(list, codecs.Loss{What: fmt.Sprintf("numbers out of the range of %s become its nearest number, or infinite, without a bound", to.typ.Name()), Anything: to.kind == dtype.Float})
	case outside && r.outOfRange == wrapOutOfRange:
		list = append(list, codecs.Loss{What: fmt.Sprintf("numbers out of the range of %s wrap around, without a bound", to.typ.Name())})
	}
	return list
}

// mantissa returns the number of stored mantissa bits of a float.
func (f castForm) mantissa() int {
	switch {
	case f.layout != nil:
		one, _ := f.layout.Round(1, dtype.NearestEven)
		two, _ := f.layout.Round(2, dtype.NearestEven) // the same mantissa with the next exponent
		return bits.Len(uint(two-one)) - 1
	case f.typ.Size() == 4:
		return 23
	default:
		return 52
	}
}

// holdsFloats reports whether a float type has every number of another float type.
func (f castForm) holdsFloats(of castForm) bool {
	return dtype.Same(f.typ, of.typ) || f.layout == nil && (of.layout != nil || f.typ.Size() > of.typ.Size())
}

// Clamped returns specs with out_of_range: clamp in each cast_value.
func Clamped(specs []codecs.Spec) []codecs.Spec {
	list := slices.Clone(specs)
	for i, s := range list {
		if s.Name != CastValueName {
			continue
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(s.Configuration, &fields) != nil || fields == nil {
			continue // binding reports it
		}
		fields["out_of_range"] = json.RawMessage(`"clamp"`)
		text, err := json.Marshal(fields)
		if err != nil {
			panic(err) // fields that were read from JSON
		}
		list[i].Configuration = text
	}
	return list
}
