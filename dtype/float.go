package dtype

import (
	"math"
	"sync"
)

// FloatLayout is a binary floating-point format of at most 16 bits: where the sign, the
// exponent and the mantissa lie in a bit pattern, and which patterns are not finite
// numbers. A pattern holds, from its most significant bit, the sign (except in
// [Float8E8M0FNULayout]), the biased exponent and the mantissa; an exponent field of
// zero is a subnormal number.
//
// Layouts are immutable and safe for concurrent use. Two layouts are the same exactly
// when their pointers are equal.
type FloatLayout struct {
	bits     int
	mantissa int // bits of the mantissa that are stored
	bias     int
	sign     uint16 // the sign bit; 0 in an unsigned layout, which has no zero either
	largest  uint16 // the largest finite number
	infinity uint16 // positive infinity; 0 if there is none
	nan      uint16 // the canonical NaN; 0 if there is none

	// Tables of the kernels. Each is built on its first use.
	values       func() *valueTable
	patterns     [roundings]func() *patternTable
	segments     [roundings]func() *segmentTable
	wideSegments [roundings]func() *wideSegmentTable
	widePatterns [roundings]func() *widePatternTable
}

// Layouts of the Zarr data types of the same names in lower case. The registry of Zarr
// extensions defines all of them except float16, which is IEEE 754's binary16. The
// suffixes tell what a layout lacks. F: it has no infinity. N: it does not have IEEE
// 754's NaNs; it has one NaN, or none if nothing follows the N. UZ: its zero has no
// sign. U: its numbers have no sign, and there is no zero.
var (
	Float16Layout           = newFloatLayout(16, 10, 15, ieeeSpecials)
	BFloat16Layout          = newFloatLayout(16, 7, 127, ieeeSpecials)
	Float8E3M4Layout        = newFloatLayout(8, 4, 3, ieeeSpecials)
	Float8E4M3Layout        = newFloatLayout(8, 3, 7, ieeeSpecials)
	Float8E4M3B11FNUZLayout = newFloatLayout(8, 3, 11, fnuzSpecials)
	Float8E4M3FNUZLayout    = newFloatLayout(8, 3, 8, fnuzSpecials)
	Float8E5M2Layout        = newFloatLayout(8, 2, 15, ieeeSpecials)
	Float8E5M2FNUZLayout    = newFloatLayout(8, 2, 16, fnuzSpecials)
	Float8E8M0FNULayout     = newFloatLayout(8, 0, 127, fnuSpecials)
	Float6E2M3FNLayout      = newFloatLayout(6, 3, 1, fnSpecials)
	Float6E3M2FNLayout      = newFloatLayout(6, 2, 3, fnSpecials)
	Float4E2M1FNLayout      = newFloatLayout(4, 1, 1, fnSpecials)
)

// specials says which patterns of a layout are infinities and NaNs.
type specials uint8

const (
	ieeeSpecials specials = iota // the highest exponent: infinity if the mantissa is 0, else NaN
	fnuzSpecials                 // NaN in the place of negative zero
	fnuSpecials                  // no sign and no zero; NaN is all ones
	fnSpecials                   // none
)

func newFloatLayout(bits, mantissa, bias int, special specials) *FloatLayout {
	l := &FloatLayout{bits: bits, mantissa: mantissa, bias: bias}
	l.sign = 1 << (bits - 1)
	l.largest = l.sign - 1
	switch special {
	case ieeeSpecials:
		l.infinity = l.sign - 1<<mantissa
		l.largest = l.infinity - 1
		l.nan = l.infinity | 1<<(mantissa-1)
	case fnuzSpecials:
		l.nan = l.sign
	case fnuSpecials:
		l.sign = 0
		l.nan = 1<<bits - 1
		l.largest = l.nan - 1
	}
	l.values = sync.OnceValue(l.buildValues)
	for mode := range l.patterns {
		l.patterns[mode] = sync.OnceValue(func() *patternTable { return l.buildPatterns(Rounding(mode)) })
		l.segments[mode] = sync.OnceValue(func() *segmentTable { return l.buildSegments(Rounding(mode)) })
		l.widePatterns[mode] = sync.OnceValue(func() *widePatternTable { return l.buildWidePatterns(Rounding(mode)) })
		l.wideSegments[mode] = sync.OnceValue(func() *wideSegmentTable { return l.buildWideSegments(Rounding(mode)) })
	}
	return l
}

// Rounding decides to which of its two neighbours a number between them is rounded.
type Rounding uint8

// The roundings of IEEE 754-2019, section 4.3. Where both neighbours are equally near,
// NearestEven takes the one with an even mantissa, and NearestAway the one of larger
// magnitude. In a layout without a mantissa both neighbours count as odd, and
// NearestEven takes the larger, too.
const (
	NearestEven Rounding = iota
	TowardsZero
	TowardsPositive
	TowardsNegative
	NearestAway

	roundings = iota
)

// String returns the name in the configuration of Zarr's cast_value codec,
// such as "nearest-even".
func (r Rounding) String() string {
	switch r {
	case NearestEven:
		return "nearest-even"
	case TowardsZero:
		return "towards-zero"
	case TowardsPositive:
		return "towards-positive"
	case TowardsNegative:
		return "towards-negative"
	case NearestAway:
		return "nearest-away"
	default:
		return "unknown rounding"
	}
}

// Bits returns the number of bits of a pattern, from 4 to 16.
func (l *FloatLayout) Bits() int { return l.bits }

// NaN returns the pattern that Zarr's metadata call "NaN", and false if the layout has
// none. IEEE layouts have more NaN patterns; this is the quiet NaN without sign or
// payload.
func (l *FloatLayout) NaN() (pattern uint16, ok bool) { return l.nan, l.nan != 0 }

// Infinity returns the pattern of positive or negative infinity, and false if
// the layout has none.
func (l *FloatLayout) Infinity(negative bool) (pattern uint16, ok bool) {
	if l.infinity == 0 {
		return 0, false
	}
	return l.signed(l.infinity, negative), true
}

// signed returns the pattern of a magnitude with a sign.
func (l *FloatLayout) signed(magnitude uint16, negative bool) uint16 {
	if negative && magnitude|l.sign != l.nan { // negative zero is NaN in some layouts
		return magnitude | l.sign
	}
	return magnitude
}

// Float64 returns the value of a pattern, exactly. Bits above the layout's are
// ignored.
func (l *FloatLayout) Float64(pattern uint16) float64 {
	pattern &= uint16(1<<l.bits - 1)
	magnitude := pattern &^ l.sign
	if magnitude > l.largest || pattern == l.nan && l.nan != 0 {
		if magnitude != l.infinity || l.infinity == 0 {
			return math.NaN()
		}
		return math.Inf(1 - 2*int(pattern>>(l.bits-1)))
	}
	field := int(magnitude >> l.mantissa)
	significand := int(magnitude) & (1<<l.mantissa - 1)
	if field == 0 && l.sign != 0 {
		field = 1 // subnormal: no implicit bit
	} else {
		significand |= 1 << l.mantissa
	}
	x := math.Ldexp(float64(significand), field-l.bias-l.mantissa)
	if pattern&l.sign != 0 {
		return math.Copysign(x, -1)
	}
	return x
}

// Round returns the pattern of x, rounded once if no pattern has that value, and
// whether x fits into the layout.
//
// As in IEEE 754-2019, section 7.4, x is rounded as it would be "were the exponent
// range unbounded". A finite x does not fit if the result is larger in magnitude than
// the largest finite number. So a number just above the largest finite number fits
// exactly when it is rounded down to it. NaN, infinity and negative numbers do not fit
// into layouts that lack them. Into [Float8E8M0FNULayout], zero and results below the
// smallest number do not fit either.
//
// An x that does not fit is saturated in every mode. It becomes infinity of its sign;
// if there is none, the largest finite number of its sign; if there is none, the
// nearest number. A NaN that does not fit becomes 0. A NaN that fits becomes the
// pattern of [FloatLayout.NaN], whatever its sign and payload. In a layout without
// negative zero, negative zero becomes zero and fits, and so does a number that is
// rounded to negative zero.
func (l *FloatLayout) Round(x float64, mode Rounding) (pattern uint16, fits bool) {
	negative := math.Signbit(x)
	switch {
	case math.IsNaN(x):
		return l.nan, l.nan != 0
	case l.sign == 0 && x <= 0:
		return 0, false
	case math.IsInf(x, 0):
		return l.saturated(negative), l.infinity != 0
	}
	magnitude := l.roundMagnitude(x, mode)
	switch {
	case magnitude > int(l.largest):
		return l.saturated(negative), false
	case magnitude < 0: // only in a layout whose smallest number has an exponent field of 0
		return 0, false
	}
	return l.signed(uint16(magnitude), negative), true
}

// saturated returns infinity, or the largest finite number if there is none.
func (l *FloatLayout) saturated(negative bool) uint16 {
	return l.signed(max(l.infinity, l.largest), negative)
}

// roundMagnitude rounds a finite x, which is positive if the layout is unsigned. It
// returns the pattern without sign, computed as if exponents had no bounds. The result
// is more than l.largest for numbers above the layout's range, and less than zero for
// numbers below the range of an unsigned layout.
func (l *FloatLayout) roundMagnitude(x float64, mode Rounding) int {
	const mantissa, bias = 52, 1023 // of float64
	b := math.Float64bits(x)
	significand := b & (1<<mantissa - 1)
	exponent := int(b >> mantissa & 0x7ff)
	if exponent == 0 {
		exponent = 1
	} else {
		significand |= 1 << mantissa
	}
	field := exponent - bias + l.bias
	drop := mantissa - l.mantissa // bits of the significand to round off
	if field < 1 && l.sign != 0 {
		drop = min(drop+1-field, 63) // subnormal
		field = 1
	}
	// The implicit bit of the significand adds one to the exponent field. So does a
	// carry from rounding up.
	magnitude := (field-1)<<l.mantissa + int(significand>>drop)
	rest := significand & (1<<drop - 1)
	if rest != 0 && l.roundsUp(rest, 1<<(drop-1), magnitude, mode, x < 0) {
		magnitude++
	}
	return magnitude
}

// roundsUp tells whether a number becomes the larger of its two neighbours in
// magnitude. The number lies rest above its smaller neighbour, and half is the middle
// between the two neighbours. The smaller neighbour is even or odd.
func (l *FloatLayout) roundsUp(rest, half uint64, smaller int, mode Rounding, negative bool) bool {
	switch mode {
	case TowardsZero:
		return false
	case TowardsPositive:
		return !negative
	case TowardsNegative:
		return negative
	}
	if rest == half {
		return mode == NearestAway || l.mantissa == 0 || smaller&1 != 0
	}
	return rest > half
}
