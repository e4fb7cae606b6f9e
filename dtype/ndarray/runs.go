package ndarray

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// runs calls f with each contiguous piece of the array's memory, in the order of the
// memory, until f returns false. It reports whether f never returned false.
func runs(a Array, f func([]byte) bool) bool {
	if slices.Contains(a.Shape, 0) {
		return true
	}
	list := axes(a, a)
	length := ItemSize(a.Type)
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
	if a.Heap != nil {
		fillItems(a, value)
		return
	}
	runs(a, func(run []byte) bool {
		for n := copy(run, value); n < len(run); n *= 2 {
			copy(run[n:], run[:n])
		}
		return true
	})
}

// Uniform reports whether every element equals value bit for bit. No element equals
// nil, because nil is no value.
func Uniform(a Array, value dtype.Scalar) bool {
	if value == nil {
		return false
	}
	if a.Heap != nil {
		return uniformItems(a, value)
	}
	size := len(value)
	return runs(a, func(run []byte) bool {
		// A run is uniform when its first element is the value and the run equals
		// itself moved by one element.
		return bytes.Equal(run[:size], value) && bytes.Equal(run[size:], run[:len(run)-size])
	})
}

// ClearUnused sets the bits without a meaning, in elements of a [dtype.Packed] type or
// in the fields of records, to what they are in memory: copies of the sign, or 0. So
// equal elements have equal bytes. Arrays of other types stay as they are.
func ClearUnused(a Array) {
	if r, ok := a.Type.(dtype.Record); ok {
		for _, f := range r.Fields() {
			part := a
			part.Type, part.Offset = f.Type, a.Offset+f.Offset
			ClearUnused(part)
		}
		return
	}
	p, ok := a.Type.(dtype.Packed)
	if n, number := a.Type.(dtype.Numeric); !ok || number && n.Kind() == dtype.Bool {
		return
	}
	packing := p.Packing()
	width := 8 * a.Type.Size() / packing.Components
	if unused := width - packing.Bits; unused > 0 {
		runs(a, func(run []byte) bool {
			clearUnused(run, width/8, unused, packing.Signed)
			return true
		})
	}
}

func clearUnused(run []byte, word, unused int, signed bool) {
	switch {
	case word == 1 && signed:
		for i, v := range run {
			run[i] = byte(int8(v<<unused) >> unused)
		}
	case word == 1:
		for i, v := range run {
			run[i] = v << unused >> unused
		}
	default:
		for ; len(run) > 0; run = run[word:] {
			clearWord(run[:word], unused, signed)
		}
	}
}

func clearWord(word []byte, unused int, signed bool) {
	shift := 64 - 8*len(word) + unused
	var b [8]byte
	at := 0
	if dtype.Native == dtype.Big {
		at = 8 - len(word)
	}
	copy(b[at:], word)
	v := binary.NativeEndian.Uint64(b[:]) << shift
	if signed {
		v = uint64(int64(v) >> shift)
	} else {
		v >>= shift
	}
	binary.NativeEndian.PutUint64(b[:], v)
	copy(word, b[at:])
}

// Swap reverses the byte order of every element in place. t is the array's type.
func Swap(a Array, t dtype.Ordered) {
	runs(a, func(run []byte) bool {
		t.SwapInto(run, run)
		return true
	})
}
