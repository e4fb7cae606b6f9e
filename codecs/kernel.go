package codecs

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// pieceElements is how many elements of a strided array are copied together
// before a kernel works on them: few enough to stay in the cache.
const pieceElements = 4096

// kernel computes the elements of dst from those of src: arrays of one
// dimension, of the same length, without gaps, and aligned for
// [ndarray.As]. It returns the index of the first element that has no result,
// and -1 when all have one; what is in dst is then undefined.
type kernel func(dst, src ndarray.Array) int

// run calls the kernel for all elements of two arrays of one shape with any
// strides, in C order: once, or, where the memory of one of them does not suit
// the kernel, piece by piece. The result is an index among all elements.
func (k kernel) run(dst, src ndarray.Array) int {
	to, toFits := flat(dst)
	from, fromFits := flat(src)
	if toFits && fromFits {
		return k(to, from)
	}
	most := min(pieceElements, src.Len())
	toScratch, fromScratch := make([]byte, most*dst.Type.Size()), make([]byte, most*src.Type.Size())
	at := 0
	for region := range ndarray.Pieces(src.Shape, pieceElements) {
		toPart := dst.Sub(region)
		from := readable(src.Sub(region), fromScratch)
		to, inPlace := flat(toPart)
		if !inPlace {
			to = line(dst.Type, toScratch[:from.Len()*dst.Type.Size()])
		}
		if bad := k(to, from); bad >= 0 {
			return at + bad
		}
		if !inPlace {
			copyLine(toPart, to)
		}
		at += from.Len()
	}
	return -1
}

// find is run without results, which would be of type to.
func (k kernel) find(to dtype.Type, src ndarray.Array) int {
	most := min(pieceElements, src.Len())
	toScratch, fromScratch := make([]byte, most*to.Size()), make([]byte, most*src.Type.Size())
	at := 0
	for region := range ndarray.Pieces(src.Shape, pieceElements) {
		from := readable(src.Sub(region), fromScratch)
		if bad := k(line(to, toScratch[:from.Len()*to.Size()]), from); bad >= 0 {
			return at + bad
		}
		at += from.Len()
	}
	return -1
}

// scalar is the kernel for one element; nil where it has no result, or where
// there is no value.
func (k kernel) scalar(to, from dtype.Type, value dtype.Scalar) dtype.Scalar {
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

// readable returns the elements of a as a kernel wants them: in a's own memory
// or copied to scratch, which has room for them.
func readable(a ndarray.Array, scratch []byte) ndarray.Array {
	if b, ok := flat(a); ok {
		return b
	}
	b := line(a.Type, scratch[:a.Len()*a.Type.Size()])
	ndarray.Copy(ndarray.Array{Type: a.Type, Data: b.Data, Shape: a.Shape, Strides: ndarray.CStrides(a.Type.Size(), a.Shape)}, a)
	return b
}

// copyLine copies an array of one dimension to one of any shape and strides
// with as many elements.
func copyLine(dst, src ndarray.Array) {
	ndarray.Copy(dst, ndarray.Array{Type: src.Type, Data: src.Data, Shape: dst.Shape, Strides: ndarray.CStrides(src.Type.Size(), dst.Shape)})
}

// flat returns a as an array of one dimension over the same memory, and false
// where that has gaps or is not aligned.
func flat(a ndarray.Array) (ndarray.Array, bool) {
	data, ok := a.Contiguous()
	if !ok {
		return ndarray.Array{}, false
	}
	b := line(a.Type, data)
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

// line is an array of one dimension over data, whole elements of type t.
func line(t dtype.Type, data []byte) ndarray.Array {
	return ndarray.Array{Type: t, Data: data, Shape: []int{len(data) / t.Size()}, Strides: []int{t.Size()}}
}

// components is an array of pairs as one of their parts, which a last dimension
// of two counts.
func components(a ndarray.Array, part dtype.Type) ndarray.Array {
	a.Type = part
	a.Shape = append(slices.Clone(a.Shape), 2)
	a.Strides = append(slices.Clone(a.Strides), part.Size())
	return a
}

// unfit is an error about one element of src, counted in C order, that has no
// value of type to.
func unfit(src ndarray.Array, at int, to dtype.Type) error {
	return fmt.Errorf("%w: %w of %s", element(src, at), dtype.ErrOutOfRange, to.Name())
}

// faultyElement is the part of an error that names the element it is about.
type faultyElement struct {
	index []int // in the array that the codec received
	value string
}

func (e *faultyElement) Error() string { return fmt.Sprintf("element %v, %s", e.index, e.value) }

// element names one element, counted in C order, and its value.
func element(a ndarray.Array, at int) error {
	return &faultyElement{coordinates(a.Shape, at), string(a.Type.FormatScalar(dtype.V3, valueAt(a, at)))}
}

// coordinates is the index of an element that is counted in C order.
func coordinates(shape []int, at int) []int {
	index := make([]int, len(shape))
	for i, n := range slices.Backward(shape) {
		index[i], at = at%n, at/n
	}
	return index
}

// ordinal counts an element in C order.
func ordinal(shape, index []int) (at int) {
	for i, n := range shape {
		at = at*n + index[i]
	}
	return at
}

// valueAt is the value of one element, counted in C order, in a's own memory.
func valueAt(a ndarray.Array, at int) dtype.Scalar {
	offset := a.Offset
	for i, n := range slices.Backward(a.Shape) {
		offset += at % n * a.Strides[i]
		at /= n
	}
	return a.Data[offset : offset+a.Type.Size()]
}
