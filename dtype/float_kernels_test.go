package dtype

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// element returns the pattern of element i as it lies in memory.
func element(l *FloatLayout, elements []byte, i int) uint16 {
	if l.Bits() > 8 {
		return binary.NativeEndian.Uint16(elements[2*i:])
	}
	return uint16(elements[i])
}

// allElements returns all patterns of 8 or 16 bits as they lie in memory.
func allElements(l *FloatLayout) []byte {
	var elements []byte
	if l.Bits() <= 8 {
		for p := range 1 << 8 {
			elements = append(elements, byte(p))
		}
		return elements
	}
	for p := range 1 << 16 {
		elements = binary.NativeEndian.AppendUint16(elements, uint16(p))
	}
	return elements
}

func TestFloatDecodesAllPatterns(t *testing.T) {
	eachLayout(t, func(t *testing.T, l *FloatLayout) {
		elements := allElements(l)
		n := len(elements) * 8 / max(l.Bits(), 8)
		single, double := make([]float32, n), make([]float64, n)
		l.ToFloat32(single, elements)
		l.ToFloat64(double, elements)
		for p := range n {
			want := l.Float64(uint16(p))
			if math.IsNaN(want) {
				if s, d := single[p], double[p]; s == s || d == d {
					t.Fatalf("%#x is %v and %v, want NaN", p, s, d)
				}
				continue
			}
			if math.Float64bits(float64(single[p])) != math.Float64bits(want) || math.Float64bits(double[p]) != math.Float64bits(want) {
				t.Fatalf("%#x is %v and %v, want %v", p, single[p], double[p], want)
			}
		}
	})
}

// checkFloats compares the elements that a conversion of numbers gave with Round.
func checkFloats[F float32 | float64](t *testing.T, l *FloatLayout, mode Rounding, elements []byte, first int, numbers []F) {
	t.Helper()
	wantFirst := len(numbers)
	for i, x := range numbers {
		want, fits := l.Round(float64(x), mode)
		if !fits && wantFirst == len(numbers) {
			wantFirst = i
		}
		if got := element(l, elements, i); got != want {
			t.Fatalf("%s: %v (%x) becomes %#x, want %#x", mode, x, x, got, want)
		}
	}
	if first != wantFirst {
		t.Fatalf("%s: number %d of %d does not fit, want %d", mode, first, len(numbers), wantFirst)
	}
}

// upperHalves returns float32 numbers with every upper half and the given lower half.
func upperHalves(lower uint32) []float32 {
	numbers := make([]float32, 1<<16)
	for upper := range numbers {
		numbers[upper] = math.Float32frombits(uint32(upper)<<16 | lower)
	}
	return numbers
}

func TestFloatEncodesFloat32(t *testing.T) {
	var inputs [][]float32
	for _, lower := range []uint32{0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xffff} {
		inputs = append(inputs, upperHalves(lower))
	}
	eachLayout(t, func(t *testing.T, l *FloatLayout) {
		elements := make([]byte, 2<<16)
		for _, mode := range allRoundings {
			for _, numbers := range inputs {
				first := l.FromFloat32(elements, numbers, mode)
				checkFloats(t, l, mode, elements, first, numbers)
			}
		}
	})
}

// float64Inputs returns numbers of all sizes, and more in and around the range of a
// layout: at its numbers, beside them and between them.
func float64Inputs(l *FloatLayout, random *rand.Rand) []float64 {
	list := magnitudes(l)
	numbers := []float64{0, math.Inf(1), math.NaN(), math.Float64frombits(0x7ff0000000000001), math.MaxFloat64,
		math.MaxFloat32, math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, 0x1p-126, 0x1p-150}
	for range 3000 {
		i := random.IntN(len(list) - 1)
		below, above := list[i].value, list[i+1].value
		numbers = append(numbers, around(below, above)...)
		numbers = append(numbers, below+(above-below)*random.Float64(), math.Float64frombits(random.Uint64()))
	}
	for i := range 2 * len(numbers) {
		numbers = append(numbers, -numbers[i%len(numbers)]) // and back again
	}
	return numbers
}

func TestFloatEncodesFloat64(t *testing.T) {
	eachLayout(t, func(t *testing.T, l *FloatLayout) {
		numbers := float64Inputs(l, rand.New(rand.NewPCG(3, 4)))
		elements := make([]byte, 2*len(numbers))
		for _, mode := range allRoundings {
			first := l.FromFloat64(elements, numbers, mode)
			checkFloats(t, l, mode, elements, first, numbers)
			for i := range numbers { // whether each number fits
				first := l.FromFloat64(elements, numbers[i:i+1], mode)
				checkFloats(t, l, mode, elements, first, numbers[i:i+1])
			}
		}
	})
}

// The first number that does not fit is found wherever it is, also if other such
// numbers follow. Memory behind the last element is left alone.
func TestFloatFirstUnfit(t *testing.T) {
	const n = 2*floatBlock + 7
	eachLayout(t, func(t *testing.T, l *FloatLayout) {
		for _, first := range []int{0, 1, floatBlock - 1, floatBlock, floatBlock + 1, 2*floatBlock - 1, 2 * floatBlock, n - 1, n} {
			single, double := slices.Repeat([]float32{1}, n), slices.Repeat([]float64{1}, n)
			for i := first; i < n; i += 3 {
				single[i], double[i] = math.MaxFloat32, math.MaxFloat64
			}
			size := (l.Bits() + 7) / 8
			elements := make([]byte, n*size+1)
			elements[n*size] = 0xa5
			checkFloats(t, l, NearestEven, elements, l.FromFloat32(elements, single, NearestEven), single)
			checkFloats(t, l, NearestEven, elements, l.FromFloat64(elements, double, NearestEven), double)
			if got := l.FromFloat32(elements, single, NearestEven); got != first {
				t.Errorf("number %d does not fit, want %d", got, first)
			}
			if elements[n*size] != 0xa5 {
				t.Error("the byte behind the elements was overwritten")
			}
		}
	})
}

func TestFloatNoElements(t *testing.T) {
	eachLayout(t, func(t *testing.T, l *FloatLayout) {
		l.ToFloat32(nil, nil)
		l.ToFloat64(nil, nil)
		if a, b := l.FromFloat32(nil, nil, NearestEven), l.FromFloat64(nil, nil, NearestEven); a != 0 || b != 0 {
			t.Errorf("no numbers, but %d and %d do not fit", a, b)
		}
	})
}
