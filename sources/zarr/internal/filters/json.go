package filters

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// jsonDefinition is the filter "json2": a list of texts in JSON.
func jsonDefinition() codecs.Definition {
	return textDefinition(jsonName, "texts in JSON", func(text json.RawMessage) (binder, error) {
		var c struct {
			Encoding string `json:"encoding"` // the other fields say how Python writes JSON
		}
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, codecs.Fieldf("encoding", "want a string")
		}
		if name := strings.ToLower(c.Encoding); name != "" && name != "utf-8" && name != "utf8" && name != "ascii" {
			return nil, codecs.InField("encoding", unsuited(fmt.Sprintf("%.20q: want utf-8", c.Encoding)))
		}
		return ofObjects(parseJSON), nil
	})
}

func parseJSON(src []byte) (any, error) {
	tree, err := jsonTree(src, mostRanks)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		for _, name := range []string{"NaN", "Infinity"} {
			if at := int(syntax.Offset) - 1; at >= 0 && strings.HasPrefix(string(src[at:min(at+len(name), len(src))]), name) {
				return nil, fmt.Errorf("an element is %s, and not a text: exclude the array, or write it again with texts alone", name)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return tree, nil
}

// jsonTree decodes a value of JSON, and lists down to a depth.
func jsonTree(text json.RawMessage, depth int) (any, error) {
	switch {
	case len(text) > 0 && text[0] == '[' && depth > 0:
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, err
		}
		values := make([]any, len(list))
		for i, v := range list {
			var err error
			if values[i], err = jsonTree(v, depth-1); err != nil {
				return nil, err
			}
		}
		return values, nil
	case len(text) > 0 && text[0] == '"':
		value, err := dtype.StringType.ParseScalar(dtype.V3, text)
		return string(value), err
	case string(text) == "null":
		return none{}, nil
	}
	if n, err := strconv.Atoi(string(text)); err == nil {
		return n, nil
	}
	return other(fmt.Sprintf("%.40s", text)), nil
}
