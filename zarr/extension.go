package zarr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// named is an extension point: a name with its configuration. It is always written as
// an object, because both Python readers demand that form.
type named struct {
	Name          string          `json:"name"`
	Configuration json.RawMessage `json:"configuration,omitempty"`
}

// extension reads an extension point: a bare name, or an object with name and
// configuration.
func extension(text json.RawMessage) (name string, configuration json.RawMessage, err error) {
	if bytes.HasPrefix(text, []byte(`"`)) {
		err := json.Unmarshal(text, &name)
		return name, nil, err
	}
	fields, err := members(text, "name", "configuration", "must_understand")
	if err != nil {
		return "", nil, err
	}
	if err := json.Unmarshal(fields["name"], &name); err != nil || name == "" {
		return "", nil, fmt.Errorf("%s: want a name, or an object with name and configuration", shown(text))
	}
	return name, fields["configuration"], nil
}

// members reads an object with no other fields than the known ones. Absent text is an
// empty object.
func members(text json.RawMessage, known ...string) (map[string]json.RawMessage, error) {
	if text == nil {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("%s: want a JSON object", shown(text))
	}
	for name := range fields {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown field %.60q", name)
		}
	}
	return fields, nil
}

// shown returns a field's text for a message.
func shown(text json.RawMessage) string {
	if text == nil {
		return "missing"
	}
	return fmt.Sprintf("%.60s", text)
}

// unknownExtension is the error about a part of Zarr v3 that this program does not know. The
// document is sound.
type unknownExtension string

func (e unknownExtension) Error() string { return string(e) }

// Is makes the error one of [errors.ErrUnsupported].
func (unknownExtension) Is(target error) bool { return target == errors.ErrUnsupported }
