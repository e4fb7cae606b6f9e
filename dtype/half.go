package dtype

import "math"

// halfToFloat64 returns the value of a float16 (IEEE 754 binary16) exactly.
func halfToFloat64(h uint16) float64 {
	sign := float64(1)
	if h>>15 != 0 {
		sign = -1
	}
	exponent, mantissa := int(h>>10&0x1f), float64(h&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(mantissa, -24)
	case 0x1f:
		if mantissa == 0 {
			return math.Inf(int(sign))
		}
		return math.NaN()
	default:
		return sign * math.Ldexp(1024+mantissa, exponent-25)
	}
}

// halfFromFloat64 rounds f to the nearest float16, ties to even; magnitudes
// from 65520 on become infinity.
func halfFromFloat64(f float64) uint16 {
	sign := uint16(math.Float64bits(f)>>48) & 0x8000
	a := math.Abs(f)
	switch {
	case a != a:
		return sign | 0x7e00
	case a >= 65520:
		return sign | 0x7c00
	case a < 0x1p-14: // subnormal: multiples of 2^-24
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	fraction, exponent := math.Frexp(a) // a = fraction × 2^exponent, fraction in [0.5, 1)
	mantissa := uint16(math.RoundToEven(fraction * 2048))
	// A mantissa rounded up to 2048 carries into the exponent by itself.
	return sign | (uint16(exponent+13)<<10 + mantissa)
}
