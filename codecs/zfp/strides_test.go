package zfp

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStrides encodes arrays with gaps, and decodes into them. The stream is that of the array
// without gaps, and the gaps stay as they are.
func TestStrides(t *testing.T) {
	testStrides[float32](t, []int{50}, []int{1})
	testStrides[float64](t, []int{13, 40}, []int{47, 1})
	testStrides[int32](t, []int{12, 1, 36}, []int{90, 2, 1})
	testStrides[float32](t, []int{8, 9, 16}, []int{300, 20, 1})
	testStrides[int64](t, []int{5, 4, 6, 8}, []int{1100, 160, 25, 1})
	testStrides[float64](t, []int{3, 4, 1}, []int{14, 3, 5})
}

func testStrides[T Scalar](t *testing.T, shape, strides []int) {
	t.Helper()
	const gap = 111
	field := smooth[T](shape)
	place := func(i int) (at int) {
		for d, n := range slices.Backward(shape) {
			at += i % n * strides[d]
			i /= n
		}
		return at
	}
	spread := slices.Repeat([]T{gap}, place(len(field)-1)+1)
	empty := slices.Clone(spread)
	for i, v := range field {
		spread[place(i)] = v
	}
	p := setting{"rate", 9}.params(t, typeOf[T](), len(shape))
	for _, p := range []Params{p, setting{"reversible", 0}.params(t, typeOf[T](), len(shape))} {
		want, err := AppendEncode(nil, field, shape, p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := AppendEncode(nil, spread, shape, p, Options{Strides: strides})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v with strides %v: another stream than without gaps (%v)", shape, strides, err)
		}
		whole := make([]T, len(field))
		if err := Decode(whole, shape, want, p, Options{}); err != nil {
			t.Fatal(err)
		}
		back := slices.Clone(empty)
		if err := Decode(back, shape, want, p, Options{Strides: strides}); err != nil {
			t.Fatal(err)
		}
		for i, v := range whole {
			if got := back[place(i)]; got != v {
				t.Fatalf("%v with strides %v: element %d is %v, want %v", shape, strides, i, got, v)
			}
			back[place(i)] = gap
		}
		if d := cmp.Diff(empty, back); d != "" {
			t.Errorf("%v with strides %v: the gaps have changed (-want +got):\n%s", shape, strides, d)
		}
	}
}

// TestStridesOutOfRange has strides that lead into other elements or outside of memory.
func TestStridesOutOfRange(t *testing.T) {
	p := setting{"reversible", 0}.params(t, Float32, 2)
	for _, c := range []struct {
		strides  []int
		elements int
	}{
		{[]int{1}, 12}, {[]int{4, 1, 1}, 12}, {[]int{3, 1}, 12}, {[]int{-4, 1}, 12}, {[]int{4, 2}, 12}, {[]int{4, 0}, 12},
		{[]int{5, 1}, 13}, {[]int{5, 1}, 15}, {[]int{math.MaxInt / 2, 1}, 14}, {[]int{math.MaxInt, 1}, 14},
	} {
		if _, err := AppendEncode(nil, make([]float32, c.elements), []int{3, 4}, p, Options{Strides: c.strides}); !errors.Is(err, ErrParams) {
			t.Errorf("strides %v of %d elements: %v", c.strides, c.elements, err)
		}
	}
}

// TestFinite puts a float that is not finite into each kind of place: in runs and rows of blocks,
// in blocks alone, and in those that extend beyond the array. Finite floats are no error.
func TestFinite(t *testing.T) {
	for _, shape := range [][]int{{67}, {9, 70}, {5, 6, 9}, {4, 4, 4}, {3, 4, 5, 6}} {
		testFinite(t, shape, float32(math.MaxFloat32), float32(math.Inf(-1)), float32(math.NaN()))
		testFinite(t, shape, math.MaxFloat64, math.Inf(1), math.NaN())
	}
}

func testFinite[T float32 | float64](t *testing.T, shape []int, finite T, others ...T) {
	t.Helper()
	p := setting{"rate", 9}.params(t, typeOf[T](), len(shape))
	field := make([]T, product(shape))
	encode := func(at int, v T) error {
		field[at] = v
		_, err := AppendEncode(nil, field, shape, p, Options{Finite: true, Workers: 2})
		field[at] = 0
		return err
	}
	for at := range field {
		if err := encode(at, finite); err != nil {
			t.Fatalf("%v at %d of %v: %v", finite, at, shape, err)
		}
		for _, v := range others {
			if err := encode(at, v); !errors.Is(err, ErrNotFinite) {
				t.Fatalf("%v at %d of %v: %v", v, at, shape, err)
			}
		}
	}
}
