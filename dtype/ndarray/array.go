package ndarray

import (
	"fmt"
	"hash/maphash"
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
	memory := make([]byte, n)
	preferHuge(memory)
	a, _ := View(t, shape, memory)
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

// Heap holds the bytes of elements of variable size. In the memory of an [Array] of
// such a type, each element is a reference: the place of its bytes in the heap, and how
// many there are. A reference of zeros is an element without bytes. A heap only grows.
// An array that is written shares its heap with its views and with no other array.
//
// The bytes lie in segments, which never move: a heap that grows copies nothing and
// leaves nothing behind. A long element that equals an earlier one takes no bytes of
// its own.
//
// The zero value has no account and takes memory as it needs it.
type Heap struct {
	// Account, if it is not nil, is asked before the heap takes memory.
	Account Account

	segments [][]byte // bytes of elements; an element lies in one segment
	open     []byte   // the segment that may have room for more
	last     int      // its index in segments
	used     int      // bytes used of it
	err      error    // why the heap cannot grow any more
	items    int      // number of elements that were put
	seed     maphash.Seed
	seen     map[uint64]place // places of elements by their hash
	shared   int              // number of elements that share the bytes of others
	discards bool
}

// Account bounds the memory that a heap, and the readers of elements of variable size,
// may take. It serves one goroutine at a time.
type Account interface {
	// Lend returns at least n bytes with undefined content, which belong to the
	// account. It returns an error if the account has fewer.
	Lend(n int) ([]byte, error)
	// Take counts n bytes that the caller is about to allocate. It returns an error if
	// the account has fewer.
	Take(n int) error
	// Room returns the most bytes that can be lent or taken at this moment.
	Room() int
	// Give counts n bytes back.
	Give(n int)
}

// place says where in a heap an element is.
type place struct{ at, length uint64 }

// reference is the size of an element of variable size in the memory of an array: its
// place in the heap and its length, 8 bytes each.
const reference = 16

// ItemSize returns the bytes that an element takes in the memory of an array. It is the
// same for all types of variable size.
func ItemSize(t dtype.Type) int {
	if size := t.Size(); size > 0 {
		return size
	}
	return reference
}

// newHeap returns the heap that an array of type t needs, or nil if it needs none.
func newHeap(t dtype.Type) *Heap {
	if t.Size() > 0 {
		return nil
	}
	return &Heap{}
}
