package ndarray

import (
	"iter"
	"slices"
)

// Pieces lists boxes of at most most elements, which is at least 1, that
// together make an array of this shape. The boxes, and the elements in each of
// them in C order, follow each other in the array's C order. The slices of a
// region are overwritten by the next one.
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

// Next returns the index behind one in the box from first to last, both of them
// in it, in C order, and nil behind the last one. It changes index.
func Next(index, first, last []int) []int {
	for k := len(index) - 1; k >= 0; k-- {
		if index[k]++; index[k] <= last[k] {
			return index
		}
		index[k] = first[k]
	}
	return nil
}
