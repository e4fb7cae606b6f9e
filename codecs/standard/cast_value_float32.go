package standard

import (
	"math"

	"github.com/zmigrate/zmigrate/dtype"
)

// narrowRun returns the loop from float64 to float32. Each loop converts as the
// processor does, to the nearest even number, and then corrects the result for the
// mode. It does so on the bits of the float as an integer, which count magnitudes:
// adding one gives the next number away from zero, and subtracting one the next number
// towards zero.
func narrowRun(mode dtype.Rounding) run[float32, float64] {
	switch mode {
	case dtype.TowardsZero:
		return narrowTowardsZero
	case dtype.TowardsPositive:
		return narrowUp
	case dtype.TowardsNegative:
		return narrowDown
	case dtype.NearestAway:
		return narrowAway
	default:
		return narrowEven
	}
}

func narrowEven(to []float32, from []float64, low, high float64) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within && v-v == 0 {
			return i
		}
		to[i] = float32(v)
	}
	return -1
}

func narrowTowardsZero(to []float32, from []float64, low, high float64) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within && v-v == 0 {
			return i
		}
		f := float32(v)
		b := math.Float32bits(f)
		less := b - 1
		if math.Abs(float64(f)) > math.Abs(v) {
			b = less
		}
		to[i] = math.Float32frombits(b)
	}
	return -1
}

func narrowUp(to []float32, from []float64, low, high float64) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within && v-v == 0 {
			return i
		}
		f := float32(v)
		b := math.Float32bits(f)
		above := b + 1 - b>>31<<1
		if float64(f) < v {
			b = above
		}
		to[i] = math.Float32frombits(b)
	}
	return -1
}

func narrowDown(to []float32, from []float64, low, high float64) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within && v-v == 0 {
			return i
		}
		f := float32(v)
		b := math.Float32bits(f)
		below := b + b>>31<<1 - 1
		if float64(f) > v {
			b = below
		}
		to[i] = math.Float32frombits(b)
	}
	return -1
}

// narrowAway corrects numbers that lie half way between two floats and were rounded
// towards zero. Such a number is as far from the next float as from the result. The
// differences are exact.
func narrowAway(to []float32, from []float64, low, high float64) int {
	to = to[:len(from)]
	for i, v := range from {
		if within := v >= low && v <= high; !within && v-v == 0 {
			return i
		}
		f := float32(v)
		b := math.Float32bits(f)
		next := b + 1
		if float64(math.Float32frombits(next))-v == v-float64(f) {
			b = next
		}
		to[i] = math.Float32frombits(b)
	}
	return -1
}
