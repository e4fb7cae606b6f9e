package ngff

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/zmigrate/zmigrate/zarr"
)

// Attribute is the name of the attribute that has the metadata of version 0.5.
const Attribute = "ome"

// object reads a JSON object, and reports whether the text is one.
func object(text json.RawMessage) (list zarr.Attributes, ok bool) {
	err := json.Unmarshal(text, &list)
	return list, err == nil && list != nil
}

// objects reads a list of JSON objects, and reports whether the text is such a list and is not
// empty.
func objects(text json.RawMessage) (list []zarr.Attributes, ok bool) {
	var parts []json.RawMessage
	if json.Unmarshal(text, &parts) != nil || len(parts) == 0 {
		return nil, false
	}
	for _, part := range parts {
		o, ok := object(part)
		if !ok {
			return nil, false
		}
		list = append(list, o)
	}
	return list, true
}

// texts reads a list of strings, and reports whether the text is such a list.
func texts(text json.RawMessage) (list []string, ok bool) {
	var parts []*string
	if text == nil || json.Unmarshal(text, &parts) != nil || parts == nil {
		return nil, false
	}
	for _, p := range parts {
		if p == nil {
			return nil, false
		}
		list = append(list, *p)
	}
	return list, true
}

// str returns the member of an object that is a string, and reports whether it is one.
func str(o zarr.Attributes, name string) (string, bool) {
	var s *string
	if text := o.Get(name); text == nil || json.Unmarshal(text, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// has reports whether an object has all of some members.
func has(o zarr.Attributes, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return o.Get(name) == nil })
}

// written returns the text of a value that came from JSON, without the escapes that HTML
// needs.
func written(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // all values are texts that json has read, or strings
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
