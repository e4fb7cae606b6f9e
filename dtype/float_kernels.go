package dtype

import (
	"encoding/binary"
	"math"
)

// floatBlock is the number of elements that are converted before the kernel looks
// whether all of them fitted. Conversions to float64 hold as many elements as float32.
const floatBlock = 512

// ToFloat32 converts the len(dst) elements in src, exactly. An element is one byte,
// whose bits above the layout's are ignored, or two bytes in the host's byte order.
// NaNs become NaNs of any sign and payload. ToFloat32 panics if src is too short.
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

// FromFloat32 converts src to as many elements in dst, as [FloatLayout.Round] does, and
// returns the index of the first number that does not fit, len(src) if all do. All
// elements are written; numbers that do not fit are saturated. An element is one byte,
// whose bits above the layout's are zero, or two bytes in the host's byte order;
// FromFloat32 panics if dst is too short.
func (l *FloatLayout) FromFloat32(dst []byte, src []float32, mode Rounding) (firstUnfit int) {
	if l.bits > 8 {
		return l.encodeWords(dst, src, mode)
	}
	firstUnfit = len(src)
	patterns := l.patterns[mode]()
	for start := 0; start < len(src); start += floatBlock {
		block := src[start:min(start+floatBlock, len(src))]
		if !encodeBytes(dst[start:], block, patterns) && firstUnfit == len(src) {
			firstUnfit = start + findUnfit(l, block, mode)
		}
	}
	return firstUnfit
}

// findUnfit returns the index of the first number that does not fit.
func findUnfit[F float32 | float64](l *FloatLayout, src []F, mode Rounding) int {
	for i, f := range src {
		if _, fits := l.Round(float64(f), mode); !fits {
			return i
		}
	}
	return len(src)
}

// FromFloat64 is FromFloat32 for float64. Numbers are rounded once.
func (l *FloatLayout) FromFloat64(dst []byte, src []float64, mode Rounding) (firstUnfit int) {
	if l.bits > 8 {
		return l.encodeWideWords(dst, src, mode)
	}
	firstUnfit = len(src)
	patterns := l.widePatterns[mode]()
	for start := 0; start < len(src); start += floatBlock {
		block := src[start:min(start+floatBlock, len(src))]
		if !encodeWideBytes(dst[start:], block, patterns) && firstUnfit == len(src) {
			firstUnfit = start + findUnfit(l, block, mode)
		}
	}
	return firstUnfit
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

// decodeFloat16 puts exponent and mantissa where float32 has them. A multiplication
// corrects the bias of the exponent and makes subnormals normal.
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

// patternTable maps the 16 upper bits of a float32 to the pattern in a layout of at
// most 8 bits, with the flag unfit if the number does not fit. The last of the 16 bits
// is also set if any of the 16 lower bits is. This bit lies below the bits that decide
// the rounding, so it need only tell whether any lower bit is set.
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

// encodeBytes tells whether all numbers fit. It is not inlined: within the loop over
// blocks its own loop would run out of registers and take twice as long.
//
//go:noinline
func encodeBytes(dst []byte, src []float32, patterns *patternTable) bool {
	dst = dst[:len(src)]
	var flags uint16
	for i, f := range src {
		b := math.Float32bits(f)
		// The sum carries into the upper half unless the lower half is 0.
		pattern := patterns[uint16((b|(b&0xffff+0xffff))>>16)]
		dst[i] = byte(pattern)
		flags |= pattern
	}
	return flags&unfit == 0
}

// widePatternTable is patternTable for the 18 upper bits of a float64. Six of them are
// the highest bits of the mantissa: two more than any layout of at most 8 bits has, one
// to decide the rounding, and one to tell whether any lower bit is set.
type widePatternTable [1 << 18]uint16

func (l *FloatLayout) buildWidePatterns(mode Rounding) *widePatternTable {
	t := new(widePatternTable)
	for upper := range t {
		pattern, fits := l.Round(math.Float64frombits(uint64(upper)<<46), mode)
		if !fits {
			pattern |= unfit
		}
		t[upper] = pattern
	}
	return t
}

// encodeWideBytes is encodeBytes for float64.
//
//go:noinline
func encodeWideBytes(dst []byte, src []float64, patterns *widePatternTable) bool {
	const lower = 1<<46 - 1
	dst = dst[:len(src)]
	var flags uint16
	for i, f := range src {
		b := math.Float64bits(f)
		// The sum carries into the upper bits unless the lower bits are 0.
		pattern := patterns[(b|(b&lower+lower))>>46]
		dst[i] = byte(pattern)
		flags |= pattern
	}
	return flags&unfit == 0
}

// segmentTable is indexed by the 9 upper bits of a float32, sign and exponent. It tells
// how to round such a number to an IEEE layout of 16 bits. wideSegmentTable does the
// same for the 12 upper bits of a float64. Entries for numbers above the layout's
// largest number are empty.
type (
	segmentTable     [1 << 9]segment[uint32]
	wideSegmentTable [1 << 12]segment[uint64]
)

// segment rounds a significand s to (s + add) >> drop + base. For NearestEven, the
// lowest bit that stays is added before the shift as well.
type segment[B uint32 | uint64] struct {
	implicit B      // the bit of the significand that is not stored
	add      B      // the addend that turns cutting bits off into rounding
	drop     uint32 // number of bits to cut off
	base     uint32 // sign and exponent; the implicit bit adds one to the exponent
}

func (l *FloatLayout) buildSegments(mode Rounding) *segmentTable {
	t := new(segmentTable)
	fillSegments(l, t[:], 23, mode)
	return t
}

func (l *FloatLayout) buildWideSegments(mode Rounding) *wideSegmentTable {
	t := new(wideSegmentTable)
	fillSegments(l, t[:], 52, mode)
	return t
}

// fillSegments builds the table for floats whose mantissa has the given number of
// stored bits.
func fillSegments[B uint32 | uint64](l *FloatLayout, t []segment[B], mantissa int, mode Rounding) {
	highest := len(t)/2 - 1 // exponent
	bias := highest / 2
	for upper := range t {
		exponent, negative := upper&highest, upper > highest
		g := segment[B]{implicit: 1 << mantissa}
		if exponent == 0 {
			g.implicit = 0
			exponent = 1
		}
		field := exponent - bias + l.bias
		if field > int(l.largest>>l.mantissa) {
			continue
		}
		drop := mantissa - l.mantissa
		if field < 1 {
			drop = min(drop+1-field, mantissa+2) // so many bits leave less than a half
			field = 1
		}
		g.drop = uint32(drop)
		g.add = B(roundingAddend(g.drop, mode, negative))
		g.base = uint32(l.signed(uint16(field-1)<<l.mantissa, negative))
		t[upper] = g
	}
}

// roundingAddend returns what must be added before drop bits are cut off.
func roundingAddend(drop uint32, mode Rounding, negative bool) uint64 {
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

// encodeWords is FromFloat32 for layouts of 16 bits.
func (l *FloatLayout) encodeWords(dst []byte, src []float32, mode Rounding) (firstUnfit int) {
	firstUnfit = len(src)
	segments := l.segments[mode]()
	largest := math.Float32bits(float32(l.Float64(l.largest)))
	var even uint32
	if mode == NearestEven {
		even = 1
	}
	for i := 0; ; i++ {
		i += encodeRun(dst[2*i:], src[i:], segments, largest, even)
		if i == len(src) {
			return firstUnfit
		}
		pattern, fits := l.Round(float64(src[i]), mode)
		binary.NativeEndian.PutUint16(dst[2*i:], pattern)
		if !fits {
			firstUnfit = min(firstUnfit, i)
		}
	}
}

// encodeRun converts the numbers before the first one that is NaN or larger in
// magnitude than the float32 with the bits of largest, and returns how many.
func encodeRun(dst []byte, src []float32, segments *segmentTable, largest, even uint32) int {
	dst = dst[:2*len(src)]
	for i, f := range src {
		b := math.Float32bits(f)
		if b&^(1<<31) > largest {
			return i
		}
		g := &segments[b>>23]
		s := b&(1<<23-1) | g.implicit
		drop := g.drop & 31 // the value is less than 32 anyway; this spares the check for larger shifts
		pattern := (s+g.add+s>>drop&even)>>drop + g.base
		binary.NativeEndian.PutUint16(dst[2*i:], uint16(pattern))
	}
	return len(src)
}

// encodeWideWords is FromFloat64 for layouts of 16 bits.
func (l *FloatLayout) encodeWideWords(dst []byte, src []float64, mode Rounding) (firstUnfit int) {
	firstUnfit = len(src)
	segments := l.wideSegments[mode]()
	largest := math.Float64bits(l.Float64(l.largest))
	var even uint64
	if mode == NearestEven {
		even = 1
	}
	for i := 0; ; i++ {
		i += encodeWideRun(dst[2*i:], src[i:], segments, largest, even)
		if i == len(src) {
			return firstUnfit
		}
		pattern, fits := l.Round(src[i], mode)
		binary.NativeEndian.PutUint16(dst[2*i:], pattern)
		if !fits {
			firstUnfit = min(firstUnfit, i)
		}
	}
}

// encodeWideRun is encodeRun for float64.
func encodeWideRun(dst []byte, src []float64, segments *wideSegmentTable, largest, even uint64) int {
	dst = dst[:2*len(src)]
	for i, f := range src {
		b := math.Float64bits(f)
		if b&^(1<<63) > largest {
			return i
		}
		g := &segments[b>>52]
		s := b&(1<<52-1) | g.implicit
		drop := g.drop & 63 // the value is less than 64 anyway; this spares the check for larger shifts
		pattern := uint32((s+g.add+s>>drop&even)>>drop) + g.base
		binary.NativeEndian.PutUint16(dst[2*i:], uint16(pattern))
	}
	return len(src)
}
