//go:build linux

package zstd_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// field returns a chunk of the field that e2e/interop/speed.py migrates: smooth in all dimensions,
// with noise, rounded to 1/1024. It is float32; or packed with a scale of 512 and an offset of 15, as
// int16; or rounded to whole numbers, as float32.
func field(shape [3]int, form string) (out []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for z := range shape[0] {
		for y := range shape[1] {
			for x := range shape[2] {
				v := 15 + 10*math.Sin(float64(x)/97+float64(z)/31) + 3*math.Cos(float64(y)/71) + random.Float64()/64
				f := float32(math.RoundToEven(1024*v) / 1024)
				switch form {
				case "float32":
					out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
				case "int16":
					out = binary.LittleEndian.AppendUint16(out, uint16(int16(math.RoundToEven(float64((f-15)*512)))))
				case "whole":
					out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(math.RoundToEven(float64(f)))))
				}
			}
		}
	}
	return out
}

// BenchmarkField encodes chunks of the shapes in docs/speed.md. Its metrics are the speed of the fastest
// call in processor time, which other work on the machine disturbs least, and the size of the frame.
func BenchmarkField(b *testing.B) {
	for _, c := range []struct {
		form   string
		shapes [][3]int
	}{
		{"float32", [][3]int{{4, 32, 32}, {4, 64, 64}, {8, 256, 256}, {16, 256, 256}, {64, 256, 256}}},
		{"int16", [][3]int{{4, 32, 32}, {4, 64, 64}, {8, 256, 256}, {16, 256, 256}, {64, 256, 256}}},
		{"whole", [][3]int{{1, 16, 1024}, {1, 1024, 1024}}},
	} {
		for _, shape := range c.shapes {
			for _, level := range []int{1, 3, 5} {
				b.Run(fmt.Sprintf("%s/%dx%dx%d/level=%d", c.form, shape[0], shape[1], shape[2], level), func(b *testing.B) {
					src := field(shape, c.form)
					e := encoder(b, zstd.Options{Level: level})
					dst := make([]byte, 0, zstd.MaxEncodedSize(len(src)))
					var m measured
					for b.Loop() {
						m.measure(b, func() int { return len(e.AppendEncode(dst, src)) })
					}
					b.ReportMetric(float64(len(src))/m.time.Seconds()/1e6, "cpuMB/s")
					b.ReportMetric(float64(m.size), "framebytes")
				})
			}
		}
	}
}
