package ndarray

import (
	"bytes"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// runs calls f with each piece of the array's memory that has no gaps, in the
// order of the memory, until f returns false; it reports whether f never did.
func runs(a Array, f func([]byte) bool) bool {
	if slices.Contains(a.Shape, 0) {
		return true
	}
	list := axes(a, a)
	length := a.Type.Size()
	if n := len(list); n > 0 && list[n-1].dst == length {
		length *= list[n-1].n
		list = list[:n-1]
	}
	return walkRuns(a.Data, list, a.Offset, length, f)
}

func walkRuns(data []byte, list []axis, at, length int, f func([]byte) bool) bool {
	if len(list) == 0 {
		return f(data[at : at+length])
	}
	for range list[0].n {
		if !walkRuns(data, list[1:], at, length, f) {
			return false
		}
		at += list[0].dst
	}
	return true
}

// Fill sets every element to value, a scalar of the array's type.
func Fill(a Array, value dtype.Scalar) {
	runs(a, func(run []byte) bool {
		for n := copy(run, value); n < len(run); n *= 2 {
			copy(run[n:], run[:n])
		}
		return true
	})
}

// Uniform reports whether every element equals value bit for bit.
func Uniform(a Array, value dtype.Scalar) bool {
	size := len(value)
	return runs(a, func(run []byte) bool {
		// A run is uniform when its first element is the value and it equals
		// itself moved by one element.
		return bytes.Equal(run[:size], value) && bytes.Equal(run[size:], run[:len(run)-size])
	})
}

// Swap reverses the byte order of every element in place; t is the array's
// type.
func Swap(a Array, t dtype.Ordered) {
	runs(a, func(run []byte) bool {
		t.SwapInto(run, run)
		return true
	})
}
