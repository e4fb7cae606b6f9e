package compare

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// Order gives an element a number that sorts as the element does. ok is false for NaN
// and NaT, which have no place in the order. Both zeros have one number.
type Order func(item []byte) (number uint64, ok bool)

// Unordered is the result of [Order.Compare] if one of the elements has no place in the order.
const Unordered = 2

// Compare returns -1 if x comes before y, 1 if x comes after y, and 0 if both have the same
// place. It returns Unordered if one of them has no place.
func (o Order) Compare(x, y []byte) int {
	a, okA := o(x)
	b, okB := o(y)
	if !okA || !okB {
		return Unordered
	}
	return cmp.Compare(a, b)
}

// sign is the bit that makes a number with a sign negative.
const sign = 1 << 63

// OrderOf returns the order of a type's elements: of integers, floats of all widths, and
// times. It is nil if the elements have no order; for texts see [TextOrder].
func OrderOf(t dtype.Type) Order {
	if _, ok := t.(dtype.Temporal); ok {
		return func(p []byte) (uint64, bool) {
			x := binary.NativeEndian.Uint64(p)
			return x ^ sign, x != sign
		}
	}
	n, ok := t.(dtype.Numeric)
	if !ok || !slices.Contains([]int{1, 2, 4, 8}, t.Size()) {
		return nil
	}
	switch n.Kind() {
	case dtype.Uint:
		return func(p []byte) (uint64, bool) { return whole(p), true }
	case dtype.Int:
		return func(p []byte) (uint64, bool) { return uint64(signed(p)) ^ sign, true }
	case dtype.Float:
		if float := floatOf(n); float != nil {
			return func(p []byte) (uint64, bool) { return floatOrder(float(p)) }
		}
	}
	return nil
}

// whole and signed are the values of integers of 1, 2, 4 or 8 bytes.
func whole(p []byte) uint64 {
	switch len(p) {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(p))
	case 4:
		return uint64(binary.NativeEndian.Uint32(p))
	default:
		return binary.NativeEndian.Uint64(p)
	}
}

func signed(p []byte) int64 {
	unused := 64 - 8*len(p)
	return int64(whole(p)<<unused) >> unused
}

// floatOf returns a function that converts floats of a type to float64, which holds all of
// them exactly. It returns nil for formats that are not known here.
func floatOf(t dtype.Numeric) func(p []byte) float64 {
	if narrow, ok := t.(dtype.Narrow); ok {
		layout := narrow.Layout()
		return func(p []byte) float64 { return layout.Float64(uint16(whole(p))) }
	}
	switch t.Size() {
	case 4:
		return func(p []byte) float64 { return float64(math.Float32frombits(uint32(whole(p)))) }
	case 8:
		return func(p []byte) float64 { return math.Float64frombits(whole(p)) }
	default:
		return nil
	}
}

// NumberOf returns a function that converts elements of a type to float64, rounded if need
// be. It returns nil if the elements are not numbers.
func NumberOf(t dtype.Type) func(p []byte) float64 {
	n, ok := t.(dtype.Numeric)
	if !ok || OrderOf(t) == nil {
		return nil
	}
	switch n.Kind() {
	case dtype.Int:
		return func(p []byte) float64 { return float64(signed(p)) }
	case dtype.Uint:
		return func(p []byte) float64 { return float64(whole(p)) }
	default:
		return floatOf(n)
	}
}

// floatOrder returns a number that sorts as f does, false for NaN.
func floatOrder(f float64) (uint64, bool) {
	bits := math.Float64bits(f + 0) // -0 is 0
	if bits&sign != 0 {
		return ^bits, f == f
	}
	return bits | sign, f == f
}

// TextOrder returns a function that compares texts by their code points, or by their bytes,
// and returns -1, 0 or 1. It is nil if elements of the type are not texts.
func TextOrder(t dtype.Type) func(x, y []byte) int {
	switch {
	case t == dtype.StringType || t.Name() == "null_terminated_bytes":
		return bytes.Compare
	case t.Name() != "fixed_length_utf32":
		return nil
	}
	return func(x, y []byte) int {
		for i := 0; i+4 <= min(len(x), len(y)); i += 4 {
			if order := cmp.Compare(binary.NativeEndian.Uint32(x[i:]), binary.NativeEndian.Uint32(y[i:])); order != 0 {
				return order
			}
		}
		return 0
	}
}

// Trend finds out whether values rise or fall, from one value after the other. The zero
// value has seen no values. It is not safe for concurrent use.
type Trend struct {
	N    int // how many values were added
	Turn int // the index of the first value that makes the values neither rise nor fall; 0: they rise or fall

	notUp, notDown bool
}

// Add adds a value. order is the result of [Order.Compare] for the value before and this
// value. For the first value, it is the result for the value and itself.
func (t *Trend) Add(order int) {
	if t.N > 0 || order == Unordered {
		t.notUp, t.notDown = t.notUp || order != -1, t.notDown || order != 1
	}
	if t.Turn == 0 && t.notUp && t.notDown {
		t.Turn = t.N
	}
	t.N++
}

// Rising reports whether each value is greater than the one before, and none is NaN.
// It is true for a single value, and for none.
func (t *Trend) Rising() bool { return !t.notUp }

// Falling reports whether each value is less than the one before, like Rising.
func (t *Trend) Falling() bool { return !t.notDown }
