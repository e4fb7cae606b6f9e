package standard_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// BenchmarkPack measures packing floats into integers and unpacking them, in bytes of
// floats.
func BenchmarkPack(b *testing.B) {
	const clamp, withMap = `,"out_of_range":"clamp"`, `,"scalar_map":{"encode":[["NaN",0]],"decode":[[0,"NaN"]]}`
	for _, c := range []struct {
		typ           dtype.Numeric
		offset, scale string
		to, options   string
		endian        string
	}{
		{dtype.Float64, "10.5", "100", "int16", clamp, "little"},
		{dtype.Float64, "10.5", "100", "int16", clamp, "big"},
		{dtype.Float64, "10.5", "100", "int16", "", "little"},
		{dtype.Float64, "10.5", "100", "int16", clamp + withMap, "little"},
		{dtype.Float64, "-300", "0.3", "uint8", clamp + withMap, "little"},
		{dtype.Float64, "10.5", "1e5", "int32", "", "little"},
		{dtype.Float32, "10.5", "100", "int16", clamp, "little"},
		{dtype.Float32, "10.5", "100", "int16", withMap, "little"},
	} {
		specs := []codecs.Spec{
			spec("scale_offset", fmt.Sprintf(`{"offset":%s,"scale":%s}`, c.offset, c.scale)),
			spec("cast_value", fmt.Sprintf(`{"data_type":%q%s}`, c.to, c.options)),
			spec("bytes", fmt.Sprintf(`{"endian":%q}`, c.endian)),
		}
		chunk := codecs.Chunk{Type: c.typ, Shape: []int{512, 512}}
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, chunk)
		if err != nil {
			b.Fatal(err)
		}
		src, out := packable(chunk), ndarray.New(chunk.Type, chunk.Shape)
		pool := ndarray.Pool{Keep: 64 << 20}
		name := fmt.Sprintf("%s to %s%s %s", c.typ.Name(), c.to, c.options, c.endian)
		b.Run("encode/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(src.Data)))
			for b.Loop() {
				_, buffer, err := chain.Encode(&pool, src)
				if err != nil {
					b.Fatal(err)
				}
				buffer.Release()
			}
		})
		b.Run("decode/"+name, func(b *testing.B) {
			stored, err := chain.AppendEncode(&pool, nil, src)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(src.Data)))
			for b.Loop() {
				if err := chain.Decode(&pool, out, stored); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// packable returns floats between -250 and 250.
func packable(chunk codecs.Chunk) ndarray.Array {
	r := rand.New(rand.NewPCG(1, 2))
	a := ndarray.New(chunk.Type, chunk.Shape)
	if x, ok := ndarray.As[float64](a); ok {
		for i := range x {
			x[i] = 500*r.Float64() - 250
		}
	}
	if x, ok := ndarray.As[float32](a); ok {
		for i := range x {
			x[i] = 500*r.Float32() - 250
		}
	}
	return a
}
