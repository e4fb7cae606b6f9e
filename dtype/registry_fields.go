package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
)

// parseRecord reads a list of fields, each [name, type] or [name, type, shape].
func (r *Registry) parseRecord(text json.RawMessage) (Type, Order, error) {
	var list [][]json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, NoOrder, fmt.Errorf("data type %s: want a list of fields, each [name, type] or [name, type, shape]", clip(text))
	}
	fields := make([]Field, len(list))
	order := NoOrder
	for i, parts := range list {
		f, err := r.parseRecordField(i, parts)
		if err != nil {
			return nil, NoOrder, fmt.Errorf("data type %s: field %d: %w", clip(text), i, err)
		}
		fields[i] = f
		switch {
		case f.Order == NoOrder:
		case order == NoOrder:
			order = f.Order
		case order != f.Order:
			order = Mixed
		}
		if _, inner := f.Type.(Record); inner {
			fields[i].Order = NoOrder
		}
	}
	t, err := Struct(fields...)
	if err != nil {
		return nil, NoOrder, err
	}
	return t, order, nil
}

// parseRecordField reads one field. A record that is a field has no order; its own
// fields do.
func (r *Registry) parseRecordField(i int, parts []json.RawMessage) (f Field, err error) {
	if len(parts) != 2 && len(parts) != 3 {
		return f, errors.New("want [name, type] or [name, type, shape]")
	}
	if f.Name, err = fieldName(parts[0]); err != nil {
		return f, err
	}
	if f.Name == "" {
		f.Name = "f" + strconv.Itoa(i) // NumPy's name for padding
	}
	if string(parts[1]) == `"|O"` {
		return f, fmt.Errorf("%q: fields have a fixed size, and objects have none: rewrite the array with text as \"<U…\" or bytes as \"|V…\"", clip([]byte(f.Name)))
	}
	if f.Type, f.Order, err = r.ParseV2(parts[1], ""); err != nil {
		return f, fmt.Errorf("%q: %w", clip([]byte(f.Name)), err)
	}
	if len(parts) == 2 {
		return f, nil
	}
	shape, err := parseShape(parts[2], f.Type.Size())
	if err == nil && len(shape) > 0 {
		f.Type = newSubarray(f.Type, shape)
	}
	return f, err
}

// parseShape reads the shape of a field: a number or a list of them.
func parseShape(text json.RawMessage, size int) ([]int, error) {
	var shape []int
	var n int
	if json.Unmarshal(text, &n) == nil {
		shape = []int{n}
	} else if err := json.Unmarshal(text, &shape); err != nil {
		return nil, fmt.Errorf("shape %s: want a list of extents", clip(text))
	}
	for _, extent := range shape {
		if extent < 1 || size < 1 || extent > MaxSize/size {
			return nil, fmt.Errorf("shape %s: want extents of at least 1, and at most %d bytes", clip(text), MaxSize)
		}
		size *= extent
	}
	return shape, nil
}

// recordParser returns the ParseNested of the families struct and structured. Their
// fields are objects with name and data_type, or pairs in the legacy structured.
func recordParser(family string, legacy bool) func(*Registry, json.RawMessage) (Type, error) {
	return func(r *Registry, configuration json.RawMessage) (Type, error) {
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
	if name == nil || dataType == nil {
		return f, errors.New("want a name and a data_type")
	}
	if f.Name, err = fieldName(name); err != nil {
		return f, err
	}
	if f.Type, err = r.ParseV3(dataType); err != nil {
		return f, fmt.Errorf("%q: %w", clip([]byte(f.Name)), err)
	}
	return f, nil
}

// fieldName reads the name of a field.
func fieldName(text json.RawMessage) (string, error) {
	runes, err := parseRunes(text)
	if err == nil && slices.ContainsFunc(runes, utf16.IsSurrogate) {
		err = errLoneSurrogate
	}
	if err != nil {
		return "", fmt.Errorf("name %s: %w", clip(text), err)
	}
	return string(runes), nil
}
