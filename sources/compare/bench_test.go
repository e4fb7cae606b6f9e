package compare

import (
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

func BenchmarkDigest(b *testing.B) {
	for _, kind := range []dtype.Type{dtype.Int32, dtype.Float16, dtype.Float32, dtype.Float64} {
		a := ndarray.New(kind, []int{1 << 20 / kind.Size()})
		for i := range a.Data {
			a.Data[i] = byte(i*7 + 1)
		}
		b.Run(kind.Name(), func(b *testing.B) {
			b.SetBytes(int64(len(a.Data)))
			for b.Loop() {
				Digest(a)
			}
		})
	}
}
