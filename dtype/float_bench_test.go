package dtype

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkFloat measures conversions of numbers that mostly fit and spread over the
// range of a layout. It counts the bytes of the output.
func BenchmarkFloat(b *testing.B) {
	const n = 64 << 10
	for _, layout := range floatLayouts {
		l := layout.layout
		size := (l.Bits() + 7) / 8
		patterns := make([]byte, n*size)
		single, double := make([]float32, n), make([]float64, n)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range double {
			double[i] = random.NormFloat64()
			if l == Float8E8M0FNULayout {
				double[i] = max(double[i], -double[i])
			}
			single[i] = float32(double[i])
		}
		l.FromFloat32(patterns, single, NearestEven)
		run := func(name string, bytes int, convert func()) {
			b.Run(fmt.Sprintf("%s/%s", layout.name, name), func(b *testing.B) {
				convert() // builds the tables
				b.SetBytes(int64(bytes))
				for b.Loop() {
					convert()
				}
			})
		}
		run("ToFloat32", 4*n, func() { l.ToFloat32(single, patterns) })
		run("ToFloat64", 8*n, func() { l.ToFloat64(double, patterns) })
		for i := range double {
			double[i] *= 1 + random.Float64()/64
			single[i] = float32(double[i])
		}
		for _, mode := range []Rounding{NearestEven, TowardsPositive} {
			run("FromFloat32/"+mode.String(), size*n, func() { l.FromFloat32(patterns, single, mode) })
			run("FromFloat64/"+mode.String(), size*n, func() { l.FromFloat64(patterns, double, mode) })
		}
	}
}
