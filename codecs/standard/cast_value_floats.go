package standard

import (
	"math"
	"sync"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// castFromFloat returns the kernel from floats of 32 or 64 bits to any type.
func castFromFloat[S float](r castRule, to castForm) elements.Kernel {
	switch to.goType() {
	case int8Number:
		return floatsToIntegers[int8, S](r, to)
	case int16Number:
		return floatsToIntegers[int16, S](r, to)
	case int32Number:
		return floatsToIntegers[int32, S](r, to)
	case int64Number:
		return floatsToIntegers[int64, S](r, to)
	case uint8Number:
		return floatsToIntegers[uint8, S](r, to)
	case uint16Number:
		return floatsToIntegers[uint16, S](r, to)
	case uint32Number:
		return floatsToIntegers[uint32, S](r, to)
	case uint64Number:
		return floatsToIntegers[uint64, S](r, to)
	case float32Number:
		return floatsToFloat32[S](r)
	case float64Number:
		return convert[float64, S]
	default:
		return floatsToLayout(r, to.layout)
	}
}

// run is a loop over elements with operators alone. It stops at the first element that
// is not between low and high and returns the element's index, or -1 if there is none.
// Between floats, NaN and infinities pass, too.
type run[D, S real] func(to []D, from []S, low, high S) int

// resumed returns a kernel that calls rest for each element at which fast stops. rest
// returns false if the element has no result.
func resumed[D, S real](fast run[D, S], low, high S, rest func(S) (D, bool)) elements.Kernel {
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		to = to[:len(from)]
		for at := 0; ; at++ {
			n := fast(to[at:], from[at:], low, high)
			if n < 0 {
				return -1
			}
			at += n
			v, ok := rest(from[at])
			if !ok {
				return at
			}
			to[at] = v
		}
	}
}

// floatsToIntegers returns the kernel from floats to integers. Its fast loop takes
// numbers that are rounded into the range of the type, or, when wrapping, of int64.
func floatsToIntegers[D integer, S float](r castRule, to castForm) elements.Kernel {
	const beyond = 0x1p63 // the first number beyond int64
	low, high := roundedBounds[S](to, r.rounding)
	rest := func(v S) (D, bool) {
		switch x := float64(v); {
		case x-x != 0:
			return 0, false
		case r.outOfRange == wrapOutOfRange:
			return D(wrapFloat(x)), true
		case x >= beyond && v <= high: // within uint64
			return D(uint64(x)), true
		case r.outOfRange == clampOutOfRange && x < 0:
			return D(to.least()), true
		case r.outOfRange == clampOutOfRange:
			return D(to.greatest()), true
		default:
			return 0, false
		}
	}
	switch {
	case r.outOfRange == wrapOutOfRange:
		return wrapped[D](resumed(roundRun[D, S](r.rounding), -beyond, nearer(S(beyond)), rest), to)
	case r.outOfRange == clampOutOfRange && to.bits <= 32:
		low, high := roundedBounds[float64](to, r.rounding)
		if r.rounding == dtype.NearestEven {
			return clampToEven[D, S](low, high)
		}
		return clampFloats[D, S](roundRun[D, float64](r.rounding), low, high)
	default:
		return resumed(roundRun[D, S](r.rounding), low, min(high, nearer(S(beyond))), rest)
	}
}

// roundedBounds returns the least and the greatest float that are rounded to a number
// of an integer type.
func roundedBounds[S float](to castForm, mode dtype.Rounding) (low, high S) {
	least, greatest := float64(to.least()), float64(to.greatest())
	below, lowFits, above, highFits := 0.5, mode == dtype.NearestEven, 0.5, false // the greatest integer is odd
	switch mode {
	case dtype.TowardsZero:
		below, above = 1, 1
	case dtype.TowardsPositive:
		below, above, highFits = 1, 0, true
	case dtype.TowardsNegative:
		below, above, lowFits = 0, 1, true
	}
	// At the bounds of the largest types floats have no fractions, and the greatest
	// integer was itself rounded up.
	lowFits, highFits = lowFits || least < -1<<53, highFits && greatest < 1<<53
	return edge[S](least-below, lowFits), edge[S](greatest+above, highFits)
}

// edge returns x if it fits and is a number of type S, and otherwise the next number of
// S that is nearer to zero.
func edge[S float](x float64, fits bool) S {
	v := S(x)
	if math.Abs(float64(v)) > math.Abs(x) || float64(v) == x && !fits {
		return nearer(v)
	}
	return v
}

// nearer returns the next number nearer to zero.
func nearer[S float](v S) S {
	if x, ok := any(v).(float32); ok {
		return S(math.Nextafter32(x, 0))
	}
	return S(math.Nextafter(float64(v), 0))
}

// wrapFloat returns the lower bits, in two's complement, of a float that is too large
// for int64. Such a float has no fraction.
func wrapFloat(x float64) uint64 {
	b := math.Float64bits(x)
	significand, exponent := b&(1<<52-1)|1<<52, b>>52&0x7ff
	v := significand << (exponent - 1075)
	if x < 0 {
		return -v
	}
	return v
}

// clampFloats returns the kernel from floats to integers of up to 32 bits that clamps
// finite numbers to low and high before it rounds them.
func clampFloats[D integer, S float](fast run[D, float64], low, high float64) elements.Kernel {
	const block = 512 // elements
	lent := &sync.Pool{New: func() any { return new([block]float64) }}
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		scratch := lent.Get().(*[block]float64)
		defer lent.Put(scratch)
		for at := 0; at < len(from); at += block {
			part := from[at:min(len(from), at+block)]
			clamped := scratch[:len(part)]
			for i, v := range part {
				x := float64(v)
				if x-x != 0 {
					return at + i
				}
				clamped[i] = min(max(x, low), high)
			}
			fast(to[at:], clamped, low, high)
		}
		return -1
	}
}

// clampToEven is clampFloats with evenRun in one loop, for the default rounding.
func clampToEven[D integer, S float](low, high float64) elements.Kernel {
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		to = to[:len(from)]
		for i, v := range from {
			x := float64(v)
			if x-x != 0 {
				return i
			}
			to[i] = D(int64(math.RoundToEven(min(max(x, low), high))))
		}
		return -1
	}
}

// roundRun returns the loop from floats within int64 to integers. Numbers beyond D lose
// their upper bits.
func roundRun[D integer, S float](mode dtype.Rounding) run[D, S] {
	switch mode {
	case dtype.TowardsZero:
		return truncateRun[D, S]
	case dtype.TowardsPositive:
		return ceilRun[D, S]
	case dtype.TowardsNegative:
		return floorRun[D, S]
	case dtype.NearestAway:
		return awayRun[D, S]
	default:
		return evenRun[D, S]
	}
}

func evenRun[D integer, S float](to []D, from []S, low, high S) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within {
			return i
		}
		to[i] = D(int64(math.RoundToEven(float64(v))))
	}
	return -1
}

func truncateRun[D integer, S float](to []D, from []S, low, high S) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within {
			return i
		}
		to[i] = D(int64(v))
	}
	return -1
}

func ceilRun[D integer, S float](to []D, from []S, low, high S) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within {
			return i
		}
		to[i] = D(int64(math.Ceil(float64(v))))
	}
	return -1
}

func floorRun[D integer, S float](to []D, from []S, low, high S) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within {
			return i
		}
		to[i] = D(int64(math.Floor(float64(v))))
	}
	return -1
}

// awayRun rounds by adding the largest number below 0.5. For the largest number below a
// half, the sum stays below the next integer. For a half, the sum is rounded to the
// next integer.
func awayRun[D integer, S float](to []D, from []S, low, high S) int {
	const almostHalf = 0.5 - 0x1p-54
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within {
			return i
		}
		to[i] = D(int64(float64(v) + math.Copysign(almostHalf, float64(v))))
	}
	return -1
}

// floatsToLayout returns the kernel from floats to narrow floats. Numbers out of range
// are clamped. NaN and infinity are not clamped if the layout lacks them.
func floatsToLayout(r castRule, l *dtype.FloatLayout) elements.Kernel {
	_, hasNaN := l.NaN()
	_, hasInfinity := l.Infinity(false)
	return func(dst, src ndarray.Array) int {
		if from, ok := ndarray.As[float64](src); ok {
			bad := l.FromFloat64(dst.Data, from, r.rounding)
			return firstRefused(r, from, bad, hasNaN, hasInfinity)
		}
		from, _ := ndarray.As[float32](src)
		bad := l.FromFloat32(dst.Data, from, r.rounding)
		return firstRefused(r, from, bad, hasNaN, hasInfinity)
	}
}

// firstRefused returns the index of the first number without a result, or -1. It starts
// at index unfit, that of the first number that does not fit. Such a number may still be
// clamped.
func firstRefused[S float](r castRule, from []S, unfit int, hasNaN, hasInfinity bool) int {
	switch {
	case unfit == len(from):
		return -1
	case r.outOfRange != clampOutOfRange:
		return unfit
	}
	for i, v := range from[unfit:] {
		if v-v == 0 || v != v && hasNaN || v == v && hasInfinity {
			continue
		}
		return unfit + i
	}
	return -1
}

// floatsToFloat32 returns the kernel to float32.
func floatsToFloat32[S float](r castRule) elements.Kernel {
	if _, same := any(S(0)).(float32); same {
		return convert[float32, S]
	}
	// Beyond its bound, a number is rounded out of the range. On a side that is rounded
	// away from zero, the bound is the largest float32. On a side that is rounded towards
	// zero, it is the next number after that. Otherwise it is half way between the two.
	const largest, half, next = math.MaxFloat32, 0x1p128 - 0x1p103, 0x1p128
	low, high := -nearer(half), nearer(half)
	switch r.rounding {
	case dtype.TowardsZero:
		low, high = -nearer(next), nearer(next)
	case dtype.TowardsPositive:
		low, high = -nearer(next), largest
	case dtype.TowardsNegative:
		low, high = -largest, nearer(next)
	}
	return resumed(narrowRun(r.rounding), low, high, func(v float64) (float32, bool) {
		return float32(math.Inf(int(math.Copysign(1, v)))), r.outOfRange == clampOutOfRange
	})
}
