package zfp

import "math"

// Blocks of floats are handled as words with the bits of their elements.

// layout returns the number of mantissa bits of floats of the size of W, and
// the bias of zfp's exponents.
func layout[W word]() (mantissa, bias int) {
	if wide[W]() {
		return 52, 1023
	}
	return 23, 127
}

// signBit is the highest bit of a word.
func signBit[W word]() W {
	shift := 31
	if wide[W]() {
		shift = 63
	}
	return W(-1) << shift
}

// infinity returns the bits of infinity. The bits of larger magnitudes are NaNs.
func infinity[W word]() W {
	mantissa, bias := layout[W]()
	return W(2*bias+1) << mantissa
}

// maxMagnitude returns the largest magnitude among floats.
func maxMagnitude[W word](q []W) W {
	sign := signBit[W]()
	var largest W
	for _, v := range q {
		largest = max(largest, v&^sign)
	}
	return largest
}

// exponent returns the exponent of the largest magnitude among floats, in the sense of
// C's frexp: magnitudes are below 2 to the power of the exponent. The exponents of
// subnormal numbers are raised to that of the smallest normal number. A block of zeros
// has minus the bias, infinity has 0, and NaNs are left out.
func exponent[W word](largest W, q []W) int {
	mantissa, bias := layout[W]()
	if largest >= infinity[W]() {
		largest = 0
		for _, v := range q {
			if v &^= signBit[W](); v <= infinity[W]() {
				largest = max(largest, v)
			}
		}
		if largest == infinity[W]() {
			return 0
		}
	}
	if largest == 0 {
		return -bias
	}
	return int(largest>>mantissa) - (bias - 1)
}

// quantize turns n floats into integers: multiples of 2 to the power of emax−30 or
// emax−62, rounded towards zero. A number that does not fit a word becomes the smallest
// integer on every processor, and so does NaN. This happens in blocks with infinities
// and NaNs. It also happens in blocks whose scale overflows because all their
// magnitudes are close to the smallest.
func quantize[W word](q *block[W], n, emax int) {
	switch q := any(q).(type) {
	case *block[int32]:
		scale := scale32(30 - emax)
		for i, v := range q[:n] {
			f := scale * math.Float32frombits(uint32(v))
			if f > -1<<31 && f < 1<<31 {
				q[i] = int32(f)
			} else {
				q[i] = math.MinInt32
			}
		}
	case *block[int64]:
		scale := scale64(62 - emax)
		for i, v := range q[:n] {
			f := scale * math.Float64frombits(uint64(v))
			if f > -1<<63 && f < 1<<63 {
				q[i] = int64(f)
			} else {
				q[i] = math.MinInt64
			}
		}
	}
}

// dequantize undoes quantize: it multiplies integers by the power of two that
// emax gives, which may be subnormal or 0.
func dequantize[W word](q *block[W], n, emax int) {
	switch q := any(q).(type) {
	case *block[int32]:
		scale := scale32(emax - 30)
		for i, v := range q[:n] {
			q[i] = int32(math.Float32bits(scale * float32(v)))
		}
	case *block[int64]:
		scale := scale64(emax - 62)
		for i, v := range q[:n] {
			q[i] = int64(math.Float64bits(scale * float64(v)))
		}
	}
}

// scale32 and scale64 return 2 to the power of e, which may be infinite,
// subnormal or 0.
func scale32(e int) float32 {
	if -126 <= e && e <= 127 {
		return math.Float32frombits(uint32(e+127) << 23)
	}
	return float32(math.Ldexp(1, e))
}

func scale64(e int) float64 {
	if -1022 <= e && e <= 1023 {
		return math.Float64frombits(uint64(e+1023) << 52)
	}
	return math.Ldexp(1, e)
}

// quantizesExactly reports whether quantize and dequantize give the same bits again. It
// uses c as scratch.
func quantizesExactly[W word](c, q *block[W], n, emax int) bool {
	copy(c[:n], q[:n])
	quantize(c, n, emax)
	dequantize(c, n, emax)
	for i, v := range c[:n] {
		if v != q[i] {
			return false
		}
	}
	return true
}

// isZero reports whether no word has a bit set.
func isZero[W word](q []W) bool {
	for _, v := range q {
		if v != 0 {
			return false
		}
	}
	return true
}

// signMagnitude converts the bits of floats, a sign and a magnitude, to integers in the
// same order, and back.
func signMagnitude[W word](q *block[W], n int) {
	sign := signBit[W]()
	for i, v := range q[:n] {
		if v < 0 {
			q[i] = v ^ ^sign
		}
	}
}
