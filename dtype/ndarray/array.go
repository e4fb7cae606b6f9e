// Package ndarray holds N-dimensional arrays over plain bytes: shapes, strides,
// regions, typed views, strided copies, and pooled buffers with one owner.
//
// An [Array] is a small value: a view of memory that somebody else owns. Copying the
// value copies no element. Strides are in bytes and may be in any order, so a
// transposed array is only another view. Nothing here locks: concurrent reads are safe,
// and nobody else may use a region while it is written.
package ndarray

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/zmigrate/zmigrate/dtype"
)

// Array is a view of elements in memory. Element (i0, i1, …) lies at
// Data[Offset + Σ ik·Strides[k]] and takes [ItemSize] bytes.
type Array struct {
	Type    dtype.Type
	Data    []byte
	Heap    *Heap // the bytes of elements of variable size; nil for other types
	Offset  int   // bytes
	Shape   []int // elements along each dimension; empty: one element
	Strides []int // bytes between neighbours along each dimension, never negative
}

// Region is a box within an array: where it begins and how far it extends along each
// dimension, in elements.
type Region struct {
	Start, Shape []int
}

// Elements returns the number of elements of a shape. It returns false when an extent
// is negative, or when the product of the extents does not fit an int. The product
// leaves out extents of zero, so that strides fit an int as well.
func Elements(shape []int) (int, bool) {
	n, empty := 1, false
	for _, extent := range shape {
		switch {
		case extent < 0 || extent > 0 && n > math.MaxInt/extent:
			return 0, false
		case extent == 0:
			empty = true
		default:
			n *= extent
		}
	}
	if empty {
		return 0, true
	}
	return n, true
}

// Bytes returns the number of bytes that an array of this type and shape takes, and
// false when the number does not fit an int. The bytes of elements of variable size,
// which are in the heap, are not counted.
func Bytes(t dtype.Type, shape []int) (int, bool) {
	return Elements(append(slices.Clone(shape), ItemSize(t)))
}

// View returns an array in C order over data, which has exactly the bytes of the array.
// Elements of variable size get a new heap. They must be set before they are read,
// unless data is zero.
func View(t dtype.Type, shape []int, data []byte) (Array, error) {
	n, ok := Bytes(t, shape)
	if !ok || n != len(data) {
		return Array{}, fmt.Errorf("an array of %v %s elements does not have %d bytes", shape, t.Name(), len(data))
	}
	return Array{Type: t, Data: data, Heap: newHeap(t), Shape: shape, Strides: CStrides(ItemSize(t), shape)}, nil
}

// New returns a zeroed array in C order. The shape must be one that [Bytes]
// accepts.
func New(t dtype.Type, shape []int) Array {
	n, ok := Bytes(t, shape)
	if !ok {
		panic(fmt.Sprintf("ndarray: shape %v is too large", shape))
	}
	a, _ := View(t, shape, make([]byte, n))
	return a
}

// CStrides returns the strides, in bytes, of elements of size bytes that are
// stored with the last dimension varying fastest.
func CStrides(size int, shape []int) []int {
	strides := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = size
		size *= max(shape[i], 1)
	}
	return strides
}

// Len returns the number of elements.
func (a Array) Len() int {
	n, _ := Elements(a.Shape)
	return n
}

// Sub returns the view of a region, which must lie within the array.
func (a Array) Sub(r Region) Array {
	if len(r.Start) != len(a.Shape) || len(r.Shape) != len(a.Shape) {
		panic(fmt.Sprintf("ndarray: region %v+%v of %v", r.Start, r.Shape, a.Shape))
	}
	offset := a.Offset
	for i, start := range r.Start {
		if start < 0 || r.Shape[i] < 0 || start > a.Shape[i]-r.Shape[i] {
			panic(fmt.Sprintf("ndarray: region %v+%v is outside of %v", r.Start, r.Shape, a.Shape))
		}
		offset += start * a.Strides[i]
	}
	return Array{Type: a.Type, Data: a.Data, Heap: a.Heap, Offset: offset, Shape: r.Shape, Strides: a.Strides}
}

// Transpose returns the view whose dimension i is a's dimension order[i].
func (a Array) Transpose(order []int) Array {
	t := Array{Type: a.Type, Data: a.Data, Heap: a.Heap, Offset: a.Offset, Shape: make([]int, len(order)), Strides: make([]int, len(order))}
	for i, from := range order {
		t.Shape[i], t.Strides[i] = a.Shape[from], a.Strides[from]
	}
	return t
}

// Contiguous returns the memory of the array when its elements lie in C order without
// gaps, else false. It returns false for elements of variable size, too.
func (a Array) Contiguous() ([]byte, bool) {
	if a.Heap != nil {
		return nil, false
	}
	if slices.Contains(a.Shape, 0) {
		return nil, true
	}
	want := ItemSize(a.Type)
	for i, n := range slices.Backward(a.Shape) {
		if n > 1 && a.Strides[i] != want {
			return nil, false
		}
		want *= n
	}
	return a.Data[a.Offset : a.Offset+want : a.Offset+want], true
}

// Number is a Go type of the values that [As] returns.
type Number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// As returns the elements of an array in C order as a slice that shares its memory. It
// returns false when the array has gaps or another order, when T has another size, or
// when the memory is not aligned for T.
func As[T Number](a Array) ([]T, bool) {
	b, ok := a.Contiguous()
	size := int(unsafe.Sizeof(*new(T)))
	if !ok || size != a.Type.Size() {
		return nil, false
	}
	if len(b) == 0 {
		return nil, true
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%uintptr(unsafe.Alignof(*new(T))) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(p), len(b)/size), true
}
