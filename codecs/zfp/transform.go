package zfp

// A word is a coefficient: a value of a block that zfp transforms. It has the size of
// the array's elements. Sums wrap around.
type word interface{ int32 | int64 }

// A block holds up to 4^4 values, x before y before z before w. With its size, any
// uint8 is a valid index, without a check.
type block[W word] = [256]W

// negabinary is the mask that converts two's complement to base −2 and back.
const negabinary = -0x5555555555555556

// forwardAxis applies the forward decorrelating transform to the vectors in the first n
// values of a block. A vector is four values that are s values apart:
//
//	       ( 4  4  4  4)
//	1/16 · ( 5  1 −1 −5)
//	       (−4  4  4 −4)
//	       (−2  6 −6  2)
func forwardAxis[W word](q *block[W], n, s int) {
	for base := 0; base < n; base += 4 * s {
		for i := base; i < base+s; i++ {
			a, b, c, d := uint8(i), uint8(i+s), uint8(i+2*s), uint8(i+3*s)
			q[a], q[b], q[c], q[d] = forwardLift(q[a], q[b], q[c], q[d])
		}
	}
}

// forwardLift transforms one vector.
func forwardLift[W word](x, y, z, w W) (W, W, W, W) {
	x = (x + w) >> 1
	w -= x
	z = (z + y) >> 1
	y -= z
	x = (x + z) >> 1
	z -= x
	w = (w + y) >> 1
	y -= w
	w += y >> 1
	y -= w >> 1
	return x, y, z, w
}

// inverseAxis undoes forwardAxis, except for the bits that forwardAxis rounds away.
func inverseAxis[W word](q *block[W], n, s int) {
	for base := 0; base < n; base += 4 * s {
		for i := base; i < base+s; i++ {
			a, b, c, d := uint8(i), uint8(i+s), uint8(i+2*s), uint8(i+3*s)
			q[a], q[b], q[c], q[d] = inverseLift(q[a], q[b], q[c], q[d])
		}
	}
}

// inverseLift transforms one vector back.
func inverseLift[W word](x, y, z, w W) (W, W, W, W) {
	y += w >> 1
	w -= y >> 1
	y += w
	w += w - y
	z += x
	x += x - z
	y += z
	z += z - y
	w += x
	x += x - w
	return x, y, z, w
}

// forwardDeltas is the transform of the lossless mode along one axis: the third
// differences of each vector.
func forwardDeltas[W word](q *block[W], n, s int) {
	for base := 0; base < n; base += 4 * s {
		for i := base; i < base+s; i++ {
			x, y, z, w := q[uint8(i)], q[uint8(i+s)], q[uint8(i+2*s)], q[uint8(i+3*s)]
			q[uint8(i+s)] = y - x
			q[uint8(i+2*s)] = z - 2*y + x
			q[uint8(i+3*s)] = w - 3*(z-y) - x
		}
	}
}

// inverseDeltas undoes forwardDeltas.
func inverseDeltas[W word](q *block[W], n, s int) {
	for base := 0; base < n; base += 4 * s {
		for i := base; i < base+s; i++ {
			x, y, z, w := q[uint8(i)], q[uint8(i+s)], q[uint8(i+2*s)], q[uint8(i+3*s)]
			q[uint8(i+s)] = x + y
			q[uint8(i+2*s)] = x + 2*y + z
			q[uint8(i+3*s)] = x + 3*(y+z) + w
		}
	}
}

// forward transforms a block along all its axes, x first.
func forward[W word](q *block[W], dims int, lossless bool) {
	n := 1 << (2 * dims)
	for s := 1; s < n; s *= 4 {
		if lossless {
			forwardDeltas(q, n, s)
		} else {
			forwardAxis(q, n, s)
		}
	}
}

// inverse transforms a block back, x last.
func inverse[W word](q *block[W], dims int, lossless bool) {
	n := 1 << (2 * dims)
	for s := n / 4; s > 0; s /= 4 {
		if lossless {
			inverseDeltas(q, n, s)
		} else {
			inverseAxis(q, n, s)
		}
	}
}

// toSequence puts coefficients into the order of the stream, in negabinary. It returns
// the bits that are set in any of them.
func toSequence[W word](c, q *block[W], dims int) W {
	var all W
	nb := int64(negabinary)
	mask := W(nb)
	for i, at := range order(dims) {
		v := (q[at] + mask) ^ mask
		c[uint8(i)] = v
		all |= v
	}
	return all
}

// fromSequence undoes toSequence.
func fromSequence[W word](q, c *block[W], dims int) {
	nb := int64(negabinary)
	mask := W(nb)
	for i, at := range order(dims) {
		q[at] = (c[uint8(i)] ^ mask) - mask
	}
}
