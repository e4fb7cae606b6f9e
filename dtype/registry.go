package dtype

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	// ParseV3 returns the type with this v3 configuration, nil where the
	// metadata has none.
	ParseV3 func(configuration json.RawMessage) (Type, error)
	// ParseV2 returns the type with this Zarr v2 type string, without its
	// byte order mark, and false where the string means another family. nil:
	// the family has no v2 spelling.
	ParseV2 func(code string) (Type, bool, error)
}

// Registry finds data types by their names. Register everything before the
// first use; lookups are then safe for concurrent use. The zero value is
// empty.
type Registry struct {
	families []Family
	byName   map[string]int
}

// Standard returns a new registry with the core data types of Zarr v3 and
// raw_bytes.
func Standard() *Registry {
	r := &Registry{}
	for _, t := range basics() {
		f := familyOf(t)
		switch t {
		case Complex64:
			f.Aliases = []string{"complex_float32"}
		case Complex128:
			f.Aliases = []string{"complex_float64"}
		}
		r.mustRegister(f)
	}
	r.mustRegister(Family{
		Name: "r*", Summary: "opaque bits, a multiple of 8: r8, r16, …", Example: RawBits(2),
	})
	r.mustRegister(Family{
		Name: "raw_bytes", Summary: "opaque bytes of a fixed length", Example: RawBytes(2),
		ParseV3: parseRawBytes,
		ParseV2: func(code string) (Type, bool, error) {
			digits, ok := strings.CutPrefix(code, "V")
			if !ok {
				return nil, false, nil
			}
			n, err := strconv.Atoi(digits)
			if err != nil || n < 1 || n > maxBits/8 {
				return nil, true, fmt.Errorf("data type V%s: want a length from 1 to %d", clip([]byte(digits)), maxBits/8)
			}
			return RawBytes(n), true, nil
		},
	})
	return r
}

func familyOf(t Type) Family {
	code := ""
	switch t := t.(type) {
	case *basic:
		code = t.v2
	case *ordered:
		code = t.v2
	}
	return Family{
		Name: t.Name(), Summary: summary(t), Example: t,
		ParseV3: func(configuration json.RawMessage) (Type, error) {
			var fields map[string]json.RawMessage
			if configuration != nil {
				if err := json.Unmarshal(configuration, &fields); err != nil || len(fields) > 0 {
					return nil, fmt.Errorf("data type %s takes no configuration", t.Name())
				}
			}
			return t, nil
		},
		ParseV2: func(given string) (Type, bool, error) { return t, given == code, nil },
	}
}

func summary(t Type) string {
	bits := t.Size() * 8
	switch t.(Numeric).Kind() {
	case Bool:
		return "true or false, one byte"
	case Int:
		return fmt.Sprintf("signed integer of %d bits", bits)
	case Uint:
		return fmt.Sprintf("unsigned integer of %d bits", bits)
	case Float:
		return fmt.Sprintf("IEEE 754 float of %d bits", bits)
	default:
		return fmt.Sprintf("complex number, two floats of %d bits", bits/2)
	}
}

// Register adds a family. Its names must be new to the registry.
func (r *Registry) Register(f Family) error {
	if f.Name == "" || f.Example == nil {
		return errors.New("a data type family needs a name and an example")
	}
	names := append([]string{f.Name}, f.Aliases...)
	for i, name := range names {
		if _, taken := r.byName[name]; taken || slices.Contains(names[:i], name) {
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

// ParseV3 reads the data_type field of a Zarr v3 array: a name, or an object
// with name and configuration.
func (r *Registry) ParseV3(text json.RawMessage) (Type, error) {
	var name string
	var configuration json.RawMessage
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '"' || json.Unmarshal(text, &name) != nil {
		var object struct {
			Name          *string         `json:"name"`
			Configuration json.RawMessage `json:"configuration"`
			Must          *bool           `json:"must_understand"`
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&object); err != nil || object.Name == nil || d.More() {
			return nil, fmt.Errorf("data type %s: want a name, or an object with name and configuration", clip(text))
		}
		name, configuration = *object.Name, object.Configuration
	}
	if i, ok := r.byName[name]; ok && r.families[i].ParseV3 != nil {
		return r.families[i].ParseV3(configuration)
	}
	if digits, ok := strings.CutPrefix(name, "r"); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
		return parseRawBits(digits)
	}
	return nil, fmt.Errorf("%w %q%s", ErrUnknown, clip([]byte(name)), r.hint(name))
}

// ParseV2 reads the dtype field of a Zarr v2 array, a NumPy type string such
// as "<f4" or "|V2", and returns the type and its byte order: NoOrder for
// types that have none.
func (r *Registry) ParseV2(text json.RawMessage) (Type, Order, error) {
	var name string
	if err := json.Unmarshal(text, &name); err != nil || len(name) < 2 {
		return nil, NoOrder, fmt.Errorf("data type %s: want a NumPy type string such as \"<f4\"", clip(text))
	}
	order := NoOrder
	switch name[0] {
	case '<':
		order = Little
	case '>':
		order = Big
	case '|':
	default:
		return nil, NoOrder, fmt.Errorf("data type %q: want <, > or | in front", clip([]byte(name)))
	}
	for _, f := range r.families {
		if f.ParseV2 == nil {
			continue
		}
		t, ok, err := f.ParseV2(name[1:])
		if err != nil {
			return nil, NoOrder, err
		}
		if !ok {
			continue
		}
		if _, hasOrder := t.(Ordered); !hasOrder {
			return t, NoOrder, nil
		}
		if order == NoOrder {
			return nil, NoOrder, fmt.Errorf("data type %q: needs a byte order, < or >", name)
		}
		return t, order, nil
	}
	return nil, NoOrder, fmt.Errorf("%w %q", ErrUnknown, clip([]byte(name)))
}

// hint proposes the registered name that is most like the given one.
func (r *Registry) hint(name string) string {
	best, least := "", 4
	for known, i := range r.byName {
		if r.families[i].ParseV3 == nil {
			continue
		}
		if d := distance(strings.ToLower(name), known); d < least || d == least && known < best {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance is the number of single-letter edits between two short names.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
