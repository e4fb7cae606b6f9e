package ndarray

import (
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

func TestFrom(t *testing.T) {
	type celsius float32
	values := []celsius{1, 2, 3, 4, 5, 6}
	a := From(values, []int{2, 3})
	if a.Type != dtype.Float32 || !slices.Equal(a.Shape, []int{2, 3}) || !slices.Equal(a.Strides, []int{12, 4}) {
		t.Errorf("From gives %s %v with strides %v", a.Type.Name(), a.Shape, a.Strides)
	}
	column := New(dtype.Float32, []int{2, 1})
	Copy(column, a.Sub(Region{Start: []int{0, 2}, Shape: []int{2, 1}}))
	if got, _ := As[float32](column); !slices.Equal(got, []float32{3, 6}) {
		t.Errorf("the last column is %v", got)
	}
	if back, ok := As[celsius](a); !ok || &back[0] != &values[0] {
		t.Error("As does not give the values of From")
	}
	for _, test := range []struct {
		got  Array
		want dtype.Type
	}{
		{From([]int8{}, []int{0}), dtype.Int8}, {From([]int16{1}, nil), dtype.Int16}, {From([]int32{1}, nil), dtype.Int32}, {From([]int64{1}, nil), dtype.Int64},
		{From([]uint8{1}, nil), dtype.Uint8}, {From([]uint16{1}, nil), dtype.Uint16}, {From([]uint32{1}, nil), dtype.Uint32}, {From([]uint64{1}, nil), dtype.Uint64},
		{From([]float64{1}, nil), dtype.Float64}, {From([]complex64{1}, nil), dtype.Complex64}, {From([]complex128{1}, nil), dtype.Complex128},
	} {
		if test.got.Type != test.want || len(test.got.Data) != test.got.Len()*test.want.Size() {
			t.Errorf("From gives %s with %d bytes, want %s", test.got.Type.Name(), len(test.got.Data), test.want.Name())
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("From takes 6 values for 4 elements")
		}
	}()
	From(values, []int{2, 2})
}
