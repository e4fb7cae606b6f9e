package standard_test

import (
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// BenchmarkScaleOffset measures one core on floats of two bytes, in bytes of the array.
// The array has all values from 0 to some thousands.
func BenchmarkScaleOffset(b *testing.B) {
	for _, typ := range []dtype.Type{dtype.Float16, dtype.BFloat16} {
		bound := bindArray(b, spec("scale_offset", `{"offset":0.5,"scale":2}`), codecs.Chunk{Type: typ, Shape: []int{1 << 20}})
		src, dst := ndarray.New(typ, []int{1 << 20}), ndarray.New(typ, []int{1 << 20})
		patterns, _ := ndarray.As[uint16](src)
		for i := range patterns {
			patterns[i] = uint16(i * 7919 % 0x7000)
		}
		for name, run := range map[string]func(dst, src ndarray.Array) error{"encode": bound.Encode, "decode": bound.Decode} {
			b.Run(name+"/"+typ.Name(), func(b *testing.B) {
				b.SetBytes(int64(len(src.Data)))
				for b.Loop() {
					if err := run(dst, src); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
