package ndarray

import (
	"iter"
	"slices"
)

// Pieces divides an array of this shape into boxes of at most the given number of
// elements, which is at least 1. The boxes, and the elements of each box in C order,
// follow each other in the array's C order. Each region overwrites the slices of the
// one before.
func Pieces(shape []int, most int) iter.Seq[Region] {
	return func(yield func(Region) bool) {
		if slices.Contains(shape, 0) {
			return
		}
		n := len(shape)
		extent, r := make([]int, n), Region{Start: make([]int, n), Shape: make([]int, n)}
		room := most
		for i, length := range slices.Backward(shape) {
			extent[i] = min(length, max(room, 1))
			room /= length
		}
		for {
			for i := range r.Shape {
				r.Shape[i] = min(extent[i], shape[i]-r.Start[i])
			}
			if !yield(r) {
				return
			}
			i := n - 1
			for ; i >= 0; i-- {
				if r.Start[i] += extent[i]; r.Start[i] < shape[i] {
					break
				}
				r.Start[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// Next returns the index that follows index in the box from first to last, both
// included, in C order. It returns nil behind the last one. It changes index.
func Next(index, first, last []int) []int {
	for k := len(index) - 1; k >= 0; k-- {
		if index[k]++; index[k] <= last[k] {
			return index
		}
		index[k] = first[k]
	}
	return nil
}
