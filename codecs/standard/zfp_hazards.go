package standard

import (
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Codes of the hazards of zfp.
const (
	// ZfpNonfinite: the fill value is NaN or infinite, and lossy modes refuse it.
	ZfpNonfinite = "zfp-nonfinite"
	// ZfpRange: the fill value is an integer that lossy modes refuse, or a float so
	// large that other elements of its block lose their digits.
	ZfpRange = "zfp-range"
	// ZfpTolerance: the tolerance cannot be met.
	ZfpTolerance = "zfp-tolerance"
	// ZfpUnsigned: values above the largest signed integer are refused.
	ZfpUnsigned = "zfp-unsigned"
)

// zfpHuge is the magnitude from which a fill value is taken for a marker of missing
// values, and not for a value like those around it.
const zfpHuge = 1 << 30

// Hazards implements [codecs.Hazardous]. The hazards of the fill value concern chunks
// that hold it beside other values. Padding does not consist of fill values, see
// [codecs.Chain.PadsNearest].
func (b *zfpArrays[T]) Hazards() []codecs.Hazard {
	var list []codecs.Hazard
	if b.form.unsigned {
		list = append(list, codecs.Hazard{
			Code:    ZfpUnsigned,
			Message: fmt.Sprintf("zfp has signed integers only: values of %s above %d cannot be encoded, and end the run", b.in.Type.Name(), b.form.most()),
			Hint:    "leave zfp out if there are such values",
		})
	}
	if b.lossless() {
		return list
	}
	if b.mode == "fixed_accuracy" && !b.form.float() {
		list = append(list, codecs.Hazard{
			Code: ZfpTolerance, Field: "tolerance",
			Message: fmt.Sprintf("zfp has no tolerance for integers: it keeps all bit planes of %s, but the lowest bits may still change", b.in.Type.Name()),
			Hint:    "mode reversible keeps every bit",
		})
	}
	if h, ok := b.fillHazard(); ok {
		list = append(list, h)
	}
	return list
}

// fillHazard returns the hazard of the fill value in a lossy mode.
func (b *zfpArrays[T]) fillHazard() (h codecs.Hazard, found bool) {
	if b.in.Fill == nil {
		return h, false
	}
	a := ndarray.New(b.in.Type, []int{1})
	ndarray.Fill(a, b.in.Fill)
	f, err := b.field(a)
	if err != nil {
		return h, false // FillValueChanges reports this case
	}
	name := b.in.Type.FormatScalar(dtype.V3, b.in.Fill)
	value := math.Abs(float64(f.numbers[0]))
	h.Field = "mode"
	switch {
	case !b.form.within && f.unfit() >= 0:
		h.Code, h.Fill = ZfpRange, true
		if b.form.float() {
			h.Code = ZfpNonfinite
		}
		h.Message = fmt.Sprintf("mode %s takes %s: chunks that hold the fill value %s beside other values cannot be encoded", b.mode, b.form.limits(), name)
		h.Hint = "use mode reversible, or set a fill_value near the data"
	case !b.form.float():
		return h, false
	case b.mode == "fixed_accuracy" && b.tolerance < b.step(value):
		h.Code, h.Field = ZfpTolerance, "tolerance"
		h.Message = fmt.Sprintf("values in a block with the fill value %s keep errors of up to about %.2g, above the tolerance of %g", name, b.step(value), b.tolerance)
		h.Hint = "set a fill_value near the data, or verify_bound: true to end the run where it happens"
	case b.mode != "fixed_accuracy" && value >= zfpHuge:
		h.Code, h.Fill = ZfpRange, true
		h.Message = fmt.Sprintf("values in a block with the fill value %s lose their digits: each block keeps those of its largest value", name)
		h.Hint = "set a fill_value near the data, or use mode reversible"
	default:
		return h, false
	}
	return h, true
}

// step returns the smallest difference that a block can represent if it contains a
// float of this magnitude. A block's numbers have 30 or 62 bits below the largest
// exponent. The transform takes one of these bits for each dimension, and rounding
// takes one.
func (b *zfpArrays[T]) step(value float64) float64 {
	if value == 0 {
		return 0
	}
	_, exp := math.Frexp(value)
	return math.Ldexp(1, exp-(8*b.form.stored.Size()-2)+len(b.shape)+1)
}

// Refuses implements [codecs.Selective].
func (b *zfpArrays[T]) Refuses() bool {
	return b.form.unsigned || !b.lossless() && !b.form.within
}
