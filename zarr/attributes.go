package zarr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Attribute is one user attribute of a node.
type Attribute struct {
	Name  string
	Value json.RawMessage
}

// Attributes are the user attributes of a node, in the order in which the
// source states them. The zero value has none.
type Attributes []Attribute

// Get returns the value of an attribute, or nil if there is none.
func (a Attributes) Get(name string) json.RawMessage {
	for _, x := range a {
		if x.Name == name {
			return x.Value
		}
	}
	return nil
}

// With returns the attributes with one of them added or replaced. A nil value or JSON
// null removes the attribute. The receiver is not modified.
func (a Attributes) With(name string, value json.RawMessage) Attributes {
	remove := value == nil || string(bytes.TrimSpace(value)) == "null"
	i := slices.IndexFunc(a, func(x Attribute) bool { return x.Name == name })
	switch {
	case i < 0 && remove:
		return a
	case i < 0:
		return append(slices.Clip(a), Attribute{name, value})
	case remove:
		return append(append(make(Attributes, 0, len(a)-1), a[:i]...), a[i+1:]...)
	default:
		a = slices.Clone(a)
		a[i].Value = value
		return a
	}
}

// MarshalJSON writes a JSON object with the attributes in their order.
func (a Attributes) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := marshal(x.Name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		if !json.Valid(x.Value) {
			return nil, fmt.Errorf("attribute %q is not JSON", x.Name)
		}
		b.Write(x.Value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads a JSON object and keeps the order of its members. If a name
// occurs several times, the last member counts, as in most JSON readers.
func (a *Attributes) UnmarshalJSON(text []byte) error {
	list, err := parseAttributes(bytes.Clone(text), longValue)
	if err == nil {
		*a = list
	}
	return err
}

// longValue is a length in bytes. A value of at least this length is not copied and stays
// a part of the text that it is read from, because it is most of that text.
const longValue = 1 << 20

// parseAttributes is UnmarshalJSON for a text that does not change any more. Values of at
// least long bytes stay parts of the text; all others are copied.
func parseAttributes(text []byte, long int) (Attributes, error) {
	members, err := membersOf(text)
	if err != nil {
		return nil, fmt.Errorf("attributes: %w", err)
	}
	list := make(Attributes, 0, len(members))
	place := make(map[string]int, len(members))
	for _, m := range members {
		if len(m.value) < long {
			m.value = bytes.Clone(m.value)
		}
		if i, again := place[m.name]; again {
			list[i].Value = m.value
			continue
		}
		place[m.name] = len(list)
		list = append(list, Attribute{m.name, m.value})
	}
	return list, nil
}

// marshal is json.Marshal without the escapes that HTML needs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
