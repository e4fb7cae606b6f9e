package standard

import (
	"math"
	"math/bits"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// castFromInteger returns the kernel from integers to any type.
func castFromInteger[S integer](r castRule, to, from castForm) elements.Kernel {
	switch to.goType() {
	case int8Number:
		return castIntegers[int8, S](r, to, from)
	case int16Number:
		return castIntegers[int16, S](r, to, from)
	case int32Number:
		return castIntegers[int32, S](r, to, from)
	case int64Number:
		return castIntegers[int64, S](r, to, from)
	case uint8Number:
		return castIntegers[uint8, S](r, to, from)
	case uint16Number:
		return castIntegers[uint16, S](r, to, from)
	case uint32Number:
		return castIntegers[uint32, S](r, to, from)
	case uint64Number:
		return castIntegers[uint64, S](r, to, from)
	case float32Number:
		if r.rounding == dtype.NearestEven || holdsIntegers(to, from) {
			return convert[float32, S]
		}
	case float64Number:
		if r.rounding == dtype.NearestEven || holdsIntegers(to, from) {
			return convert[float64, S]
		}
		return integersToFloat64[S](r.rounding)
	}
	return through(dtype.Float64, integersToOdd[S], castFromFloat[float64](r, to))
}

// holdsIntegers reports whether a float type has every number of an integer type.
func holdsIntegers(float, integer castForm) bool {
	magnitude := bits.Len64(integer.greatest()) // the least integer is a power of two
	switch {
	case float.layout == nil && float.typ.Size() == 8:
		return magnitude <= 53
	case float.layout == nil:
		return magnitude <= 24
	case magnitude > 11:
		return false
	}
	for v := integer.least(); v <= int64(integer.greatest()); v++ {
		pattern, fits := float.layout.Round(float64(v), dtype.NearestEven)
		if !fits || float.layout.Float64(pattern) != float64(v) {
			return false
		}
	}
	return true
}

// castIntegers returns the kernel between integers.
func castIntegers[D, S integer](r castRule, to, from castForm) elements.Kernel {
	low, high := max(to.least(), from.least()), min(to.greatest(), from.greatest())
	switch {
	case low == from.least() && high == from.greatest():
		return convert[D, S]
	case r.outOfRange == wrapOutOfRange:
		return wrapped[D](convert[D, S], to)
	case r.outOfRange == clampOutOfRange:
		return clampIntegers[D](S(low), S(high))
	default:
		return checkIntegers[D](S(low), S(high))
	}
}

func checkIntegers[D, S integer](low, high S) elements.Kernel {
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		to = to[:len(from)]
		for i, v := range from {
			if v < low || v > high {
				return i
			}
			to[i] = D(v)
		}
		return -1
	}
}

func clampIntegers[D, S integer](low, high S) elements.Kernel {
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		to = to[:len(from)]
		for i, v := range from {
			to[i] = D(min(max(v, low), high))
		}
		return -1
	}
}

// wrapped returns a kernel that takes the results of k, which are their lower bits,
// modulo the range of to.
func wrapped[D integer](k elements.Kernel, to castForm) elements.Kernel {
	above := 8*to.typ.Size() - to.bits
	if above == 0 {
		return k
	}
	return func(dst, src ndarray.Array) int {
		bad := k(dst, src)
		list, _ := ndarray.As[D](dst)
		for i, v := range list {
			list[i] = v << above >> above
		}
		return bad
	}
}

// integersToOdd converts integers to float64. Integers up to 2^53 are exact. From
// larger integers it cuts bits off. If any of these bits is set, it sets the last bit
// that stays. Rounding the result again, to at most 40 bits in any mode, gives what
// rounding the integer once would give.
func integersToOdd[S integer](dst, src ndarray.Array) int {
	const cut = 1<<11 - 1
	to, _ := ndarray.As[float64](dst)
	from, _ := ndarray.As[S](src)
	to = to[:len(from)]
	for i, v := range from {
		f := float64(v)
		if f >= 1<<53 || f <= -1<<53 {
			// Use 64 bits even if S has fewer and the branch is never taken.
			w := int64(v)
			rest := w & cut
			w = w&^cut | (rest+cut)&(cut+1)
			f = float64(w)
			if v > 0 {
				f = float64(uint64(w))
			}
		}
		to[i] = f
	}
	return -1
}

// integersToFloat64 returns the kernel from integers of 64 bits to float64 for a mode
// other than nearest even.
func integersToFloat64[S integer](mode dtype.Rounding) elements.Kernel {
	// The addend for a magnitude before its bits are cut off: nothing, half of their
	// unit, or one less than the unit.
	var half, whole [2]uint64 // for positive and for negative numbers
	switch mode {
	case dtype.NearestAway:
		half = [2]uint64{math.MaxUint64, math.MaxUint64}
	case dtype.TowardsPositive:
		whole[0] = math.MaxUint64
	case dtype.TowardsNegative:
		whole[1] = math.MaxUint64
	}
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[float64](dst)
		from, _ := ndarray.As[S](src)
		to = to[:len(from)]
		for i, v := range from {
			sign, magnitude := 0, uint64(v)
			if v < 0 {
				sign, magnitude = 1, -uint64(v)
			}
			drop := max(bits.Len64(magnitude)-53, 0)
			unit := uint64(1) << drop
			rest := magnitude&(unit-1) + (unit-1)&whole[sign] + unit>>1&half[sign]
			f := float64(magnitude>>drop+rest>>drop) * float64(unit)
			if sign == 1 {
				f = -f
			}
			to[i] = f
		}
		return -1
	}
}
