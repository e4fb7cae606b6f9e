package dtype

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Field is a field of a [Record].
type Field struct {
	Name string
	Type Type
	// Order is the byte order that Zarr v2 declares for the field: Little or Big. It is
	// NoOrder where nothing is declared, which means Little, and where the field is a
	// record itself, whose fields have orders of their own. The order is no part of the
	// data type.
	Order Order
	// Offset is the first byte of the field in an element; Struct sets it.
	Offset int
}

// Record is a Type of packed, named fields. It is also [Ordered] if one of its fields
// is.
type Record interface {
	Type
	// Fields returns the fields in the order of their bytes. The slice is shared and
	// must not be modified.
	Fields() []Field
}

// record is the struct of the registry of Zarr extensions.
type record struct {
	fields []Field
	byName map[string]int
	depth  int // levels of records within records; 1 if no field is a record
	size   int
	swaps  []swap
}

// Struct returns the type of records with the given fields. There is at least one
// field; the names are different, not empty and in UTF-8; the types have a fixed size.
// Struct computes the offsets: fields follow each other without gaps. Records may be
// nested to a depth of 24. The JSON of a deeper type would not be read back.
func Struct(fields ...Field) (Record, error) {
	r := &record{fields: slices.Clone(fields), byName: make(map[string]int, len(fields)), depth: 1}
	if len(fields) == 0 {
		return nil, errors.New("data type struct: no fields, want at least one")
	}
	for i, f := range fields {
		_, again := r.byName[f.Name]
		switch {
		case f.Name == "" || !utf8.ValidString(f.Name):
			return nil, fmt.Errorf("data type struct: field %d has no name in UTF-8", i)
		case again:
			return nil, fmt.Errorf("data type struct: field %q is there twice", clip([]byte(f.Name)))
		case f.Type == nil:
			return nil, fmt.Errorf("data type struct: field %q has no type", clip([]byte(f.Name)))
		case f.Type.Size() < 1:
			return nil, fmt.Errorf("data type struct: field %q is a %s, elements of which have no fixed size: choose fixed_length_utf32 or raw_bytes", clip([]byte(f.Name)), f.Type.Name())
		case f.Type.Size() > MaxSize-r.size:
			return nil, fmt.Errorf("data type struct: more than %d bytes an element", MaxSize)
		}
		if r.depth = max(r.depth, 1+depthOf(f.Type)); r.depth > maxRecordDepth {
			return nil, fmt.Errorf("data type struct: records nested more than %d deep", maxRecordDepth)
		}
		r.byName[f.Name] = i
		r.fields[i].Offset = r.size
		addSwaps(f.Type, r.size, r.add)
		r.size += f.Type.Size()
	}
	if len(r.swaps) > 0 {
		return &orderedRecord{*r}, nil
	}
	return r, nil
}

// maxRecordDepth keeps the JSON of nested records within the limit of tooDeep.
const maxRecordDepth = 24

// depthOf returns the levels of records within t, 0 for types that are no records.
func depthOf(t Type) int {
	switch t := t.(type) {
	case interface{ recordDepth() int }:
		return t.recordDepth()
	case subarrayType:
		return depthOf(t.subarrayOf().element)
	case Record: // a record type from outside this package
		deepest := 0
		for _, f := range t.Fields() {
			deepest = max(deepest, depthOf(f.Type))
		}
		return 1 + deepest
	}
	return 0
}

func (t *record) recordDepth() int { return t.depth }

func (t *record) Name() string    { return "struct" }
func (t *record) Size() int       { return t.size }
func (t *record) Fields() []Field { return t.fields }

func (t *record) Default() Scalar {
	s := make(Scalar, 0, t.size)
	for _, f := range t.fields {
		s = append(s, f.Type.Default()...)
	}
	return s
}

func (t *record) V3() (json.RawMessage, error) {
	text := []byte(`{"name":"struct","configuration":{"fields":[`)
	for i, f := range t.fields {
		inner, err := f.Type.V3()
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, `{"name":%s,"data_type":%s}`, quoted(f.Name), inner)
	}
	return append(text, `]}}`...), nil
}

// V2 implements [Type]: a list of fields. With NoOrder and Mixed, each field has its
// declared order; otherwise all fields have the given order. Fill values follow the
// declared orders: see [InOrder].
func (t *record) V2(order Order) (json.RawMessage, error) {
	text := []byte{'['}
	for i, f := range t.fields {
		own := order
		if order != Little && order != Big {
			own = f.declared()
		}
		inner, err := f.Type.V2(own)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		if _, ok := f.Type.(subarrayType); ok { // the field's list has type and shape side by side
			inner = inner[1 : len(inner)-1]
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, `[%s,%s]`, quoted(f.Name), inner)
	}
	return append(text, ']'), nil
}

// declared returns the order of a field's own words in Zarr v2. It is NoOrder for a
// record, whose fields have orders of their own.
func (f Field) declared() Order {
	t := f.Type
	for {
		a, ok := t.(subarrayType)
		if !ok {
			break
		}
		t = a.subarrayOf().element
	}
	if _, inner := t.(Record); inner || f.Order == Big {
		return f.Order
	}
	return Little
}

// InOrder returns t with the given order, Little or Big, declared for all of its words.
// Types other than records are returned unchanged.
//
// The base64 spelling of a record's fill value follows the declared orders. A record
// that was read from Zarr v3 metadata declares no orders, which means Little. So a
// caller needs InOrder in two cases: before it writes a type from Zarr v3, and the fill
// value, to the metadata of a big-endian Zarr v2 array; and before it reads the base64
// fill value of a big-endian Zarr v3 array.
func InOrder(t Type, order Order) Type {
	if a, ok := t.(subarrayType); ok {
		return newSubarray(InOrder(a.subarrayOf().element, order), a.subarrayOf().shape)
	}
	r, ok := t.(Record)
	if !ok {
		return t
	}
	fields := slices.Clone(r.Fields())
	for i := range fields {
		fields[i].Type = InOrder(fields[i].Type, order)
		fields[i].Order = order
	}
	out, err := Struct(fields...)
	if err != nil {
		return t // a record type from outside that Struct would refuse
	}
	return out
}

// ParseScalar implements [Type]. In Zarr v3 a scalar is an object with a value for
// every field. In v2 it is the packed bytes in base64, each field in its declared
// order; arrays of the legacy type structured have this spelling in v3, too.
func (t *record) ParseScalar(format Format, text json.RawMessage) (Scalar, error) {
	text = bytes.TrimSpace(text)
	s, err := t.parse(format, text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a struct value: %w", clip(text), err)
	}
	return s, nil
}

func (t *record) parse(format Format, text []byte) (Scalar, error) {
	if len(text) > 0 && text[0] == '"' {
		s, err := parseBytes(text)
		if err == nil && len(s) != t.size {
			err = fmt.Errorf("%d bytes, want %d", len(s), t.size)
		}
		if err == nil {
			t.reorder(s)
		}
		return s, err
	}
	if isZero(format, text) {
		return make(Scalar, t.size), nil
	}
	if format == V2 {
		return nil, errors.New("want the packed bytes in base64")
	}
	list, err := members(text)
	if err != nil {
		return nil, fmt.Errorf("%w with a value for every field", err)
	}
	s := make(Scalar, t.size)
	given := make([]bool, len(t.fields))
	for _, m := range list {
		i, ok := t.byName[m.name]
		if !ok {
			return nil, fmt.Errorf("there is no field %q", clip([]byte(m.name)))
		}
		value, err := t.fields[i].Type.ParseScalar(format, m.value)
		if err == nil && len(value) != t.fields[i].Type.Size() {
			err = fmt.Errorf("data type %s gave %d bytes, want its size %d", t.fields[i].Type.Name(), len(value), t.fields[i].Type.Size())
		}
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", clip([]byte(m.name)), err)
		}
		copy(s[t.fields[i].Offset:], value)
		given[i] = true
	}
	if i := slices.Index(given, false); i >= 0 {
		return nil, fmt.Errorf("field %q has no value", t.fields[i].Name)
	}
	return s, nil
}

// FormatScalar implements [Type]. In Zarr v2 it writes the packed bytes in base64, each
// field in its declared order. See [InOrder] for types that come from Zarr v3.
func (t *record) FormatScalar(format Format, value Scalar) json.RawMessage {
	if format == V2 {
		s := slices.Clone(value)
		t.reorder(s)
		return formatBase64(s)
	}
	text := []byte{'{'}
	for i, f := range t.fields {
		if i > 0 {
			text = append(text, ',')
		}
		inner := f.Type.FormatScalar(format, value[f.Offset:f.Offset+f.Type.Size()])
		text = fmt.Appendf(text, `%s:%s`, quoted(f.Name), inner)
	}
	return append(text, '}')
}
