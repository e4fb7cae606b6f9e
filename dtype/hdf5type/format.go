package hdf5type

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
)

// Format writes an element, given as it is in the file, as text for people. Numbers are
// decimal, members of an enumeration have their names, and compounds, arrays and
// sequences are in braces. Anything else is in hexadecimal digits. The function
// sequence finds the elements, of size bytes each, to which an element of variable
// length refers.
func (d *Datatype) Format(element []byte, sequence func(element []byte, size int) ([]byte, error)) (string, error) {
	switch d.Class {
	case FixedPoint, FloatingPoint, Bitfield:
		return d.formatNumber(element), nil
	case String:
		if d.Padding == NullTerminated {
			element, _, _ = bytes.Cut(element, []byte{0})
		}
		pad := map[Padding]string{NullPadded: "\x00", SpacePadded: " "}[d.Padding]
		return fmt.Sprintf("%q", bytes.TrimRight(element, pad)), nil
	case Compound:
		parts := make([]string, len(d.Members))
		for i, m := range d.Members {
			var err error
			if parts[i], err = m.Type.Format(element[m.Offset:][:m.Type.Size], sequence); err != nil {
				return "", err
			}
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	case Enumeration:
		for _, n := range d.Names {
			if bytes.Equal(n.Value, element) {
				return n.Name, nil
			}
		}
		return d.Base.number(element), nil
	case VariableLength:
		base := 1
		if !d.Text {
			base = d.Base.Size
		}
		elements, err := sequence(element, base)
		if err != nil {
			return "", err
		}
		if d.Text {
			return fmt.Sprintf("%q", elements), nil
		}
		return d.Base.formatAll(elements, sequence)
	case Array, Complex:
		return d.Base.formatAll(element, sequence)
	case Reference:
		return "a " + d.Reference.String(), nil
	default:
		return fmt.Sprintf("0x%x", element), nil
	}
}

// formatAll is Format for a row of elements, in braces.
func (d *Datatype) formatAll(elements []byte, sequence func([]byte, int) ([]byte, error)) (string, error) {
	parts := make([]string, 0, len(elements)/d.Size)
	for ; len(elements) >= d.Size; elements = elements[d.Size:] {
		text, err := d.Format(elements[:d.Size], sequence)
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}

// formatNumber writes a number in decimal, if its type has a counterpart in memory.
func (d *Datatype) formatNumber(element []byte) string {
	n, err := d.Type()
	if err != nil {
		return fmt.Sprintf("0x%x", element)
	}
	value := make(dtype.Scalar, n.Type.Size())
	n.Decode(value, element)
	return strings.Trim(string(n.Type.FormatScalar(dtype.V3, value)), `"`)
}
