package hdf5type

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
)

// String describes the whole datatype in a line.
func (d *Datatype) String() string {
	switch d.Class {
	case FixedPoint:
		sign := "uint"
		if d.Signed {
			sign = "int"
		}
		return fmt.Sprintf("%s%d%s%s", sign, 8*d.Size, d.orderText(), d.bitsText())
	case FloatingPoint:
		return fmt.Sprintf("float%d%s%s", 8*d.Size, d.orderText(), d.bitsText())
	case Bitfield:
		return fmt.Sprintf("bitfield of %d bits%s%s", 8*d.Size, d.orderText(), d.bitsText())
	case String:
		return fmt.Sprintf("text of %d bytes, %s, %s", d.Size, d.Padding, d.CharSet)
	case Opaque:
		return strings.TrimSuffix(fmt.Sprintf("opaque of %d bytes, %s", d.Size, d.Tag), ", ")
	case Compound:
		members := make([]string, len(d.Members))
		for i, m := range d.Members {
			members[i] = fmt.Sprintf("%s: %v at byte %d", m.Name, m.Type, m.Offset)
		}
		return fmt.Sprintf("compound of %d bytes {%s}", d.Size, strings.Join(members, "; "))
	case Enumeration:
		names := make([]string, len(d.Names))
		for i, n := range d.Names {
			names[i] = fmt.Sprintf("%s = %s", n.Name, d.Base.number(n.Value))
		}
		return fmt.Sprintf("enum of %v {%s}", d.Base, strings.Join(names, ", "))
	case VariableLength:
		if d.Text {
			return fmt.Sprintf("text of any length, %s, %s", d.Padding, d.CharSet)
		}
		return fmt.Sprintf("sequence of %v", d.Base)
	case Reference:
		return d.Reference.String()
	case Array:
		return fmt.Sprintf("array %v of %v", d.Dims, d.Base)
	case Complex:
		return fmt.Sprintf("complex of %v", d.Base)
	default:
		return fmt.Sprintf("%v of %d bytes", d.Class, d.Size)
	}
}

// orderText names the byte order of words that have one.
func (d *Datatype) orderText() string {
	switch {
	case d.Size == 1:
		return ""
	case d.Order == dtype.Big:
		return " big-endian"
	case d.Order == dtype.Mixed:
		return " VAX-endian"
	default:
		return " little-endian"
	}
}

// bitsText says which bits have a meaning, "" where all do.
func (d *Datatype) bitsText() string {
	if d.Precision == 8*d.Size {
		return ""
	}
	return fmt.Sprintf(" (%d bits from bit %d)", d.Precision, d.BitOffset)
}

// number writes an element of an integer type, given as in the file, in decimal.
func (d *Datatype) number(value []byte) string {
	if len(value) > 8 {
		return fmt.Sprintf("0x%x", value)
	}
	wide := make([]byte, 8)
	copy(wide, value)
	if d.Order == dtype.Big {
		slices.Reverse(wide[:len(value)])
	}
	n, unused := binary.LittleEndian.Uint64(wide), 64-8*len(value)
	if d.Signed {
		return fmt.Sprint(int64(n<<unused) >> unused)
	}
	return fmt.Sprint(n)
}

// String says what a reference refers to and, for the newer kinds, how it is encoded.
func (k ReferenceKind) String() string {
	return [...]string{
		"reference to an object", "reference to a region", "encoded reference to an object",
		"encoded reference to a region", "encoded reference to an attribute",
	}[k]
}

// String names the padding.
func (p Padding) String() string {
	return [...]string{"null-terminated", "null-padded", "space-padded"}[p]
}

// String names the character set.
func (c CharSet) String() string { return [...]string{"ASCII", "UTF-8"}[c] }
