package dtype

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// ErrUnknown is the cause of an error about a name that no registered type has.
var ErrUnknown = errors.New("unknown data type")

// Family is an entry of a [Registry]: one type, or all types that share a
// name and differ in their configuration.
type Family struct {
	// Name is the Zarr v3 identifier. Summary describes the family in a line.
	Name    string
	Summary string
	// Aliases are other v3 names for the same family, accepted in reading.
	Aliases []string
	// Example is a type of the family, for listings. It has the name of the family, or
	// a name that ParseName reads, or, where WrittenAs is set, that name.
	Example Type
	// WrittenAs names another family. It is set for a family that is only read, and
	// whose types are written under a newer name. "" for all others.
	WrittenAs string
	// SizeVaries says that the types of the family differ in size, so that the size of
	// Example is one of many.
	SizeVaries bool
	// FillValue describes in a line how fill values are written in Zarr v3.
	FillValue string
	// Note tells what a user ought to know before choosing the type, or "".
	Note string
	// ParseV3 returns the type with the given v3 configuration, which is nil if the
	// metadata have none. The function is nil for a family that is parsed by
	// ParseNested or ParseName, or has no v3 name of its own.
	ParseV3 func(configuration json.RawMessage) (Type, error)
	// ParseNested is ParseV3 for types that are made of other types. r is the registry
	// in which the type was found; it has the other types.
	ParseNested func(r *Registry, configuration json.RawMessage) (Type, error)
	// ParseName returns the type with the given v3 name, for families whose names
	// contain a parameter, such as "r16". It returns false if the name belongs to
	// another family. Such types have no configuration.
	ParseName func(name string) (Type, bool, error)
	// ParseV2 returns the type with the given Zarr v2 type string, which has no byte
	// order mark. It returns false if the string belongs to another family. The
	// function is nil if the family has no v2 spelling, or if its types are [Object]s.
	ParseV2 func(code string) (Type, bool, error)
}

// parsesV3 reports whether the name of the family may occur in v3 metadata.
func (f Family) parsesV3() bool { return f.ParseV3 != nil || f.ParseNested != nil }

// Registry finds data types by their names. A program registers all families before the
// first lookup; lookups are then safe for concurrent use. The zero value is empty.
type Registry struct {
	families []Family
	byName   map[string]int
}

// Register adds a family. Its names must be new to the registry, and so must be
// the filter of an [Object].
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
	if err := f.checkExample(); err != nil {
		return err
	}
	if o, ok := f.Example.(Object); ok {
		if other, err := r.object(o.V2Filter()); err == nil {
			return fmt.Errorf("data type %s: the filter %q of Zarr v2 stands for %s already", f.Name, o.V2Filter(), other.Name())
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

// checkExample returns an error if [Registry.FamilyOf] would not find the family of the
// example.
func (f Family) checkExample() error {
	name := f.Example.Name()
	if name == cmp.Or(f.WrittenAs, f.Name) {
		return nil
	}
	if f.ParseName != nil {
		if t, ok, err := f.ParseName(name); ok && err == nil && Same(t, f.Example) {
			return nil
		}
	}
	return fmt.Errorf("data type %s: the example is called %s", f.Name, name)
}

// mustRegister is Register for the families of [Standard], where an error is a mistake
// in this package.
func (r *Registry) mustRegister(f Family) {
	if err := r.Register(f); err != nil {
		panic(err)
	}
}

// Families lists all families in the order of their registration. The slice is shared
// and must not be modified.
func (r *Registry) Families() []Family { return r.families }

// FamilyOf returns the family to which a type belongs, by the type's name.
func (r *Registry) FamilyOf(t Type) (Family, bool) {
	if i, ok := r.byName[t.Name()]; ok {
		return r.families[i], true
	}
	for _, f := range r.families {
		if f.ParseName == nil {
			continue
		}
		if _, ok, err := f.ParseName(t.Name()); ok && err == nil {
			return f, true
		}
	}
	return Family{}, false
}

// Notes returns what a user ought to know before choosing a type: the Note of its
// family and, for a [Record], the notes of the types of its fields.
func (r *Registry) Notes(t Type) []string {
	var notes []string
	if f, ok := r.FamilyOf(t); ok && f.Note != "" {
		notes = append(notes, fmt.Sprintf("data type %s: %s", f.Name, f.Note))
	}
	if record, ok := t.(Record); ok {
		for _, field := range record.Fields() {
			for _, note := range r.Notes(field.Type) {
				if !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
		}
	}
	return notes
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
	if i, ok := r.byName[name]; ok {
		switch f := r.families[i]; {
		case f.ParseV3 != nil:
			return f.ParseV3(configuration)
		case f.ParseNested != nil:
			return f.ParseNested(r, configuration)
		}
	}
	for _, f := range r.families {
		if f.ParseName == nil {
			continue
		}
		t, ok, err := f.ParseName(name)
		if !ok {
			continue
		}
		if err == nil {
			_, err = plain(t)(configuration)
		}
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	return nil, fmt.Errorf("%w %q%s", ErrUnknown, clip([]byte(name)), r.hint(name))
}

// nameOf returns the name and the configuration of a data_type field.
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
			value := string(m.value)
			switch {
			case m.name == "name":
				nameText = m.value
			case m.name == "configuration" && value == "null": // null counts as absent
			case m.name == "configuration":
				configuration = m.value
			case m.name != "must_understand":
				return "", nil, fmt.Errorf("%w; %q is neither", want, clip([]byte(m.name)))
			case value != "true" && value != "false":
				return "", nil, fmt.Errorf("must_understand %s: want true or false", clip(m.value))
			}
		}
	}
	runes, err := parseRunes(nameText)
	if err != nil {
		return "", nil, want
	}
	return string(runes), configuration, nil
}

// ParseV2 reads the dtype field of a Zarr v2 array and returns the type and its byte
// order: NoOrder for types that have none. The field is a NumPy type string such as
// "<f4" or "|V2", or a list of the fields of a record. The string "|O" stands for
// objects of any kind; the kind follows from objectFilter, which is the id of the
// array's first filter or "".
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
		case code == t.Name() && marked: // tensorstore's names have no byte order mark
			continue
		case code == t.Name() && hasOrder:
			return t, Little, nil
		case !hasOrder:
			return t, NoOrder, nil
		case order == NoOrder:
			return nil, NoOrder, fmt.Errorf("%w %q: want < (little-endian) or > (big-endian) in front", ErrUnknown, clip([]byte(name)))
		}
		return t, order, nil
	}
	return nil, NoOrder, fmt.Errorf("%w %q%s", ErrUnknown, clip([]byte(name)), v2Hint(name, code))
}

// object returns the type of objects that the given filter turns into bytes.
func (r *Registry) object(filter string) (Type, error) {
	for _, f := range r.families {
		if o, ok := f.Example.(Object); ok && filter != "" && o.V2Filter() == filter {
			return o, nil
		}
	}
	if filter == "" {
		return nil, fmt.Errorf("%w %q: objects without a filter that says what they are: want vlen-utf8 (string) or vlen-bytes (bytes)", ErrUnknown, "|O")
	}
	return nil, fmt.Errorf("%w %q: Zarr v3 has no type for objects of the filter %q: rewrite the array with vlen-utf8 (string) or vlen-bytes (bytes), such as with zarr-python 2", ErrUnknown, "|O", clip([]byte(filter)))
}
