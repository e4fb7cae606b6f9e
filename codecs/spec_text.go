package codecs

import (
	"encoding/json"
	"errors"
	"strings"
)

// ParseSpec reads a codec in the short form "name:field=value,field=value", such as
// "zstd:level=3" or "transpose:order=[1,0]", or a bare name. A value is JSON; any other
// text is a string, as in "bytes:endian=big".
func ParseSpec(text string) (Spec, error) {
	name, fields, _ := strings.Cut(text, ":")
	if strings.HasPrefix(fields, "//") { // the name is a URL
		before, after, more := strings.Cut(fields, ":")
		name += ":" + before
		if fields = ""; more {
			fields = after
		}
	}
	if name == "" {
		return Spec{}, errors.New("a codec needs a name, such as zstd:level=3")
	}
	configuration := map[string]json.RawMessage{}
	for fields != "" {
		key, rest, ok := strings.Cut(fields, "=")
		if !ok {
			return Spec{}, errors.New("want field=value after the colon, such as zstd:level=3")
		}
		value, next := cutValue(rest)
		configuration[key] = json.RawMessage(value)
		if !json.Valid(configuration[key]) {
			quoted, err := json.Marshal(value)
			if err != nil {
				return Spec{}, err
			}
			configuration[key] = quoted
		}
		fields = next
	}
	if len(configuration) == 0 {
		return Spec{Name: name}, nil
	}
	object, err := json.Marshal(configuration)
	return Spec{Name: name, Configuration: object}, err
}

// Specs is a codec chain of codecs in the short form of [ParseSpec]:
//
//	codecs.Specs("bytes", "zstd:level=5")
//
// A text without that form becomes a codec with the text as its name, which binding
// refuses.
func Specs(texts ...string) []Spec {
	chain := make([]Spec, len(texts))
	for i, text := range texts {
		spec, err := ParseSpec(text)
		if err != nil {
			spec = Spec{Name: text}
		}
		chain[i] = spec
	}
	return chain
}

// cutValue splits at the first comma outside of brackets: "[1,0],x=2".
func cutValue(text string) (value, rest string) {
	depth := 0
	for i, r := range text {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				return text[:i], text[i+1:]
			}
		}
	}
	return text, ""
}
