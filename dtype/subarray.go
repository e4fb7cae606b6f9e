package dtype

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// subarray is a field of a Zarr v2 record that holds several elements of one
// type. Zarr v3 has no such type.
type subarray struct {
	element Type
	shape   []int
	n       int
}

// orderedSubarray is a subarray of elements with a byte order.
type orderedSubarray struct{ *subarray }

// subarrayType is either of them.
type subarrayType interface {
	Type
	subarrayOf() *subarray
}

// newSubarray returns the type of several elements of one type. The shape is not empty,
// and the caller bounds its product.
func newSubarray(element Type, shape []int) Type {
	t := &subarray{element, shape, 1}
	for _, extent := range shape {
		t.n *= extent
	}
	if _, ok := element.(Ordered); ok {
		return &orderedSubarray{t}
	}
	return t
}

func (t *subarray) subarrayOf() *subarray { return t }

func (t *subarray) Name() string    { return "subarray" }
func (t *subarray) Size() int       { return t.element.Size() * t.n }
func (t *subarray) Default() Scalar { return bytes.Repeat(t.element.Default(), t.n) }

func (t *subarray) V3() (json.RawMessage, error) {
	return nil, fmt.Errorf("%w: Zarr v3 has none for a field of %v elements of %s: write it as raw_bytes with length_bytes %d, or as a field for each element",
		ErrUnknown, t.shape, t.element.Name(), t.Size())
}

// V2 implements [Type] with NumPy's spelling of a type and a shape, without the
// brackets: a record's list of fields has none around the two.
func (t *subarray) V2(order Order) (json.RawMessage, error) {
	inner, err := t.element.V2(order)
	if err != nil {
		return nil, err
	}
	shape, err := json.Marshal(t.shape)
	return fmt.Appendf(nil, `[%s,%s]`, inner, shape), err
}

// ParseScalar implements [Type]: a list of all elements in C order. No array has such a
// fill value, because the fill value of the record around the field is written as a
// whole.
func (t *subarray) ParseScalar(format Format, text json.RawMessage) (Scalar, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || len(list) != t.n {
		return nil, fmt.Errorf("%s: want a list of %d values of %s", clip(text), t.n, t.element.Name())
	}
	s := make(Scalar, 0, t.Size())
	for i, text := range list {
		value, err := t.element.ParseScalar(format, text)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		s = append(s, value...)
	}
	return s, nil
}

// FormatScalar implements [Type].
func (t *subarray) FormatScalar(format Format, value Scalar) json.RawMessage {
	text := []byte{'['}
	for i, size := 0, t.element.Size(); i < t.n; i++ {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, t.element.FormatScalar(format, value[i*size:(i+1)*size])...)
	}
	return append(text, ']')
}

func (t *orderedSubarray) words(at int, add func(swap)) {
	addRepeated(t.element.(Ordered), at, t.n, add)
}

// SwapInto implements [Ordered].
func (t *orderedSubarray) SwapInto(dst, src []byte) { t.element.(Ordered).SwapInto(dst, src) }
