package dtype

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// readConfiguration returns the fields of the configuration of the data type called
// name. All of the given fields must be there, and no others. The configuration may be
// absent if there are no fields.
func readConfiguration(name string, text json.RawMessage, fields ...string) (map[string]json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if text != nil {
		list, err := members(text)
		if err != nil {
			return nil, fmt.Errorf("data type %s: configuration: %w", name, err)
		}
		for _, m := range list {
			if !slices.Contains(fields, m.name) {
				return nil, fmt.Errorf("data type %s: unknown configuration field %q", name, clip([]byte(m.name)))
			}
			values[m.name] = m.value
		}
	}
	for _, field := range fields {
		if values[field] == nil {
			return nil, fmt.Errorf("data type %s: the configuration needs %s", name, strings.Join(fields, " and "))
		}
	}
	return values, nil
}

// member is a name of a JSON object and its value.
type member struct {
	name  string
	value json.RawMessage
}

// members reads a JSON object in its order and refuses a name that occurs twice.
func members(text []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("want an object")
	}
	var list []member
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: key.(string)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		if seen[m.name] {
			return nil, fmt.Errorf("%q is there twice", clip([]byte(m.name)))
		}
		seen[m.name] = true
		list = append(list, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("want one object and nothing behind it")
	}
	return list, nil
}

// tooDeep reports whether JSON is nested deeper than any sensible data type, which
// bounds the recursion of the functions that read it.
func tooDeep(text []byte) bool {
	const most = 100
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > most {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// parseRunes reads a JSON string as code points. Unlike encoding/json it replaces
// nothing: a surrogate that is escaped alone is returned as it is, and bytes that are
// not UTF-8 are an error.
func parseRunes(text []byte) ([]rune, error) {
	if len(text) < 2 || text[0] != '"' || !json.Valid(text) {
		return nil, errors.New("want a string")
	}
	if !utf8.Valid(text) {
		return nil, errors.New("the string is not valid UTF-8")
	}
	runes := make([]rune, 0, len(text)-2)
	for rest := text[1 : len(text)-1]; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == '\\' {
			r, n = unescape(rest)
		}
		runes = append(runes, r)
		rest = rest[n:]
	}
	return runes, nil
}

// unescape reads the escape at the start of valid JSON text and returns the code point
// and the length of the escape. Two escapes of a pair of surrogates count as one
// escape.
func unescape(text []byte) (rune, int) {
	if i := strings.IndexByte(`bfnrt`, text[1]); i >= 0 {
		return rune("\b\f\n\r\t"[i]), 2
	}
	if text[1] != 'u' {
		return rune(text[1]), 2
	}
	first := hexRune(text)
	if utf16.IsSurrogate(first) && len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if r := utf16.DecodeRune(first, hexRune(text[6:])); r != utf8.RuneError {
			return r, 12
		}
	}
	return first, 6
}

func hexRune(text []byte) rune {
	v, _ := strconv.ParseUint(string(text[2:6]), 16, 32) // valid JSON: four digits
	return rune(v)
}

// appendRunes appends a JSON string that parseRunes reads back. Numbers beyond
// Unicode become U+FFFD.
func appendRunes(dst []byte, runes []rune) []byte {
	dst = append(dst, '"')
	for _, r := range runes {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r >= 0 && r < 0x20 || r == 0x7f || utf16.IsSurrogate(r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// quoted returns a string as JSON.
func quoted(s string) []byte { return appendRunes(nil, []rune(s)) }
