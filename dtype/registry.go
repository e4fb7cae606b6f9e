package dtype

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// ErrUnknown is the cause of an error about a name that no type answers to.
var ErrUnknown = errors.New("unknown data type")

// Family is an entry of a [Registry]: one type, or all types that share a
// name and differ in their configuration.
type Family struct {
	// Name is the Zarr v3 identifier; Summary says in a line what it is.
	Name    string
	Summary string
	// Aliases are other v3 names that mean the same on reading.
	Aliases []string
	// Example is a type of the family, for listings.
	Example Type
	// FillValue says in a line how fill values are written in Zarr v3.
	FillValue string
	// Note is what a user ought to know before choosing the type, or "".
	Note string
	// ParseV3 returns the type with this v3 configuration, nil where the
	// metadata has none. nil: the family has no v3 name of its own.
	ParseV3 func(configuration json.RawMessage) (Type, error)
	// ParseV2 returns the type with this Zarr v2 type string, without its
	// byte order mark, and false where the string means another family. nil:
	// the family has no v2 spelling, or it is an [Object].
	ParseV2 func(code string) (Type, bool, error)
}

// Registry finds data types by their names. Register everything before the
// first use; lookups are then safe for concurrent use. The zero value is
// empty.
type Registry struct {
	families []Family
	byName   map[string]int
}

// Register adds a family. Its names must be new to the registry.
func (r *Registry) Register(f Family) error {
	if f.Name == "" || f.Example == nil || !reflect.TypeOf(f.Example).Comparable() {
		return errors.New("a data type family needs a name and an example of a comparable Go type")
	}
	names := append([]string{f.Name}, f.Aliases...)
	for i, name := range names {
		if at, taken := r.byName[name]; taken && r.families[at].Name != name {
			return fmt.Errorf("data type %s is another name of %s, which is registered already", name, r.families[at].Name)
		} else if taken || slices.Contains(names[:i], name) {
			return fmt.Errorf("data type %s is registered already", name)
		}
	}
	if r.byName == nil {
		r.byName = map[string]int{}
	}
	for _, name := range names {
		r.byName[name] = len(r.families)
	}
	r.families = append(r.families, f)
	return nil
}

func (r *Registry) mustRegister(f Family) {
	if err := r.Register(f); err != nil {
		panic(err) // a name given twice in this file
	}
}

// Families lists all entries in the order of their registration. The slice is
// shared and not to be modified.
func (r *Registry) Families() []Family { return r.families }

// FamilyOf returns the family that a type belongs to, by its name.
func (r *Registry) FamilyOf(t Type) (Family, bool) {
	name := t.Name()
	if o, ok := t.(*opaque); ok && o.spelled == coreBits {
		name = "r*"
	}
	i, ok := r.byName[name]
	if !ok {
		return Family{}, false
	}
	return r.families[i], true
}

// ParseV3 reads the data_type field of a Zarr v3 array: a name, or an object
// with name and configuration.
func (r *Registry) ParseV3(text json.RawMessage) (Type, error) {
	if tooDeep(text) {
		return nil, fmt.Errorf("data type %s: nested too deeply", clip(text))
	}
	name, configuration, err := nameOf(bytes.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("data type %s: %w", clip(text), err)
	}
	if i, ok := r.byName[name]; ok && r.families[i].ParseV3 != nil {
		return r.families[i].ParseV3(configuration)
	}
	if digits, ok := strings.CutPrefix(name, "r"); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
		if _, err := readConfiguration(name, configuration); err != nil {
			return nil, err
		}
		return parseRawBits(digits)
	}
	return nil, fmt.Errorf("%w %q%s", ErrUnknown, clip([]byte(name)), r.hint(name))
}

// nameOf takes the name and the configuration out of a data_type field.
func nameOf(text []byte) (name string, configuration json.RawMessage, err error) {
	var want = errors.New("want a name, or an object with name and configuration")
	nameText := json.RawMessage(text)
	if len(text) > 0 && text[0] == '{' {
		list, err := members(text)
		if err != nil {
			return "", nil, err
		}
		nameText = nil
		for _, m := range list {
			switch m.name {
			case "name":
				nameText = m.value
			case "configuration":
				configuration = m.value
			case "must_understand":
			default:
				return "", nil, fmt.Errorf("%w; %q is neither", want, clip([]byte(m.name)))
			}
		}
	}
	runes, err := parseRunes(nameText)
	if err != nil {
		return "", nil, want
	}
	return string(runes), configuration, nil
}

// ParseV2 reads the dtype field of a Zarr v2 array and returns the type and its
// byte order: NoOrder for types that have none. The field is a NumPy type
// string such as "<f4" or "|V2", or a list of the fields of a record. The
// string "|O" stands for objects of any kind; objectFilter, the id of the
// array's first filter or "", says which.
func (r *Registry) ParseV2(text json.RawMessage, objectFilter string) (Type, Order, error) {
	if tooDeep(text) {
		return nil, NoOrder, fmt.Errorf("data type %s: nested too deeply", clip(text))
	}
	text = bytes.TrimSpace(text)
	if len(text) > 0 && text[0] == '[' {
		return r.parseRecord(text)
	}
	runes, err := parseRunes(text)
	if err != nil || len(runes) < 2 {
		return nil, NoOrder, fmt.Errorf("data type %s: want a NumPy type string such as \"<f4\", or a list of fields", clip(text))
	}
	name := string(runes)
	code, order := name, NoOrder
	switch name[0] {
	case '<':
		code, order = name[1:], Little
	case '>':
		code, order = name[1:], Big
	case '|':
		code = name[1:]
	}
	if code == "O" {
		t, err := r.object(objectFilter)
		return t, NoOrder, err
	}
	for _, f := range r.families {
		if f.ParseV2 == nil {
			continue
		}
		t, ok, err := f.ParseV2(code)
		if err != nil {
			return nil, NoOrder, err
		}
		if !ok {
			continue
		}
		_, hasOrder := t.(Ordered)
		marked := code != name
		switch {
		case code == t.Name() && marked: // tensorstore's names have no mark
			continue
		case code == t.Name() && hasOrder:
			return t, Little, nil
		case !hasOrder && (marked || code == t.Name()):
			return t, NoOrder, nil
		case order == NoOrder:
			return nil, NoOrder, fmt.Errorf("data type %q: want < (little-endian), > (big-endian) or, for single bytes, | in front", clip([]byte(name)))
		}
		return t, order, nil
	}
	return nil, NoOrder, fmt.Errorf("%w %q%s", ErrUnknown, clip([]byte(name)), v2Hint(code))
}

// object returns the type of objects that a filter turns into bytes.
func (r *Registry) object(filter string) (Type, error) {
	for _, f := range r.families {
		if o, ok := f.Example.(Object); ok && o.V2Filter() == filter {
			return o, nil
		}
	}
	if filter == "" {
		return nil, fmt.Errorf("%w %q: objects without a filter that says what they are: want vlen-utf8 (string) or vlen-bytes (bytes)", ErrUnknown, "|O")
	}
	return nil, fmt.Errorf("%w %q: Zarr v3 has no type for objects of the filter %q: rewrite the array with vlen-utf8 (string) or vlen-bytes (bytes)", ErrUnknown, "|O", clip([]byte(filter)))
}

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

// parseRecordField reads one field. The order of a record among the fields is
// that of its own fields.
func (r *Registry) parseRecordField(i int, parts []json.RawMessage) (f Field, err error) {
	if len(parts) != 2 && len(parts) != 3 {
		return f, errors.New("want [name, type] or [name, type, shape]")
	}
	name, err := parseRunes(parts[0])
	if err != nil {
		return f, fmt.Errorf("name %s: %w", clip(parts[0]), err)
	}
	if f.Name = string(name); f.Name == "" {
		f.Name = "f" + strconv.Itoa(i) // as NumPy calls padding
	}
	if f.Type, f.Order, err = r.ParseV2(parts[1], ""); err != nil {
		return f, err
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
		if extent < 1 || size < 1 || extent > maxSize/size {
			return nil, fmt.Errorf("shape %s: want extents of at least 1, and at most %d bytes", clip(text), maxSize)
		}
		size *= extent
	}
	return shape, nil
}
