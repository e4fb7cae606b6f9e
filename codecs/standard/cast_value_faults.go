package standard

import (
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

func (b *castValueBound) EncodeError(src ndarray.Array, at int) error {
	value := elements.Value(src, at)
	if b.checks {
		if stored := b.rule.kernel(b.to, b.from, b.encodeMap).Scalar(b.to.typ, b.from.typ, value); stored != nil {
			return fmt.Errorf("%w: stored as %s, which cannot be decoded: %w: %s", codecs.NewElementError(src, at),
				b.to.typ.FormatScalar(dtype.V3, stored), b.misfit(b.from, b.to, stored), b.wayOut("scalar_map.encode", b.from, b.to, stored))
		}
	}
	return fmt.Errorf("%w: %w: %s", codecs.NewElementError(src, at), b.misfit(b.to, b.from, value), b.wayOut("scalar_map.encode", b.to, b.from, value))
}

func (b *castValueBound) DecodeError(src ndarray.Array, at int) error {
	value := elements.Value(src, at)
	return fmt.Errorf("%w: %w: %w: %s", codecs.ErrCorrupt, codecs.NewElementError(src, at), b.misfit(b.from, b.to, value), b.wayOut("scalar_map.decode", b.from, b.to, value))
}

// misfit returns the reason why an element has no value of another type.
func (b *castValueBound) misfit(to, from castForm, value dtype.Scalar) error {
	switch {
	case !from.isFinite(value):
		return fmt.Errorf("%w of %s, which has no such value", dtype.ErrOutOfRange, to.typ.Name())
	case to.kind != dtype.Float:
		return fmt.Errorf("%w of %s, %d to %d", dtype.ErrOutOfRange, to.typ.Name(), to.least(), to.greatest())
	default:
		return fmt.Errorf("%w of %s", dtype.ErrOutOfRange, to.typ.Name())
	}
}

// wayOut returns advice about such an element. name is the field of the scalar map.
func (b *castValueBound) wayOut(name string, to, from castForm, value dtype.Scalar) string {
	switch {
	case !from.isFinite(value):
		return "map it in " + name
	case to.kind != dtype.Float && b.to.kind != dtype.Float:
		return `set out_of_range to "clamp" or "wrap", or map it in ` + name
	default:
		return `set out_of_range to "clamp", or map it in ` + name
	}
}

func (f castForm) isFinite(s dtype.Scalar) bool {
	return f.kind != dtype.Float || !math.IsInf(floatOf(f.typ, s), 0) && !f.isNaN(s)
}

func (f castForm) isNaN(s dtype.Scalar) bool {
	return f.kind == dtype.Float && math.IsNaN(floatOf(f.typ, s))
}

// Decodes implements [codecs.Narrow]. A float that a lossy codec has changed is about as large as
// before, so only integers have a range that it leaves.
func (b *castValueBound) Decodes() (values, wayOut string) {
	if b.rule.outOfRange != refuseOutOfRange || b.from.kind == dtype.Float {
		return "", ""
	}
	if b.to.kind != dtype.Float && b.from.least() <= b.to.least() && b.from.greatest() >= b.to.greatest() {
		return "", "" // each stored integer is one of the other type
	}
	return fmt.Sprintf("the values of %s, %d to %d", b.from.typ.Name(), b.from.least(), b.from.greatest()), `set out_of_range to "clamp"`
}

// Hazards implements [codecs.Hazardous]. Integers that become floats, in encoding or in
// decoding, may be rounded. The fill value may be impossible to decode.
func (b *castValueBound) Hazards() []codecs.Hazard {
	var list []codecs.Hazard
	if b.lost != "" {
		list = append(list, codecs.Hazard{Code: codecs.FillValueLost, Message: b.lost, Hint: "map it in scalar_map.encode and scalar_map.decode, or choose another fill_value"})
	}
	float, integer := b.to, b.from
	if float.kind != dtype.Float {
		float, integer = integer, float
	}
	if float.kind != dtype.Float || integer.kind == dtype.Float || holdsIntegers(float, integer) {
		return list
	}
	verb := "encoding"
	if b.to.kind != dtype.Float {
		verb = "decoding"
	}
	return append(list, codecs.Hazard{
		Field: "data_type", Code: codecs.InexactCast,
		Message: fmt.Sprintf("%[1]s makes %[2]s of %[3]s, and %[2]s cannot hold every %[3]s: some are rounded or out of range", verb, float.typ.Name(), integer.typ.Name()),
		Hint:    "allow_inexact: true in the job accepts that",
	})
}
