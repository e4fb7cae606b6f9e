package pcodec

import "math"

// Latents are unsigned integers in the order of the numbers: the smallest number is
// zero. In signed integers the highest bit is flipped. In positive floating-point
// numbers the highest bit is set, and in negative ones all bits are flipped.

// fromOrdered turns numbers' places in their order into the numbers' bits.
func fromOrdered[L latent](numbers []L, number Type) {
	switch {
	case number.signed():
		mid := middle[L]()
		for i := range numbers {
			numbers[i] ^= mid
		}
	case number.float():
		for i, x := range numbers {
			numbers[i] = floatAt(x)
		}
	}
}

// toOrdered is the inverse of fromOrdered.
func toOrdered[L latent](numbers []L, number Type) {
	if !number.float() {
		fromOrdered(numbers, number)
		return
	}
	for i, x := range numbers {
		numbers[i] = placeOf(x)
	}
}

// floatAt returns the bits of the floating-point number at a place.
func floatAt[L latent](place L) L {
	positive := place >> (width[L]() - 1)
	return place ^ (middle[L]() | (positive - 1))
}

// placeOf is the inverse of floatAt.
func placeOf[L latent](float L) L {
	negative := float >> (width[L]() - 1)
	return float ^ (middle[L]() | -negative)
}

// multiply writes the places of products to numbers. A product is the integral
// floating-point number for which a latent stands, times the mode's base.
func multiply[L, P latent](m *mode[L], numbers []L, latents []P) {
	switch m.number {
	case Float16:
		base := float16(uint16(m.base))
		for i, x := range latents {
			abs, sign := integral(uint16(x))
			f := float32(abs)
			if abs > 1<<11 {
				f = float16(0x6800 + (abs - 1<<11)) // 0x6800 is 1<<11
			}
			numbers[i] = L(placeOf(toFloat16(f*base) ^ sign))
		}
	case Float32:
		base := math.Float32frombits(uint32(m.base))
		for i, x := range latents {
			abs, sign := integral(uint32(x))
			f := float32(int32(abs))
			if abs > 1<<24 {
				f = math.Float32frombits(0x4B800000 + (abs - 1<<24)) // 0x4B800000 is 1<<24
			}
			numbers[i] = L(placeOf(math.Float32bits(f*base) ^ sign))
		}
	case Float64:
		base := math.Float64frombits(uint64(m.base))
		for i, x := range latents {
			abs, sign := integral(uint64(x))
			f := float64(int64(abs))
			if abs > 1<<53 {
				f = math.Float64frombits(0x434<<52 + (abs - 1<<53)) // 0x434<<52 is 1<<53
			}
			numbers[i] = L(placeOf(math.Float64bits(f*base) ^ sign))
		}
	}
}

// integral splits a latent that stands for an integral floating-point number into its
// absolute value and its sign bit. The middle is zero, and the place below it is
// negative zero. From the first integer on above which some integers are no
// floating-point numbers, latents count floating-point numbers instead.
func integral[L latent](x L) (abs, sign L) {
	mid := middle[L]()
	positive := x >> (width[L]() - 1)
	return (x ^ (positive - 1)) &^ mid, ^x & mid
}

// float16 converts the bits of a half-precision number.
func float16(bits uint16) float32 {
	sign := uint32(bits&0x8000) << 16
	exponent, mantissa := uint32(bits>>10&0x1F), uint32(bits&0x3FF)
	switch exponent {
	case 0: // subnormal
		return math.Float32frombits(sign | math.Float32bits(float32(mantissa)*(1.0/(1<<24))))
	case 0x1F:
		return math.Float32frombits(sign | 0x7F800000 | mantissa<<13)
	default:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | mantissa<<13)
	}
}

// toFloat16 returns the bits of the nearest half-precision number. Of two equally near
// numbers it returns the even one. A NaN keeps the upper bits of its payload.
func toFloat16(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	bits &= 1<<31 - 1
	const (
		infinity  = 0x7F800000
		tooLarge  = (15+127)<<23 | 0x7FF000 // 65520, which rounds up to infinity
		subnormal = (-14 + 127) << 23       // 2^-14
	)
	switch {
	case bits > infinity:
		return sign | 0x7E00 | uint16(bits>>13&0x3FF)
	case bits >= tooLarge:
		return sign | 0x7C00
	case bits < subnormal:
		// Adding 1/2 rounds to a multiple of 2^-24 and leaves it in the last bits.
		return sign | uint16(math.Float32bits(math.Float32frombits(bits)+0.5)-0x3F000000)
	default:
		bits -= (127 - 15) << 23
		return sign | uint16((bits+0xFFF+bits>>13&1)>>13)
	}
}
