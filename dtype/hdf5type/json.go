package hdf5type

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/dtype"
)

// JSON writes an element, given as it is in the file, as JSON. A compound becomes an
// object, an array or a sequence a list, a complex number a list of two numbers, and an
// enumeration its integer. Numbers that JSON lacks are "NaN", "Infinity" and "-Infinity".
// Text that is not UTF-8 is read as Latin-1. The function sequence is that of
// [Datatype.Format]. The error about a datatype that JSON cannot have wraps
// [errors.ErrUnsupported].
func (d *Datatype) JSON(element []byte, sequence func(element []byte, size int) ([]byte, error)) (json.RawMessage, error) {
	switch d.Class {
	case FixedPoint, FloatingPoint, Bitfield:
		return d.jsonNumber(element)
	case Enumeration:
		return d.Base.jsonNumber(element)
	case String:
		if d.Padding == SpacePadded {
			element = bytes.TrimRight(element, " ")
		}
		return jsonText(element), nil
	case Compound:
		return d.jsonObject(element, sequence)
	case VariableLength:
		size := 1
		if !d.Text {
			size = d.Base.Size
		}
		elements, err := sequence(element, size)
		if err != nil {
			return nil, err
		}
		if d.Text {
			return jsonText(elements), nil
		}
		return d.Base.jsonList(elements, sequence)
	case Complex:
		return d.Base.jsonList(element, sequence)
	case Array:
		base := *d
		base.Dims = d.Dims[1:]
		base.Size = d.Size / d.Dims[0]
		if len(base.Dims) == 0 {
			base = *d.Base
		}
		return base.jsonList(element, sequence)
	default:
		return nil, unsupported("JSON has no %v", d.Class)
	}
}

func (d *Datatype) jsonNumber(element []byte) (json.RawMessage, error) {
	n, err := d.native()
	if err != nil {
		return nil, err
	}
	value := make(dtype.Scalar, n.Type.Size())
	decode(value, element, n.Moves, len(value), d.Size)
	text := n.Type.FormatScalar(dtype.V3, value)
	if strings.HasPrefix(string(text), `"0x`) { // a NaN with other bits
		text = json.RawMessage(`"NaN"`)
	}
	return text, nil
}

// jsonText writes a text that ends at its first zero byte.
func jsonText(b []byte) json.RawMessage {
	b, _, _ = bytes.Cut(b, []byte{0})
	text := string(b)
	if !utf8.Valid(b) {
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		text = string(runes)
	}
	return quoted(text)
}

// quoted writes a string as JSON, without the escapes that HTML needs.
func quoted(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // every string can be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (d *Datatype) jsonObject(element []byte, sequence func([]byte, int) ([]byte, error)) (json.RawMessage, error) {
	text := json.RawMessage{'{'}
	seen := map[string]bool{}
	for i, m := range d.Members {
		if !utf8.ValidString(m.Name) || seen[m.Name] {
			return nil, unsupported("the member %.60q has a name that is not UTF-8, or that another one has", m.Name)
		}
		seen[m.Name] = true
		value, err := m.Type.JSON(element[m.Offset:][:m.Type.Size], sequence)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, quoted(m.Name)...), ':'), value...)
	}
	return append(text, '}'), nil
}

// jsonList is JSON for a row of elements.
func (d *Datatype) jsonList(elements []byte, sequence func([]byte, int) ([]byte, error)) (json.RawMessage, error) {
	text := json.RawMessage{'['}
	for at := 0; at+d.Size <= len(elements); at += d.Size {
		value, err := d.JSON(elements[at:at+d.Size], sequence)
		if err != nil {
			return nil, err
		}
		if at > 0 {
			text = append(text, ',')
		}
		text = append(text, value...)
	}
	return append(text, ']'), nil
}

// Nested reports whether JSON writes elements as objects or lists, although they are
// neither complex numbers nor texts.
func (d *Datatype) Nested() bool {
	for d.Class == Array {
		d = d.Base
	}
	return d.Class == Compound && !d.complexPair() || d.Class == VariableLength && !d.Text
}
