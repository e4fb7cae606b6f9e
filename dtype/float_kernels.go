package dtype

import (
	"encoding/binary"
	"math"
)

// floatBlock is the number of elements between two looks at whether all fitted,
// and of those that conversions to and from float64 hold as float32.
const floatBlock = 512

// ToFloat32 converts the len(dst) elements in src, exactly. An element is one
// byte, whose bits above the layout's are ignored, or two bytes in the host's
// byte order. NaNs become quiet NaNs of any payload.
func (l *FloatLayout) ToFloat32(dst []float32, src []byte) {
	switch l {
	case Float16Layout:
		decodeFloat16(dst, src)
	case BFloat16Layout:
		decodeBFloat16(dst, src)
	default:
		decodeBytes(dst, src, l.values())
	}
}

// ToFloat64 is ToFloat32 for float64.
func (l *FloatLayout) ToFloat64(dst []float64, src []byte) {
	var block [floatBlock]float32
	size := (l.bits + 7) / 8
	for len(dst) > 0 {
		n := min(len(dst), floatBlock)
		l.ToFloat32(block[:n], src[:n*size])
		for i, f := range block[:n] {
			dst[i] = float64(f)
		}
		dst, src = dst[n:], src[n*size:]
	}
}

// FromFloat32 converts src to as many elements in dst, as [FloatLayout.Round]
// does, and returns the index of the first number that does not fit, len(src)
// if all do. All elements are written, those that do not fit are saturated.
// An element is one byte, whose bits above the layout's are zero, or two bytes
// in the host's byte order.
func (l *FloatLayout) FromFloat32(dst []byte, src []float32, mode Rounding) (firstUnfit int) {
	firstUnfit = len(src)
	for start := 0; start < len(src); start += floatBlock {
		block := src[start:min(start+floatBlock, len(src))]
		var fit bool
		if l.bits > 8 {
			fit = l.encodeWords(dst[2*start:], block, l.segments[mode](), mode)
		} else {
			fit = encodeBytes(dst[start:], block, l.patterns[mode]())
		}
		if !fit && firstUnfit == len(src) {
			firstUnfit = start + l.findUnfit(block, mode)
		}
	}
	return firstUnfit
}

// findUnfit returns the index of the first number that does not fit.
func (l *FloatLayout) findUnfit(src []float32, mode Rounding) int {
	for i, f := range src {
		if _, fits := l.Round(float64(f), mode); !fits {
			return i
		}
	}
	return len(src)
}

// FromFloat64 is FromFloat32 for float64. Numbers are rounded once.
func (l *FloatLayout) FromFloat64(dst []byte, src []float64, mode Rounding) (firstUnfit int) {
	firstUnfit = len(src)
	var block [floatBlock]float32
	size := (l.bits + 7) / 8
	for start := 0; start < len(src); start += floatBlock {
		n := min(len(src)-start, floatBlock)
		tooLarge := roundToOdd(block[:n], src[start:])
		i := min(l.FromFloat32(dst[start*size:], block[:n], mode), tooLarge)
		if i < n && firstUnfit == len(src) {
			firstUnfit = start + i
		}
	}
	return firstUnfit
}

// roundToOdd converts len(dst) numbers to float32. Of the two neighbours of one
// that is no float32 it takes the one with an odd mantissa. The numbers of a
// layout with at least two bits less, and the middles between them, are even, so
// the neighbour lies on the same side of them as the number itself: rounding it
// again gives what rounding the number gives.
//
// Magnitudes from 2^128, which no layout holds, become infinity; the index of
// the first one of them that is finite is returned, len(dst) if there is none.
func roundToOdd(dst []float32, src []float64) (tooLarge int) {
	tooLarge = len(dst)
	src = src[:len(dst)]
	for i, x := range src {
		f := float32(x)
		b := math.Float32bits(f)
		if b<<1 == 0xff<<24 && math.Abs(x) >= 0x1p128 {
			if !math.IsInf(x, 0) {
				tooLarge = min(tooLarge, i)
			}
			dst[i] = f
			continue
		}
		// The signs are the same, so this is the difference of the magnitudes.
		difference := int64(math.Float64bits(x) - math.Float64bits(float64(f)))
		b -= uint32(uint64(difference) >> 63) // f was rounded up: take the lower neighbour
		b |= uint32(uint64(difference|-difference) >> 63)
		dst[i] = math.Float32frombits(b)
	}
	return tooLarge
}

// valueTable holds the values of the patterns of 8 bits.
type valueTable [1 << 8]float32

func (l *FloatLayout) buildValues() *valueTable {
	t := new(valueTable)
	for pattern := range t {
		t[pattern] = float32(l.Float64(uint16(pattern)))
	}
	return t
}

func decodeBytes(dst []float32, src []byte, values *valueTable) {
	src = src[:len(dst)]
	for i, pattern := range src {
		dst[i] = values[pattern]
	}
}

func decodeBFloat16(dst []float32, src []byte) {
	src = src[:2*len(dst)]
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.NativeEndian.Uint16(src[2*i:])) << 16)
	}
}

// decodeFloat16 puts exponent and mantissa where float32 has them, and corrects
// the bias of the exponent in a multiplication, which makes subnormals normal.
func decodeFloat16(dst []float32, src []byte) {
	src = src[:2*len(dst)]
	for i := range dst {
		pattern := uint32(binary.NativeEndian.Uint16(src[2*i:]))
		magnitude := pattern & 0x7fff << 13
		b := math.Float32bits(math.Float32frombits(magnitude) * 0x1p112)
		if magnitude >= 0x7c00<<13 {
			b |= 0x7f800000
		}
		dst[i] = math.Float32frombits(b | pattern>>15<<31)
	}
}

// patternTable holds what the float32 with given 16 upper bits become in a
// layout of at most 8 bits, with the flag unfit if they do not fit. The last of
// the 16 bits is also set if any of the lower 16 is: it is further down than
// the bits that decide the rounding, so it need only tell whether there is
// anything.
type patternTable [1 << 16]uint16

const unfit = 1 << 8

func (l *FloatLayout) buildPatterns(mode Rounding) *patternTable {
	t := new(patternTable)
	for upper := range t {
		pattern, fits := l.Round(float64(math.Float32frombits(uint32(upper)<<16)), mode)
		if !fits {
			pattern |= unfit
		}
		t[upper] = pattern
	}
	return t
}

// encodeBytes tells whether all numbers fit.
func encodeBytes(dst []byte, src []float32, patterns *patternTable) bool {
	dst = dst[:len(src)]
	var flags uint16
	for i, f := range src {
		b := math.Float32bits(f)
		pattern := patterns[uint16(b>>16|(b&0xffff+0xffff)>>16)]
		dst[i] = byte(pattern)
		flags |= pattern
	}
	return flags&unfit == 0
}

// segmentTable holds how to round the float32 with given 9 upper bits, sign and
// exponent, to an IEEE layout of 16 bits.
type segmentTable [1 << 9]segment

// segment rounds a float32 significand s to (s + add) >> drop + base.
type segment struct {
	implicit uint32 // the bit of the significand that float32 does not store
	add      uint32 // what makes the rounding from cutting bits off
	drop     uint32 // number of bits to cut off
	base     uint16 // sign and exponent
	finite   uint16 // the highest bit if the numbers are finite
}

func (l *FloatLayout) buildSegments(mode Rounding) *segmentTable {
	const mantissa, bias, infinity = 23, 127, 255 // of float32
	t := new(segmentTable)
	for upper := range t {
		exponent, negative := upper&0xff, upper>>8 != 0
		g := segment{finite: 1 << 15}
		field := exponent - bias + l.bias
		if exponent != 0 {
			g.implicit = 1 << mantissa
		} else {
			field++
		}
		drop := mantissa - l.mantissa
		if field < 1 {
			drop += 1 - field
			field = 1
		}
		if field < int(l.infinity>>l.mantissa) && exponent != infinity {
			g.drop = uint32(min(drop, mantissa+2)) // so many leave less than a half
			g.add = roundingAddend(g.drop, mode, negative)
			g.base = l.signed(uint16(field-1)<<l.mantissa, negative)
		} else {
			g.drop = 31 // so all
			g.base = l.signed(l.infinity, negative)
		}
		if exponent == infinity {
			g.finite = 0
		}
		t[upper] = g
	}
	return t
}

// roundingAddend returns what must be added before drop bits are cut off. For
// NearestEven, the lowest bit that stays must be added as well.
func roundingAddend(drop uint32, mode Rounding, negative bool) uint32 {
	switch mode {
	case NearestEven:
		return 1<<(drop-1) - 1
	case NearestAway:
		return 1 << (drop - 1)
	case TowardsPositive, TowardsNegative:
		if negative == (mode == TowardsNegative) {
			return 1<<drop - 1
		}
	}
	return 0
}

// encodeWords tells whether all numbers fit.
func (l *FloatLayout) encodeWords(dst []byte, src []float32, segments *segmentTable, mode Rounding) bool {
	dst = dst[:2*len(src)]
	var even uint32
	if mode == NearestEven {
		even = 1
	}
	nan := uint32(l.nan)
	overflow := uint32(1<<15 - l.infinity)
	var flags uint32
	for i, f := range src {
		b := math.Float32bits(f)
		g := &segments[b>>23]
		s := b&(1<<23-1) | g.implicit
		drop := g.drop & 31
		pattern := (s+g.add+s>>drop&even)>>drop + uint32(g.base)
		flags |= (pattern&0x7fff + overflow) & uint32(g.finite)
		if b&0x7fffffff > 0x7f800000 {
			pattern = nan
		}
		binary.NativeEndian.PutUint16(dst[2*i:], uint16(pattern))
	}
	return flags == 0
}
