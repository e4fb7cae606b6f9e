package zfp

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// kernelLevels returns the levels up to that of the processor, or of $ZMIGRATE_CPU, that
// have kernels.
func kernelLevels() []cpu.Level {
	var levels []cpu.Level
	for l := cpu.Plain; l <= cpu.Used(); l++ {
		if hasKernels(l, 3) {
			levels = append(levels, l)
		}
	}
	return levels
}

// TestKernels compares the kernels of each level with Go. Its contents include those for which
// processors and languages give different results.
func TestKernels(t *testing.T) {
	if !hasKernels(cpu.Used(), 3) {
		t.Skip("this processor has no kernels")
	}
	for _, shape := range [][]int{{64}, {259}, {4, 16}, {9, 70}, {8, 12, 17}, {5, 8, 9, 12}} {
		testKernels[int32, int32](t, shape)
		testKernels[int64, int64](t, shape)
		testKernels[int32, float32](t, shape)
		testKernels[int64, float64](t, shape)
	}
}

func testKernels[W word, T Scalar](t *testing.T, shape []int) {
	t.Helper()
	g, err := newGrid(shape)
	if err != nil {
		t.Fatal(err)
	}
	typ := typeOf[T]()
	rng := rand.New(rand.NewPCG(5, 6))
	params := settings(t, typ, len(shape))
	params["all"] = Params{NoMinBits, NoMaxBits, NoMaxPrec, NoMinExp}
	for _, bits := range []int{1, 12, 14, 21, 37, 64} {
		params[fmt.Sprintf("%d bits", bits)] = Params{bits / 2, bits, NoMaxPrec, NoMinExp}
	}
	for name, p := range params {
		for round := range 30 {
			field := peculiar[T](rng, g.values, round)
			compareKernels[W](t, fmt.Sprintf("%v, %s, round %d", shape, name, round), &g, p, field)
		}
	}
}

// compareKernels encodes and decodes an array without kernels and with those of each
// level.
func compareKernels[W word, T Scalar](t *testing.T, name string, g *grid, p Params, field []T) {
	t.Helper()
	typ := typeOf[T]()
	var stream []byte
	var values []T
	for _, l := range append([]cpu.Level{cpu.Plain}, kernelLevels()...) {
		e := newEncoder[W](l, p, typ, g.dims)
		e.encode(words[W](field), g, 0, g.count)
		e.reserve(64)
		e.pad(64)
		got := e.buf[:e.pos/8]
		if l == cpu.Plain {
			stream = got
		}
		d := newDecoder[W](l, stream, 0, p, typ, g.dims)
		decoded := make([]T, g.values)
		if err := d.decode(words[W](decoded), g, 0, g.count); err != nil {
			t.Fatal(err)
		}
		if l == cpu.Plain {
			values = decoded
		}
		if !bytes.Equal(got, stream) {
			t.Errorf("%v %s: another stream with %v", typ, name, l)
		}
		if !slices.Equal(words[W](decoded), words[W](values)) {
			t.Errorf("%v %s: other values with %v", typ, name, l)
		}
	}
}

// compareDecoders decodes any bytes without kernels and with those of each level.
func compareDecoders[W word, T Scalar](t *testing.T, name string, g *grid, p Params, stream []byte) {
	t.Helper()
	want := make([]W, g.values)
	failure := newDecoder[W](cpu.Plain, stream, 0, p, typeOf[T](), g.dims).decode(want, g, 0, g.count)
	for _, l := range kernelLevels() {
		got := make([]W, g.values)
		err := newDecoder[W](l, stream, 0, p, typeOf[T](), g.dims).decode(got, g, 0, g.count)
		if fmt.Sprint(err) != fmt.Sprint(failure) {
			t.Errorf("%v %s: %v with %v, want %v", typeOf[T](), name, err, l, failure)
		}
		if err == nil && !slices.Equal(got, want) {
			t.Errorf("%v %s: other values with %v", typeOf[T](), name, l)
		}
	}
}

// TestKernelsOfAnyBits compares decoders that read arbitrary bits.
func TestKernelsOfAnyBits(t *testing.T) {
	if !hasKernels(cpu.Used(), 3) {
		t.Skip("this processor has no kernels")
	}
	for _, shape := range [][]int{{64}, {259}, {4, 16}, {9, 70}, {8, 12, 17}, {5, 8, 9, 12}} {
		decodeAnyBits[int32, int32](t, shape)
		decodeAnyBits[int64, int64](t, shape)
		decodeAnyBits[int32, float32](t, shape)
		decodeAnyBits[int64, float64](t, shape)
	}
}

func decodeAnyBits[W word, T Scalar](t *testing.T, shape []int) {
	t.Helper()
	g, err := newGrid(shape)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 10))
	params := settings(t, typeOf[T](), len(shape))
	for _, bits := range []int{12, 19, 33, 50, 64, 100} {
		params[fmt.Sprintf("%d bits", bits)] = Params{bits, bits, NoMaxPrec, NoMinExp}
		params[fmt.Sprintf("%d bits, few planes", bits)] = Params{bits, bits, 5, NoMinExp}
	}
	stream := make([]byte, 80*g.values)
	for name, p := range params {
		for round := range 6 {
			for i := range stream {
				stream[i] = uint8(rng.Uint32())
				if round%3 == 0 {
					stream[i] &= uint8(rng.Uint32() >> 8 & rng.Uint32()) // few ones, long runs
				}
			}
			compareDecoders[W, T](t, fmt.Sprintf("%v, %s, round %d", shape, name, round), &g, p, stream)
		}
	}
}

// peculiar returns elements of one of several kinds: arbitrary bits, small numbers with
// a few special ones, subnormal numbers, zeros of both signs, numbers of many magnitudes.
func peculiar[T Scalar](rng *rand.Rand, n, kind int) []T {
	field := make([]T, n)
	special := []float64{0, math.Copysign(0, -1), 1, -1e-30, 1e-310}
	if typeOf[T]().isFloat() {
		special = append(special, math.NaN(), math.Inf(1), math.Inf(-1), 1e38, 1e-40, 3e-36)
	}
	power := rng.IntN(31)
	for i := range field {
		v := math.Sin(float64(i) / 9)
		switch kind % 6 {
		case 0:
			v = special[rng.IntN(len(special))]
		case 1:
			if rng.IntN(60) == 0 {
				v = special[rng.IntN(len(special))]
			}
		case 2:
			v *= 1e-38
		case 3:
			v = math.Copysign(0, v)
		case 4:
			v = math.Ldexp(v, power)
		default:
			v = math.Round(v*1000) / 64
		}
		field[i] = T(v)
	}
	if kind%10 == 9 {
		for i, w := range words[int32](field[:n/2]) {
			words[int32](field[:n/2])[i] = w ^ int32(rng.Uint32())
		}
	}
	return field
}
