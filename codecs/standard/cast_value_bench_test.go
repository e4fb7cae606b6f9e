package standard_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// BenchmarkCastValue measures one core, in bytes of the decoded array. Some elements
// may be out of range, and some NaN.
func BenchmarkCastValue(b *testing.B) {
	const masked = `{"encode":[["NaN",0]],"decode":[[0,"NaN"]]}`
	const several = `{"encode":[["NaN",0],["Infinity",1],["-Infinity",2],[1e20,3],[-1e20,4]]}`
	cases := []struct {
		name          string
		in            dtype.Type
		configuration string
		outside, nans float64
	}{
		{"float64-int16", dtype.Float64, `{"data_type":"int16"}`, 0, 0},
		{"float64-int16/away", dtype.Float64, `{"data_type":"int16","rounding":"nearest-away"}`, 0, 0},
		{"float64-int16/clamp", dtype.Float64, `{"data_type":"int16","out_of_range":"clamp"}`, 0, 0},
		{"float64-int16/clamp,a third outside", dtype.Float64, `{"data_type":"int16","out_of_range":"clamp"}`, 0.3, 0},
		{"float64-int16/wrap,a third outside", dtype.Float64, `{"data_type":"int16","out_of_range":"wrap"}`, 0.3, 0},
		{"float64-int16/map", dtype.Float64, `{"data_type":"int16","scalar_map":` + masked + `}`, 0, 0},
		{"float64-int16/map,a third mapped", dtype.Float64, `{"data_type":"int16","scalar_map":` + masked + `}`, 0, 0.3},
		{"float64-int16/clamp,map,a third mapped", dtype.Float64, `{"data_type":"int16","out_of_range":"clamp","scalar_map":` + masked + `}`, 0.1, 0.3},
		{"float64-int16/map of five", dtype.Float64, `{"data_type":"int16","scalar_map":` + several + `}`, 0, 0},
		{"float64-int64", dtype.Float64, `{"data_type":"int64"}`, 0, 0},
		{"float64-uint64", dtype.Float64, `{"data_type":"uint64","out_of_range":"clamp"}`, 0, 0},
		{"float64-float32", dtype.Float64, `{"data_type":"float32"}`, 0, 0},
		{"float64-float32/positive", dtype.Float64, `{"data_type":"float32","rounding":"towards-positive"}`, 0, 0},
		{"float64-float16", dtype.Float64, `{"data_type":"float16"}`, 0, 0},
		{"float64-float8_e4m3", dtype.Float64, `{"data_type":"float8_e4m3","out_of_range":"clamp"}`, 0, 0},
		{"float32-uint8/clamp", dtype.Float32, `{"data_type":"uint8","out_of_range":"clamp"}`, 0, 0},
		{"float32-int16", dtype.Float32, `{"data_type":"int16"}`, 0, 0},
		{"float16-int16", dtype.Float16, `{"data_type":"int16"}`, 0, 0},
		{"int64-int16", dtype.Int64, `{"data_type":"int16"}`, 0, 0},
		{"int64-int16/clamp", dtype.Int64, `{"data_type":"int16","out_of_range":"clamp"}`, 0, 0},
		{"int64-float64", dtype.Int64, `{"data_type":"float64"}`, 0, 0},
		{"uint8-float64", dtype.Uint8, `{"data_type":"float64"}`, 0, 0},
	}
	const n = 1 << 17
	for _, c := range cases {
		codec := bindArray(b, spec("cast_value", c.configuration), codecs.Chunk{Type: c.in, Shape: []int{n}})
		in := castInput(b, c.in, n, c.outside, c.nans)
		out := ndarray.New(codec.Encoded().Type, in.Shape)
		b.Run(c.name+"/encode", func(b *testing.B) {
			b.SetBytes(int64(len(in.Data)))
			for b.Loop() {
				if err := codec.Encode(out, in); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/decode", func(b *testing.B) {
			b.SetBytes(int64(len(in.Data)))
			for b.Loop() {
				if err := codec.Decode(in, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// castInput returns elements between 0 and 100. The fraction outside needs more than 32
// bits, and the fraction nans is NaN.
func castInput(tb testing.TB, t dtype.Type, n int, outside, nans float64) ndarray.Array {
	r := rand.New(rand.NewPCG(1, 2))
	a := ndarray.New(dtype.Float64, []int{n})
	values := valuesOf[float64](tb, a)
	for i := range values {
		values[i] = 100 * r.Float64()
		switch x := r.Float64(); {
		case x < outside:
			values[i] *= 1e12
		case x < outside+nans:
			values[i] = math.NaN()
		}
	}
	if dtype.Same(t, a.Type) {
		return a
	}
	in := ndarray.New(t, a.Shape)
	c := bindArray(tb, spec("cast_value", `{"data_type":"`+t.Name()+`"}`), codecs.Chunk{Type: a.Type, Shape: a.Shape})
	if err := c.Encode(in, a); err != nil {
		tb.Fatal(err)
	}
	return in
}
