package ndarray

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// Heap holds the bytes of elements of variable size. The memory of an [Array]
// of such a type holds for each element where in the heap its bytes are and
// how many; all zero is an element without bytes. A heap only grows; an array
// that is written, and all views of it, have their heap to themselves.
type Heap struct{ Bytes []byte }

// reference is what the memory of an array holds of an element of variable
// size: its place in the heap and its length, 8 bytes each.
const reference = 16

// ItemSize returns the bytes that an element takes in the memory of an array,
// which for types of variable size is the same for all.
func ItemSize(t dtype.Type) int {
	if size := t.Size(); size > 0 {
		return size
	}
	return reference
}

func (h *Heap) get(ref []byte) []byte {
	at := binary.NativeEndian.Uint64(ref)
	return h.Bytes[at : at+binary.NativeEndian.Uint64(ref[8:])]
}

func (h *Heap) put(ref, element []byte) {
	binary.NativeEndian.PutUint64(ref, uint64(len(h.Bytes)))
	binary.NativeEndian.PutUint64(ref[8:], uint64(len(element)))
	h.Bytes = append(h.Bytes, element...)
}

// Items goes through the elements in C order. Each is a view of the array's
// memory, or of its heap, not to be modified.
func (a Array) Items() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if slices.Contains(a.Shape, 0) {
			return // however many there are along the others
		}
		size := ItemSize(a.Type)
		a.each(0, a.Offset, func(at int) bool {
			item := a.Data[at : at+size]
			if a.Heap != nil {
				item = a.Heap.get(item)
			}
			return yield(item)
		})
	}
}

// SetItems sets the elements in C order to what next returns, until that is an
// error. The bytes are copied.
func (a Array) SetItems(next func() ([]byte, error)) (err error) {
	size := ItemSize(a.Type)
	a.each(0, a.Offset, func(at int) bool {
		var item []byte
		if item, err = next(); err != nil {
			return false
		}
		if a.Heap != nil {
			a.Heap.put(a.Data[at:at+size], item)
		} else {
			copy(a.Data[at:at+size], item)
		}
		return true
	})
	return err
}

// each calls f with the offset of each element at and below dimension k, in C
// order, until f returns false.
func (a Array) each(k, at int, f func(at int) bool) bool {
	if k == len(a.Shape) {
		return f(at)
	}
	for range a.Shape[k] {
		if !a.each(k+1, at, f) {
			return false
		}
		at += a.Strides[k]
	}
	return true
}

// copyItems is Copy for elements of variable size, from dimension k on.
func copyItems(dst, src Array, k, d, s int) {
	if k == len(dst.Shape) {
		dst.Heap.put(dst.Data[d:d+reference], src.Heap.get(src.Data[s:s+reference]))
		return
	}
	for range dst.Shape[k] {
		copyItems(dst, src, k+1, d, s)
		d, s = d+dst.Strides[k], s+src.Strides[k]
	}
}

// fillItems is Fill for elements of variable size. They share the bytes.
func fillItems(a Array, value dtype.Scalar) {
	ref := make([]byte, reference)
	a.Heap.put(ref, value)
	a.each(0, a.Offset, func(at int) bool {
		copy(a.Data[at:], ref)
		return true
	})
}

// uniformItems is Uniform for elements of variable size.
func uniformItems(a Array, value dtype.Scalar) bool {
	for item := range a.Items() {
		if !bytes.Equal(item, value) {
			return false
		}
	}
	return true
}

// newHeap returns the heap that an array of type t needs, nil for none.
func newHeap(t dtype.Type) *Heap {
	if t.Size() > 0 {
		return nil
	}
	return &Heap{}
}

// sameShape reports whether both arrays have as many elements in each
// dimension, and of the same kind of memory.
func sameShape(a, b Array) bool {
	return slices.Equal(a.Shape, b.Shape) && ItemSize(a.Type) == ItemSize(b.Type) && (a.Heap == nil) == (b.Heap == nil)
}
