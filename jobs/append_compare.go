package jobs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// unordered is what comparison says of values of which one is not a number.
const unordered = 2

// comparison returns a function that compares elements: -1, 0, 1 or unordered.
// It is nil for types that have no order here.
func comparison(t dtype.Type) func(a, b []byte) int {
	kind := dtype.Kind(0)
	if n, ok := t.(dtype.Numeric); ok {
		kind = n.Kind()
	}
	_, temporal := t.(dtype.Temporal)
	if temporal {
		kind = dtype.Int
	}
	if p, ok := t.(dtype.Packed); ok && p.Packing().Bits < 8*t.Size() || !slices.Contains([]int{1, 2, 4, 8}, t.Size()) {
		return nil
	}
	switch {
	case kind == dtype.Int:
		return func(a, b []byte) int {
			x, y := signed(a), signed(b)
			if temporal && min(x, y) == math.MinInt64 {
				return unordered
			}
			return cmp.Compare(x, y)
		}
	case kind == dtype.Uint:
		return func(a, b []byte) int { return cmp.Compare(unsigned(a), unsigned(b)) }
	case kind == dtype.Float && t.Size() >= 4:
		return func(a, b []byte) int {
			x, y := float(a), float(b)
			if math.IsNaN(x) || math.IsNaN(y) {
				return unordered
			}
			return cmp.Compare(x, y)
		}
	}
	return nil
}

// unsigned, signed and float are the values of elements with 1, 2, 4 or 8 bytes.
func unsigned(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	default:
		return binary.NativeEndian.Uint64(b)
	}
}

func signed(b []byte) int64 {
	unused := 64 - 8*len(b)
	return int64(unsigned(b)<<unused) >> unused
}

func float(b []byte) float64 {
	if len(b) == 4 {
		return float64(math.Float32frombits(uint32(unsigned(b))))
	}
	return math.Float64frombits(unsigned(b))
}

// textComparison returns a function that compares texts by their code points, or
// bytes: -1, 0 or 1. It is nil for types that are no text.
func textComparison(t dtype.Type) func(a, b []byte) int {
	switch {
	case t == dtype.StringType || t.Name() == "null_terminated_bytes":
		return bytes.Compare
	case t.Name() != "fixed_length_utf32":
		return nil
	}
	return func(a, b []byte) int {
		for i := 0; i+4 <= min(len(a), len(b)); i += 4 {
			if order := cmp.Compare(binary.NativeEndian.Uint32(a[i:]), binary.NativeEndian.Uint32(b[i:])); order != 0 {
				return order
			}
		}
		return 0
	}
}
