package standard

import (
	"slices"
	"unsafe"

	"github.com/zmigrate/zmigrate/codecs/zfp"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// A zfpField is an array of zfp's numbers in memory, as zfp reads and writes it.
type zfpField[T zfp.Scalar] struct {
	numbers        []T   // from the first number of the array up to the last one
	shape, strides []int // strides count numbers: see zfp.Options
}

// zfpFieldIn returns the field in the memory of an array whose elements are numbers of T. ok is
// false if zfp cannot use that memory: neighbours along the last dimension are apart, the array
// is in another order than C, or the memory is not aligned.
func zfpFieldIn[T zfp.Scalar](a ndarray.Array) (f zfpField[T], ok bool) {
	size := int(unsafe.Sizeof(*new(T)))
	f.shape = a.Shape
	if len(a.Shape) == 0 {
		f.shape, a.Strides = []int{1}, []int{size}
	}
	f.strides = make([]int, len(f.shape))
	end := size // of the last element, in bytes
	for i, n := range slices.Backward(f.shape) {
		stride := a.Strides[i]
		switch {
		case n == 0:
			return f, false
		case n == 1:
			stride = end
		case stride < end || stride%size != 0 || i == len(f.shape)-1 && stride != size:
			return f, false
		}
		f.strides[i] = stride / size
		end += (n - 1) * stride
	}
	f.numbers, ok = ndarray.As[T](ndarray.Array{Type: a.Type, Data: a.Data, Offset: a.Offset, Shape: []int{end / size}, Strides: []int{size}})
	return f, ok
}

// unfit returns the index, in C order, of the first number that lossy modes may change into
// any other number, or -1. Such numbers are floats that are not finite, and integers whose
// sums overflow.
func (f zfpField[T]) unfit() int {
	each := 1 // numbers in a row, a plane and so on
	for _, n := range f.shape[1:] {
		each *= n
	}
	if f.strides[0] == each { // without gaps
		return zfpUnfit(f.numbers[:f.shape[0]*each])
	}
	for i := range f.shape[0] {
		part := zfpField[T]{f.numbers[i*f.strides[0]:], f.shape[1:], f.strides[1:]}
		if at := part.unfit(); at >= 0 {
			return i*each + at
		}
	}
	return -1
}

// zfpUnfit is unfit of some numbers.
func zfpUnfit[T zfp.Scalar](numbers []T) int {
	limit := zfpLimit[T]()
	return slices.IndexFunc(numbers, func(v T) bool { return v >= limit || v <= -limit || v != v })
}
