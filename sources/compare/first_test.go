package compare

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// column returns an array of values, each as JSON.
func column(t *testing.T, kind dtype.Type, values ...string) ndarray.Array {
	t.Helper()
	a, i := ndarray.New(kind, []int{len(values)}), -1
	err := a.SetItems(func() ([]byte, error) {
		i++
		return kind.ParseScalar(dtype.V3, json.RawMessage(values[i]))
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestFirst(t *testing.T) {
	for _, test := range []struct {
		kind dtype.Type
		a, b []string
		want int
	}{
		{dtype.Float64, []string{"1", "0"}, []string{"1", "-0.0"}, -1},
		{dtype.Float32, []string{"-0.0", "2"}, []string{"0", "3"}, 1},
		{dtype.Float32, []string{`"NaN"`, "2"}, []string{`"0x7fc00001"`, "2"}, -1},
		{dtype.Float32, []string{`"NaN"`, "2"}, []string{"0", "2"}, 0},
		{dtype.Float16, []string{"-0.0", "2"}, []string{"0", "2"}, -1},
		{dtype.Float16, []string{`"NaN"`}, []string{"0"}, 0},
		{dtype.Float16, []string{`"NaN"`, "1"}, []string{`"0xfe01"`, "1"}, -1},
		{dtype.Int16, []string{"0", "-1"}, []string{"0", "1"}, 1},
		{dtype.Int16, []string{"-32768"}, []string{"0"}, 0},
		{dtype.StringType, []string{`"a"`, `"b"`, `""`}, []string{`"a"`, `"b"`, `"c"`}, 2},
		{dtype.StringType, []string{`"a"`, `"bc"`}, []string{`"a"`, `"bc"`}, -1},
	} {
		a, b := column(t, test.kind, test.a...), column(t, test.kind, test.b...)
		m := First(a, b)
		if (m == nil) != (test.want < 0) || m != nil && (m.Index[0] != test.want || m.X == m.Y) {
			t.Errorf("%v, %v: %+v", test.a, test.b, m)
		}
		if (Digest(a) == Digest(b)) != (m == nil) {
			t.Errorf("%v, %v: the digests say otherwise", test.a, test.b)
		}
	}
}

// TestFirstOfMany finds the first of several elements that differ, in arrays of more
// than one piece, in any order of their memory.
func TestFirstOfMany(t *testing.T) {
	shape := []int{7, 300, 11}
	for _, kind := range []dtype.Type{dtype.Float64, dtype.Complex64, dtype.Uint8, dtype.StringType} {
		for name, order := range map[string][]int{"rows": {0, 1, 2}, "columns": {2, 1, 0}} {
			made := func(changed ...int) ndarray.Array {
				turned := make([]int, len(shape))
				for i, k := range order {
					turned[k] = shape[i]
				}
				a := ndarray.New(kind, turned).Transpose(order)
				values := [][]byte{make([]byte, kind.Size()), slices.Repeat([]byte{1}, max(1, kind.Size()))}
				number := -1
				if err := a.SetItems(func() ([]byte, error) {
					number++
					if slices.Contains(changed, number) {
						return values[1], nil
					}
					return values[0], nil
				}); err != nil {
					t.Fatal(err)
				}
				return a
			}
			const at = (5*300+17)*11 + 4
			one := made()
			if m := First(one, made()); m != nil {
				t.Errorf("%s in %s: %+v", kind.Name(), name, m)
			}
			other := made(at+1, at, at+12000/2)
			if m := First(one, other); m == nil || !slices.Equal(m.Index, []int{5, 17, 4}) || m.X == m.Y {
				t.Errorf("%s in %s: got %+v", kind.Name(), name, m)
			}
			if Digest(one) != Digest(made()) || Digest(one) == Digest(other) {
				t.Errorf("%s in %s: wrong digests", kind.Name(), name)
			}
			box := ndarray.Region{Start: []int{5, 17, 4}, Shape: []int{2, 1, 3}}
			if m := First(one.Sub(box), other.Sub(box)); m == nil || !slices.Equal(m.Index, []int{0, 0, 0}) {
				t.Errorf("%s in a box of %s: got %+v", kind.Name(), name, m)
			}
		}
	}
	if m := First(ndarray.New(dtype.Float32, []int{0, 3}), ndarray.New(dtype.Float32, []int{0, 3})); m != nil {
		t.Errorf("of nothing: %+v", m)
	}
	scalar := ndarray.New(dtype.Float32, []int{})
	changed := ndarray.New(dtype.Float32, []int{})
	changed.Data[0] = 1
	if m := First(scalar, changed); m == nil || len(m.Index) > 0 {
		t.Errorf("of one value: %+v", m)
	}
}
