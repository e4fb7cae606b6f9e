package ndarray

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
)

func TestElements(t *testing.T) {
	const most = math.MaxInt
	for _, c := range []struct {
		shape []int
		n     int
		ok    bool
	}{
		{nil, 1, true},
		{[]int{0}, 0, true},
		{[]int{3, 0, 4}, 0, true},
		{[]int{2, 3, 4}, 24, true},
		{[]int{most}, most, true},
		{[]int{1, most, 1}, most, true},
		{[]int{most, 2}, 0, false},
		{[]int{1 << 32, 1 << 31}, 0, false},
		{[]int{-1}, 0, false},
		{[]int{0, -1}, 0, false},
		{[]int{0, 1 << 40, 1 << 40}, 0, false}, // the strides would not fit
		{[]int{1 << 40, 1 << 40, 0}, 0, false},
	} {
		if n, ok := Elements(c.shape); n != c.n || ok != c.ok {
			t.Errorf("Elements(%v) = %d, %v, want %d, %v", c.shape, n, ok, c.n, c.ok)
		}
	}
	if _, ok := Bytes(dtype.Float64, []int{most / 4}); ok {
		t.Error("Bytes accepted a size beyond an int")
	}
	if n, ok := Bytes(dtype.Float64, []int{5, 2}); n != 80 || !ok {
		t.Errorf("Bytes = %d, %v", n, ok)
	}
}

func TestView(t *testing.T) {
	a, err := View(dtype.Int16, []int{2, 3, 4}, make([]byte, 48))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{24, 8, 2}, a.Strides); diff != "" {
		t.Error(diff)
	}
	for _, n := range []int{0, 47, 49, 24} {
		if _, err := View(dtype.Int16, []int{2, 3, 4}, make([]byte, n)); err == nil {
			t.Errorf("View accepted %d bytes", n)
		}
	}
	if n := New(dtype.Float32, []int{5, 0, 2}).Len(); n != 0 {
		t.Errorf("an empty array has %d elements", n)
	}
	if n := New(dtype.Float32, nil).Len(); n != 1 {
		t.Errorf("a 0-D array has %d elements", n)
	}
	mustPanic(t, "too large", func() { New(dtype.Float32, []int{math.MaxInt}) })
}

func TestSubAndTranspose(t *testing.T) {
	eachArray(t, 1, func(t *testing.T, r random, a Array) {
		region := Region{Start: make([]int, len(a.Shape)), Shape: make([]int, len(a.Shape))}
		for i, n := range a.Shape {
			region.Start[i] = r.IntN(n + 1)
			region.Shape[i] = r.IntN(n - region.Start[i] + 1)
		}
		sub := a.Sub(region)
		for _, index := range indexes(region.Shape) {
			moved := slices.Clone(index)
			for i := range moved {
				moved[i] += region.Start[i]
			}
			if &sub.at(index)[0] != &a.at(moved)[0] {
				t.Errorf("element %v of region %v is not element %v", index, region, moved)
			}
		}
		order := r.Perm(len(a.Shape))
		turned := a.Transpose(order)
		for _, index := range indexes(turned.Shape) {
			from := make([]int, len(order))
			for i, k := range order {
				from[k] = index[i]
			}
			if &turned.at(index)[0] != &a.at(from)[0] {
				t.Errorf("element %v of the transposed %v is not %v", index, order, from)
			}
		}
	})
}

func TestSubOutside(t *testing.T) {
	a := New(dtype.Uint8, []int{4, 5})
	for _, r := range []Region{
		{[]int{0, 0}, []int{5, 5}},
		{[]int{-1, 0}, []int{1, 1}},
		{[]int{1, 1}, []int{4, 1}},
		{[]int{0, 0}, []int{-1, 1}},
		{[]int{math.MaxInt, 0}, []int{1, 1}},
		{[]int{0}, []int{1}},
		{[]int{0, 0, 0}, []int{1, 1, 1}},
	} {
		mustPanic(t, "region", func() { a.Sub(r) })
	}
}

func TestContiguousAndAs(t *testing.T) {
	eachArray(t, 2, func(t *testing.T, _ random, a Array) {
		b, ok := a.Contiguous()
		dense := true
		last := -1
		for _, index := range indexes(a.Shape) {
			at := a.Offset
			for k, i := range index {
				at += i * a.Strides[k]
			}
			dense = dense && (last < 0 || at == last+a.Type.Size())
			last = at
		}
		if ok != dense {
			t.Errorf("Contiguous says %v, the elements say %v", ok, dense)
		}
		if ok && !bytes.Equal(b, a.elements()) {
			t.Error("Contiguous returns other bytes")
		}
		if ok && len(b) != cap(b) {
			t.Error("an append to the memory would overwrite what lies behind it")
		}
		if a.Type == dtype.Float64 {
			values, ok := As[float64](a)
			aligned := len(b) == 0 || uintptr(unsafe.Pointer(&b[0]))%8 == 0
			if ok != (dense && aligned) || ok && len(values) != a.Len() {
				t.Errorf("As: %v with %d values", ok, len(values))
			}
			if _, ok := As[float32](a); ok {
				t.Error("As accepts a type of another size")
			}
		}
	})
	a := New(dtype.Int32, []int{3})
	values, _ := As[int32](a)
	values[1] = -2
	if got, _ := As[uint32](a); got[1] != 1<<32-2 {
		t.Errorf("As does not share memory: %v", got)
	}
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("no panic: %s", what)
		}
	}()
	f()
}
