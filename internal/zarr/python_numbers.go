package zarr

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// FromPython returns a document in which the numbers that JSON does not have
// but Python writes, NaN, Infinity and -Infinity, have become strings, which is
// how Zarr spells them in fill values. ok is false where there is none; the
// result is then the text itself.
func FromPython(text []byte) (document []byte, ok bool) { return quoteNumbers(text, "") }

// numberMark begins the strings that stand for such numbers while a document is
// changed, so that they are told from strings of its own.
const numberMark = `\u0000`

// marked is FromPython for a document that stays one of Python, which [unmarked]
// makes of it.
func marked(text []byte) (document []byte, ok bool) { return quoteNumbers(text, numberMark) }

// unmarked puts the numbers back into what was made of marked documents; python
// says whether one of these had some.
func unmarked(text []byte, python bool) []byte {
	if !python {
		return text
	}
	for _, word := range pythonNumbers() {
		text = bytes.ReplaceAll(text, []byte(`"`+numberMark+word+`"`), []byte(word))
	}
	return text
}

// Marked is [FromPython] for a document of which [Plain] makes the same later, and of
// whose parts [MarkedFields] tells which had such numbers.
func Marked(text []byte) []byte {
	text, _ = marked(text)
	return text
}

// Plain returns a marked document, or a part of one, as FromPython would.
func Plain(text []byte) []byte {
	if bytes.Contains(text, []byte(`"`+numberMark)) {
		for _, word := range pythonNumbers() {
			text = bytes.ReplaceAll(text, []byte(`"`+numberMark+word+`"`), []byte(`"`+word+`"`))
		}
	}
	return text
}

// MarkedFields lists the fields of an object of a marked document that have numbers
// of Python, in the order of their names.
func MarkedFields(object []byte) (names []string) {
	var fields map[string]json.RawMessage
	if !bytes.Contains(object, []byte(`"`+numberMark)) || json.Unmarshal(object, &fields) != nil {
		return nil
	}
	for name, value := range fields {
		if !bytes.Equal(value, Plain(value)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func pythonNumbers() []string { return []string{"NaN", "Infinity", "-Infinity"} }

// quoteNumbers is FromPython with strings that begin with a prefix.
func quoteNumbers(text []byte, prefix string) (document []byte, ok bool) {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text, false
	}
	var out []byte
	quoted := false // within a string
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case quoted && c == '\\' && i+1 < len(text):
			out = append(out, c, text[i+1])
			i += 2
			continue
		case c == '"':
			quoted = !quoted
		case !quoted:
			if word := pythonNumber(text[i:]); word != "" {
				out = append(append(append(append(out, '"'), prefix...), word...), '"')
				i += len(word)
				ok = true
				continue
			}
		}
		out = append(out, text[i])
		i++
	}
	return out, ok
}

// pythonNumber returns the word that a text begins with.
func pythonNumber(text []byte) string {
	for _, word := range pythonNumbers() {
		if bytes.HasPrefix(text, []byte(word)) {
			return word
		}
	}
	return ""
}

// pythonFill returns the fill value of a number as Zarr spells what zarr-python
// takes for the same one: integers as floats, and the words of Python's floats. What
// is none of these stays as it is.
func pythonFill(text json.RawMessage) json.RawMessage {
	var word string
	if json.Unmarshal(text, &word) != nil {
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return text
		}
		return strconv.AppendInt(nil, int64(f), 10)
	}
	word = strings.ToLower(strings.TrimSpace(word))
	sign := ""
	if rest := strings.TrimLeft(word, "+-"); len(word)-len(rest) == 1 {
		sign, word = strings.TrimPrefix(word[:1], "+"), rest
	}
	switch word {
	case "nan":
		return json.RawMessage(`"NaN"`)
	case "inf", "infinity":
		return json.RawMessage(`"` + sign + `Infinity"`)
	default:
		return text
	}
}
