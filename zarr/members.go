package zarr

import (
	"bytes"
	"encoding/json"
	"errors"
)

// member is a member of a JSON object. Its value is a part of the text of the object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of a JSON object in their order, and takes no memory
// for their values. If the text is not JSON, the error is that of encoding/json.
func membersOf(object []byte) ([]member, error) {
	if !json.Valid(object) {
		var v any
		return nil, json.Unmarshal(object, &v)
	}
	rest := skipSpace(object)
	if rest[0] != '{' {
		return nil, errors.New("want a JSON object")
	}
	list := make([]member, 0, 8) // as many as the document of an array has
	for rest = skipSpace(rest[1:]); rest[0] != '}'; {
		end := stringEnd(rest)
		name, err := unquoted(rest[:end])
		if err != nil {
			return nil, err
		}
		rest = skipSpace(skipSpace(rest[end:])[1:]) // behind the colon
		end = valueEnd(rest)
		list = append(list, member{name, rest[:end:end]})
		if rest = skipSpace(rest[end:]); rest[0] == ',' {
			rest = skipSpace(rest[1:])
		}
	}
	return list, nil
}

func skipSpace(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// stringEnd returns the length of the string at the beginning of text, which is valid JSON.
func stringEnd(text []byte) int {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// valueEnd returns the length of the value at the beginning of text. text is the rest of a
// valid JSON object.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; ; {
		switch c := text[i]; c {
		case '"':
			i += stringEnd(text[i:])
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			if depth == 0 {
				return i // behind a number or a word
			}
			depth--
			i++
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			i++
			continue
		default:
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
}

// unquoted returns the text of a JSON string.
func unquoted(text []byte) (s string, err error) {
	for _, c := range text {
		if c == '\\' || c >= 0x80 {
			err := json.Unmarshal(text, &s)
			return s, err
		}
	}
	return string(text[1 : len(text)-1]), nil
}
