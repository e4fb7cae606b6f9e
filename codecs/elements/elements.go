// Package elements runs loops over the elements of arrays.
//
// A [Kernel] is such a loop. It needs memory of one dimension, without gaps, and
// aligned. The functions of this package bring arrays of any shape and strides into
// that form, as a whole or piece by piece.
package elements

import (
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Piece is how many elements of a strided array are copied before a kernel works on
// them. They are few enough to stay in the cache.
const Piece = 4096

// Kernel computes the elements of dst from those of src. Both arrays have one dimension
// and the same length, no gaps, and the alignment that [ndarray.As] needs. Kernel
// returns the index of the first element that has no result, or -1 if all have one. If
// it returns an index, the content of dst is undefined.
type Kernel func(dst, src ndarray.Array) int

// Run calls the kernel for all elements, in C order. dst and src have the same shape
// and any strides. If the kernel cannot work on their memory, Run works piece by piece.
// It returns what Kernel returns, with an index that counts all elements in C order.
func (k Kernel) Run(dst, src ndarray.Array) int {
	to, toFits := Flat(dst)
	from, fromFits := Flat(src)
	if toFits && fromFits {
		return k(to, from)
	}
	most := min(Piece, src.Len())
	toScratch, fromScratch := make([]byte, most*dst.Type.Size()), make([]byte, most*src.Type.Size())
	at := 0
	for region := range ndarray.Pieces(src.Shape, Piece) {
		toPart := dst.Sub(region)
		from := Readable(src.Sub(region), fromScratch)
		to, inPlace := Flat(toPart)
		if !inPlace {
			to = Line(dst.Type, toScratch[:from.Len()*dst.Type.Size()])
		}
		if bad := k(to, from); bad >= 0 {
			return at + bad
		}
		if !inPlace {
			CopyLine(toPart, to)
		}
		at += from.Len()
	}
	return -1
}

// Find is Run without storing the results, which are of type to.
func (k Kernel) Find(to dtype.Type, src ndarray.Array) int {
	most := min(Piece, src.Len())
	toScratch, fromScratch := make([]byte, most*to.Size()), make([]byte, most*src.Type.Size())
	at := 0
	for region := range ndarray.Pieces(src.Shape, Piece) {
		from := Readable(src.Sub(region), fromScratch)
		if bad := k(Line(to, toScratch[:from.Len()*to.Size()]), from); bad >= 0 {
			return at + bad
		}
		at += from.Len()
	}
	return -1
}

// Scalar applies the kernel to one element. It returns nil if the element has no
// result, or if value is nil.
func (k Kernel) Scalar(to, from dtype.Type, value dtype.Scalar) dtype.Scalar {
	if value == nil {
		return nil
	}
	src, dst := ndarray.New(from, []int{1}), ndarray.New(to, []int{1})
	copy(src.Data, value)
	if k(dst, src) >= 0 {
		return nil
	}
	return dst.Data
}

// Readable returns the elements of a in the form that a kernel needs. They lie in the
// memory of a, or Readable copies them to scratch, which must have room for them.
func Readable(a ndarray.Array, scratch []byte) ndarray.Array {
	if b, ok := Flat(a); ok {
		return b
	}
	b := Line(a.Type, scratch[:a.Len()*a.Type.Size()])
	ndarray.Copy(ndarray.Array{Type: a.Type, Data: b.Data, Shape: a.Shape, Strides: ndarray.CStrides(a.Type.Size(), a.Shape)}, a)
	return b
}

// CopyLine copies an array of one dimension to an array with as many elements, of any
// shape and strides.
func CopyLine(dst, src ndarray.Array) {
	ndarray.Copy(dst, ndarray.Array{Type: src.Type, Data: src.Data, Shape: dst.Shape, Strides: ndarray.CStrides(src.Type.Size(), dst.Shape)})
}

// Flat returns a as an array of one dimension over the same memory. It returns false if
// that memory has gaps or is not aligned.
func Flat(a ndarray.Array) (ndarray.Array, bool) {
	data, ok := a.Contiguous()
	if !ok {
		return ndarray.Array{}, false
	}
	b := Line(a.Type, data)
	switch a.Type.Size() {
	case 2:
		_, ok = ndarray.As[uint16](b)
	case 4:
		_, ok = ndarray.As[uint32](b)
	case 8:
		_, ok = ndarray.As[uint64](b)
	case 16:
		_, ok = ndarray.As[complex128](b)
	}
	return b, ok
}

// Line returns an array of one dimension over data, which holds elements of type t.
func Line(t dtype.Type, data []byte) ndarray.Array {
	return ndarray.Array{Type: t, Data: data, Shape: []int{len(data) / t.Size()}, Strides: []int{t.Size()}}
}

// Span returns elements start to end-1 of an array of one dimension without gaps.
func Span(a ndarray.Array, start, end int) ndarray.Array {
	size := a.Type.Size()
	return Line(a.Type, a.Data[start*size:end*size])
}

// Components returns an array of pairs as an array of their parts. It has one dimension
// more, the last one, of extent two.
func Components(a ndarray.Array, part dtype.Type) ndarray.Array {
	a.Type = part
	a.Shape = append(slices.Clone(a.Shape), 2)
	a.Strides = append(slices.Clone(a.Strides), part.Size())
	return a
}

// Coordinates returns the index of element number at, counted in C order.
func Coordinates(shape []int, at int) []int {
	index := make([]int, len(shape))
	for i, n := range slices.Backward(shape) {
		index[i], at = at%n, at/n
	}
	return index
}

// Ordinal returns the number of an element in C order. It is the inverse of
// [Coordinates].
func Ordinal(shape, index []int) (at int) {
	for i, n := range shape {
		at = at*n + index[i]
	}
	return at
}

// Value returns element number at, counted in C order. The result is in the memory of
// a.
func Value(a ndarray.Array, at int) dtype.Scalar {
	offset := a.Offset
	for i, n := range slices.Backward(a.Shape) {
		offset += at % n * a.Strides[i]
		at /= n
	}
	return a.Data[offset : offset+a.Type.Size()]
}
