package blosc_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/blosc"
)

// noisy returns n float32 numbers that resemble a measured field: a slow wave with
// noise.
func noisy(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, 0, 4*n)
	for i := range n {
		v := 273.15 + 10*math.Sin(float64(i)/1e4) + 0.1*random.NormFloat64()
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
	}
	return out
}

var benchmarked = []blosc.Options{
	{Codec: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
	{Codec: blosc.LZ4, Level: 5, Shuffle: blosc.BitShuffle, TypeSize: 4},
	{Codec: blosc.LZ4, Level: 9, Shuffle: blosc.ByteShuffle, TypeSize: 4},
	{Codec: blosc.LZ4HC, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
	{Codec: blosc.BloscLZ, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
	{Codec: blosc.Zlib, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
	{Codec: blosc.Zstd, Level: 1, Shuffle: blosc.ByteShuffle, TypeSize: 4},
	{Codec: blosc.Zstd, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4},
}

func name(o blosc.Options) string {
	return fmt.Sprintf("%v/level=%d/shuffle=%d", o.Codec, o.Level, o.Shuffle)
}

func BenchmarkEncode(b *testing.B) {
	src := noisy(1 << 20)
	for _, o := range benchmarked {
		b.Run(name(o), func(b *testing.B) {
			encoder, err := blosc.NewEncoder(o)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(src)))
			var buffer []byte
			for b.Loop() {
				if buffer, err = encoder.AppendEncode(buffer[:0], src); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(src))/float64(len(buffer)), "ratio")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	src := noisy(1 << 20)
	for _, o := range benchmarked {
		b.Run(name(o), func(b *testing.B) {
			encoder, err := blosc.NewEncoder(o)
			if err != nil {
				b.Fatal(err)
			}
			buffer, err := encoder.AppendEncode(nil, src)
			if err != nil {
				b.Fatal(err)
			}
			var decoder blosc.Decoder
			dst := make([]byte, len(src))
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if err := decoder.DecodeInto(dst, buffer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
