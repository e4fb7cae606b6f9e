package zarr

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// FromPython replaces numbers that Python writes and JSON lacks: NaN, Infinity and
// -Infinity become strings, as Zarr spells them in fill values. If the text has no such
// number, ok is false and the result is the text itself.
func FromPython(text []byte) (document []byte, ok bool) { return quoteNumbers(text, "") }

// numberMark begins each string that stands for a number of Python while a document is
// changed. It distinguishes them from the document's own strings, such as "NaN".
const numberMark = `\u0000`

// marked is FromPython for a document that [unmarked] turns back into a document of
// Python.
func marked(text []byte) (document []byte, ok bool) { return quoteNumbers(text, numberMark) }

// unmarked puts the numbers back into a text that was made of marked documents. python
// says whether one of these documents had such numbers.
func unmarked(text []byte, python bool) []byte {
	if !python {
		return text
	}
	for _, word := range pythonNumbers() {
		text = bytes.ReplaceAll(text, []byte(`"`+numberMark+word+`"`), []byte(word))
	}
	return text
}

// Marked is [FromPython] with marks. From the marks, [MarkedFields] tells which fields of
// the document had numbers of Python. [Plain] removes the marks.
func Marked(text []byte) []byte {
	text, _ = marked(text)
	return text
}

// Plain returns a marked document, or a part of one, as FromPython would return it.
func Plain(text []byte) []byte {
	if bytes.Contains(text, []byte(`"`+numberMark)) {
		for _, word := range pythonNumbers() {
			text = bytes.ReplaceAll(text, []byte(`"`+numberMark+word+`"`), []byte(`"`+word+`"`))
		}
	}
	return text
}

// MarkedFields lists the fields, of an object in a marked document, that contain
// numbers of Python. The fields are in the order of their names.
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

// quoteNumbers is FromPython with the given prefix for the strings.
func quoteNumbers(text []byte, prefix string) (document []byte, ok bool) {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text, false
	}
	var out []byte
	quoted := false // whether i is within a string
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

// pythonNumber returns the number that JSON lacks at the beginning of text, or "".
func pythonNumber(text []byte) string {
	for _, word := range pythonNumbers() {
		if bytes.HasPrefix(text, []byte(word)) {
			return word
		}
	}
	return ""
}

// pythonFill translates the fill value of a number from the spellings that zarr-python
// accepts to Zarr's: integers spelled as floats, and Python's words for floats. Other
// texts stay unchanged.
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
