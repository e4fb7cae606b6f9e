package standard

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// scaleKernels returns the loops of scale_offset for a type of integers or floats.
func scaleKernels(t dtype.Numeric, offset, scale term) (encode, decode elements.Kernel) {
	if t.Kind() != dtype.Float {
		return scaleIntegers(t, offset.whole, scale.whole)
	}
	if narrow, ok := t.(dtype.Narrow); ok {
		layout := narrow.Layout()
		encode, decode := scaleSteps(layout, offset.float, scale.float)
		if t.Size() == 1 {
			return scaleBytes(encode), scaleBytes(decode)
		}
		return scaleHalves(layout, encode), scaleHalves(layout, decode)
	}
	switch t.Size() {
	case 4:
		return scaleFloats[float32, uint32](float32(offset.float), float32(scale.float), 1<<22)
	default:
		return scaleFloats[float64, uint64](offset.float, scale.float, 1<<51)
	}
}

func scaleIntegers(t dtype.Numeric, offset, scale *big.Int) (encode, decode elements.Kernel) {
	lowest, highest := integerBounds(t)
	first, last := scalable(lowest, highest, offset, scale)
	signed := t.Kind() == dtype.Int
	switch size := t.Size(); {
	case size == 1 && signed:
		return scaleIntegersAs[int8](offset, scale, first, last)
	case size == 1:
		return scaleIntegersAs[uint8](offset, scale, first, last)
	case size == 2 && signed:
		return scaleIntegersAs[int16](offset, scale, first, last)
	case size == 2:
		return scaleIntegersAs[uint16](offset, scale, first, last)
	case size == 4 && signed:
		return scaleIntegersAs[int32](offset, scale, first, last)
	case size == 4:
		return scaleIntegersAs[uint32](offset, scale, first, last)
	case signed:
		return scaleIntegersAs[int64](offset, scale, first, last)
	default:
		return scaleIntegersAs[uint64](offset, scale, first, last)
	}
}

// integerBounds returns the smallest and the largest value of a type.
func integerBounds(t dtype.Numeric) (lowest, highest *big.Int) {
	width := 8 * t.Size()
	if p, ok := t.(dtype.Packed); ok {
		width = p.Packing().Bits
	}
	one := big.NewInt(1)
	lowest = new(big.Int)
	if t.Kind() == dtype.Int {
		width--
		lowest.Neg(new(big.Int).Lsh(one, uint(width)))
	}
	highest = new(big.Int).Lsh(one, uint(width))
	return lowest, highest.Sub(highest, one)
}

// scalable returns the first and the last x of a type for which both x − offset and (x
// − offset) × scale are in the range of the type. offset itself is always such an x.
func scalable(lowest, highest, offset, scale *big.Int) (first, last *big.Int) {
	// The differences d with d × scale in range lie between the quotients of the
	// bounds. The quotients are rounded inwards, which is towards zero, because zero is
	// in range.
	first, last = new(big.Int).Quo(lowest, scale), new(big.Int).Quo(highest, scale)
	if scale.Sign() < 0 {
		first, last = last, first
	}
	first, last = larger(first, lowest), smaller(last, highest)
	first, last = new(big.Int).Add(first, offset), new(big.Int).Add(last, offset)
	return larger(first, lowest), smaller(last, highest)
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// lowBits returns the low bits of x as a T, whether T is signed or not.
func lowBits[T integer](x *big.Int) T {
	if x.Sign() < 0 {
		return T(x.Int64())
	}
	return T(x.Uint64())
}

// scaleIntegersAs returns the loops of scale_offset for integers of the type T. first
// and last are the bounds that [scalable] returns.
//
// The encoder computes (x − offset) × scale. It refuses an x that is not between first
// and last. For all other x, neither the difference nor the product overflows.
//
// The decoder looks for the quotient q between first − offset and last − offset with q
// × scale = stored. It refuses a stored number for which there is no q. It multiplies
// where one would divide, because a multiplication is many times faster:
//
//	scale = odd × power     odd is positive and odd, power is ± a power of two
//	odd × inverse = 1       modulo 2^N, where N is the number of bits of T
//	q × power = stored × inverse     modulo 2^N
//
// The last line holds for the q that is looked for. So the decoder computes stored ×
// inverse and divides by power, which is a shift and perhaps a change of sign.
//
// A q that is found is right: power divides stored × inverse, and q is between the
// bounds. Then q × scale does not overflow, and equals stored modulo 2^N, so it equals
// stored. And no q is missed: if q × scale does not overflow, q × power does not
// overflow either, so the shift gives q.
func scaleIntegersAs[T integer](offset, scale, first, last *big.Int) (encode, decode elements.Kernel) {
	o, s, least, most := lowBits[T](offset), lowBits[T](scale), lowBits[T](first), lowBits[T](last)
	encode = func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[T](dst)
		from, _ := ndarray.As[T](src)
		to = to[:len(from)]
		for i, v := range from {
			if v < least || v > most {
				return i
			}
			to[i] = T(v-o) * s
		}
		return -1
	}
	shift := bits.TrailingZeros64(uint64(s))
	odd, sign, below := s>>shift, T(1), T(1)<<shift-1
	if s < 0 {
		odd, sign = -odd, -sign
	}
	inverse := odd // correct in three bits; each step doubles that
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	leastQuotient, mostQuotient := least-o, most-o
	decode = func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[T](dst)
		from, _ := ndarray.As[T](src)
		to = to[:len(from)]
		for i, v := range from {
			v *= inverse
			quotient := v >> (shift & 63) * sign // & 63 changes nothing and spares the check for larger shifts
			if v&below != 0 || quotient < leastQuotient || quotient > mostQuotient {
				return i
			}
			to[i] = quotient + o
		}
		return -1
	}
	return encode, decode
}

// scaleBlock is how many floats are computed before all results are checked for being
// finite.
const scaleBlock = 512

// scaleFloats rounds after every step: a conversion keeps processors from fusing two
// steps. The bit quiet makes NaNs quiet.
func scaleFloats[T float, W word](o, s T, quiet W) (encode, decode elements.Kernel) {
	encode = inBlocks(quiet, func(to, from []T) (doubt T) {
		to = to[:len(from)]
		for i, v := range from {
			r := T(T(v-o) * s)
			to[i] = r
			doubt += r - r // not 0 if r is not finite
		}
		return doubt
	})
	decode = inBlocks(quiet, func(to, from []T) (doubt T) {
		to = to[:len(from)]
		for i, v := range from {
			r := T(T(v/s) + o)
			to[i] = r
			doubt += r - r
		}
		return doubt
	})
	return encode, decode
}

// inBlocks returns a kernel that computes block by block. If compute says that some
// results are not finite, the kernel looks at the numbers that they came from. So the
// processor does not decide what becomes of a NaN.
func inBlocks[T float, W word](quiet W, compute func(to, from []T) T) elements.Kernel {
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[T](dst)
		from, _ := ndarray.As[T](src)
		for at := 0; at < len(from); at += scaleBlock {
			end := min(at+scaleBlock, len(from))
			if compute(to[at:end], from[at:end]) == 0 {
				continue
			}
			toBits, _ := ndarray.As[W](dst)
			fromBits, _ := ndarray.As[W](src)
			for i := at; i < end; i++ {
				r, v := to[i], from[i]
				switch {
				case r-r == 0:
				case v-v == 0:
					return i
				case v != v:
					toBits[i] = fromBits[i] | quiet
				}
			}
		}
		return -1
	}
}

// scaleStep applies two operations to a float of at most two bytes. Each result is
// rounded. fits is whether both results fit. The operations are computed in float64 and
// rounded again. That gives the same as rounding once, even for subnormal numbers,
// because float64 has more than twice as many bits of precision and one more.
type scaleStep func(pattern uint16) (result uint16, fits bool)

func scaleSteps(layout *dtype.FloatLayout, o, s float64) (encode, decode scaleStep) {
	encode = scaleStepBy(layout, func(x float64) float64 { return x - o }, func(x float64) float64 { return x * s })
	decode = scaleStepBy(layout, func(x float64) float64 { return x / s }, func(x float64) float64 { return x + o })
	return encode, decode
}

func scaleStepBy(layout *dtype.FloatLayout, first, second func(float64) float64) scaleStep {
	nan, _ := layout.NaN()
	return func(pattern uint16) (result uint16, fits bool) {
		x := layout.Float64(pattern)
		if math.IsNaN(x) {
			return pattern | nan, true // a quiet NaN
		}
		middle, fits := layout.Round(first(x), dtype.NearestEven)
		result, alsoFits := layout.Round(second(layout.Float64(middle)), dtype.NearestEven)
		return result, fits && alsoFits
	}
}

// tableWorth is the number of elements from which a table of all floats of two bytes
// pays off.
const tableWorth = 1 << 15

// scaleHalves computes floats of two bytes one by one at first. After many elements, it
// makes a table of all results, of 128 KiB, and looks them up.
func scaleHalves(layout *dtype.FloatLayout, step scaleStep) elements.Kernel {
	infinity, _ := layout.Infinity(false)
	// In the table, infinity means that the result does not fit. Otherwise only
	// infinities become infinite.
	table := sync.OnceValue(func() *[1 << 16]uint16 {
		var table [1 << 16]uint16
		for pattern := range table {
			result, fits := step(uint16(pattern))
			if !fits {
				result = infinity
			}
			table[pattern] = result
		}
		return &table
	})
	var seen atomic.Int64
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[uint16](dst)
		from, _ := ndarray.As[uint16](src)
		to = to[:len(from)]
		if seen.Add(int64(len(from))) < tableWorth {
			for i, v := range from {
				result, fits := step(v)
				if !fits {
					return i
				}
				to[i] = result
			}
			return -1
		}
		results := table()
		for i, v := range from {
			result := results[v]
			if result&^(1<<15) == infinity && v&^(1<<15) != infinity {
				return i
			}
			to[i] = result
		}
		return -1
	}
}

// scaleBytes looks floats of at most one byte up in a table of all results.
func scaleBytes(step scaleStep) elements.Kernel {
	const unfit = 1 << 8
	var table [256]uint16
	for pattern := range uint16(256) {
		result, fits := step(pattern)
		if !fits {
			result = unfit
		}
		table[pattern] = result
	}
	return func(dst, src ndarray.Array) int {
		to := dst.Data[:len(src.Data)]
		for i, v := range src.Data {
			result := table[v]
			if result >= unfit {
				return i
			}
			to[i] = byte(result)
		}
		return -1
	}
}
