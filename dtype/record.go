package dtype

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Field is a part of a [Record].
type Field struct {
	Name string
	Type Type
	// Order is the byte order that Zarr v2 declared for the field, in which
	// its bytes lie there: Little or Big, and NoOrder (taken as Little) where
	// nothing was declared or the field is a record itself, whose fields have
	// their own. It is no part of the data type.
	Order Order
	// Offset is the first byte of the field in an element; Struct sets it.
	Offset int
}

// Record is a Type of packed, named fields. It is also [Ordered] where one of
// its fields is.
type Record interface {
	Type
	// Fields are in the order of the bytes. The slice is shared and not to be
	// modified.
	Fields() []Field
}

// record is the struct of the registry of Zarr extensions.
type record struct {
	fields []Field
	byName map[string]int
	depth  int // records in each other, 1 without any
	size   int
	swaps  []swap
}

// swap is a place in an element with n words to swap, or with one element of a
// type from outside, word bytes long, that swaps its words itself.
type swap struct {
	offset, word, n int
	by              Ordered
}

// Struct returns the type of records with these fields, at least one, with
// names that differ and are not empty, and types of fixed size. Offsets are
// computed: fields follow each other without gaps. Records may be in each other
// to a depth of 24, beyond which their JSON would not be read back.
func Struct(fields ...Field) (Record, error) {
	r := &record{fields: slices.Clone(fields), byName: make(map[string]int, len(fields)), depth: 1}
	if len(fields) == 0 {
		return nil, errors.New("data type struct: no fields, want at least one")
	}
	for i, f := range fields {
		r.depth = max(r.depth, 1+depthOf(f.Type))
		_, again := r.byName[f.Name]
		switch {
		case f.Name == "":
			return nil, fmt.Errorf("data type struct: field %d has no name", i)
		case again:
			return nil, fmt.Errorf("data type struct: field %q is there twice", clip([]byte(f.Name)))
		case f.Type.Size() == 0:
			return nil, fmt.Errorf("data type struct: field %q is a %s, elements of which have no fixed size: choose fixed_length_utf32 or raw_bytes", clip([]byte(f.Name)), f.Type.Name())
		case f.Type.Size() > maxSize-r.size:
			return nil, fmt.Errorf("data type struct: more than %d bytes an element", maxSize)
		case r.depth > maxRecordDepth:
			return nil, fmt.Errorf("data type struct: more than %d records in each other", maxRecordDepth)
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

// maxRecordDepth keeps the JSON of records within what tooDeep lets pass.
const maxRecordDepth = 24

// depthOf is the number of records in each other, 0 for other types.
func depthOf(t Type) int {
	switch t := t.(type) {
	case interface{ recordDepth() int }:
		return t.recordDepth()
	case subarrayType:
		return depthOf(t.subarrayOf().element)
	case Record: // from outside
		deepest := 0
		for _, f := range t.Fields() {
			deepest = max(deepest, depthOf(f.Type))
		}
		return 1 + deepest
	}
	return 0
}

func (t *record) recordDepth() int { return t.depth }

// worded is a type that knows where in an element its words are.
type worded interface {
	// words calls add for the words of an element that starts at byte at.
	words(at int, add func(swap))
}

func addSwaps(t Type, at int, add func(swap)) {
	if w, ok := t.(worded); ok {
		w.words(at, add)
	} else if by, ok := t.(Ordered); ok {
		add(swap{at, t.Size(), 1, by})
	}
}

// add notes words to swap and joins rows of equal ones.
func (t *record) add(s swap) {
	if k := len(t.swaps) - 1; k >= 0 {
		last := &t.swaps[k]
		if last.by == nil && s.by == nil && last.word == s.word && last.offset+last.word*last.n == s.offset {
			last.n += s.n
			return
		}
	}
	t.swaps = append(t.swaps, s)
}

func (t *record) words(at int, add func(swap)) {
	for _, s := range t.swaps {
		s.offset += at
		add(s)
	}
}

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

// V2 implements [Type]: a list of fields. With NoOrder and Mixed each field has
// its declared order, else all have the given one.
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
		if _, ok := f.Type.(subarrayType); ok { // type and shape, without their brackets
			inner = inner[1 : len(inner)-1]
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, `[%s,%s]`, quoted(f.Name), inner)
	}
	return append(text, ']'), nil
}

// declared is the order of a field's own words in Zarr v2: NoOrder for records,
// whose fields have theirs.
func (f Field) declared() Order {
	t := f.Type
	for {
		a, ok := t.(subarrayType)
		if !ok {
			break
		}
		t = a.subarrayOf().element
	}
	if _, inner := t.(Record); inner || f.Order != NoOrder {
		return f.Order
	}
	return Little
}

// InOrder returns t with all of its words declared to be in the given order:
// what the base64 spelling of a record's fill value follows. Types other than
// records are returned as they are.
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
		return t // a record from outside that Struct would not make
	}
	return out
}

// ParseScalar implements [Type]: in Zarr v3 an object with a value for every
// field, in v2 the packed bytes in base64, each field in its declared order.
// Arrays of the legacy type structured have the latter in v3, too.
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
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", m.name, err)
		}
		copy(s[t.fields[i].Offset:], value)
		given[i] = true
	}
	if i := slices.Index(given, false); i >= 0 {
		return nil, fmt.Errorf("field %q has no value", t.fields[i].Name)
	}
	return s, nil
}

// FormatScalar implements [Type].
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

// reorder turns an element between the host's order and the declared orders.
func (t *record) reorder(s []byte) {
	if swapper := Swapper(t, Mixed); swapper != nil {
		swapper.SwapInto(s, s)
	}
}

// Swapper returns what turns elements of type t that are stored in the given
// order into the host's order and back, and nil where they are the same. Mixed
// stands for the orders that the fields of a record declare.
func Swapper(t Type, order Order) Ordered {
	if order != Mixed {
		if o, ok := t.(Ordered); ok && order != Native {
			return o
		}
		return nil
	}
	swapper := &orderedRecord{record{size: t.Size()}}
	addForeign(t, Mixed, 0, swapper.add)
	if len(swapper.swaps) == 0 {
		return nil
	}
	return swapper
}

// addForeign adds the words of an element at byte at that are not in the
// host's order.
func addForeign(t Type, order Order, at int, add func(swap)) {
	if r, ok := t.(Record); ok && order != Little && order != Big {
		for _, f := range r.Fields() {
			addForeign(f.Type, f.declared(), at+f.Offset, add)
		}
		return
	}
	if a, ok := t.(subarrayType); ok {
		element := a.subarrayOf().element
		for i := range a.subarrayOf().n {
			addForeign(element, order, at+i*element.Size(), add)
		}
		return
	}
	if order != Native {
		addSwaps(t, at, add)
	}
}

// orderedRecord is a record with words of several bytes.
type orderedRecord struct{ record }

// SwapInto implements [Ordered].
func (t *orderedRecord) SwapInto(dst, src []byte) {
	if s := t.swaps[0]; s.by == nil && s.word*s.n == t.size {
		SwapWords(s.word, dst, src) // all words are of one length
		return
	}
	dst = dst[:len(src)]
	copy(dst, src)
	for _, s := range t.swaps {
		for at := s.offset; at < len(dst); at += t.size {
			if words := dst[at : at+s.word*s.n]; s.by != nil {
				s.by.SwapInto(words, words)
			} else {
				SwapWords(s.word, words, words)
			}
		}
	}
}

// readFields reads the configuration of struct or structured: objects with
// name and data_type, or for the latter pairs.
func (r *Registry) readFields(family string, legacy bool) func(json.RawMessage) (Type, error) {
	return func(configuration json.RawMessage) (Type, error) {
		values, err := readConfiguration(family, configuration, "fields")
		if err != nil {
			return nil, err
		}
		var list []json.RawMessage
		if err := json.Unmarshal(values["fields"], &list); err != nil {
			return nil, fmt.Errorf("data type %s: fields: want a list", family)
		}
		fields := make([]Field, len(list))
		for i, text := range list {
			if fields[i], err = r.readField(text, legacy); err != nil {
				return nil, fmt.Errorf("data type %s: field %d: %w", family, i, err)
			}
		}
		t, err := Struct(fields...)
		if err != nil {
			return nil, err
		}
		return t, nil
	}
}

func (r *Registry) readField(text json.RawMessage, legacy bool) (f Field, err error) {
	var name, dataType json.RawMessage
	var pair []json.RawMessage
	if legacy && json.Unmarshal(text, &pair) == nil && len(pair) == 2 {
		name, dataType = pair[0], pair[1]
	} else {
		list, err := members(text)
		if err != nil {
			return f, fmt.Errorf("%w with name and data_type", err)
		}
		for _, m := range list {
			switch m.name {
			case "name":
				name = m.value
			case "data_type":
				dataType = m.value
			default:
				return f, fmt.Errorf("unknown field %q, want name and data_type", clip([]byte(m.name)))
			}
		}
	}
	runes, err := parseRunes(name)
	if err != nil || dataType == nil {
		return f, errors.New("want a name and a data_type")
	}
	f.Name = string(runes)
	if f.Type, err = r.ParseV3(dataType); err != nil {
		return f, fmt.Errorf("%q: %w", clip([]byte(f.Name)), err)
	}
	return f, nil
}
