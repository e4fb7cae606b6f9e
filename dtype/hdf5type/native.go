package hdf5type

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/dtype"
)

// Native describes how Zarr represents the elements of a [Datatype].
type Native struct {
	// Type is the data type of an element.
	Type dtype.Type
	// Order is the byte order of the words of an element in the file. It is Mixed for a
	// record whose members differ; each [dtype.Field] then has its own.
	Order dtype.Order
	// Shape is the shape of an array datatype, nil for others. An element of the
	// dataset is then several elements of Type, in C order: the array gets these
	// further dimensions behind those of the dataset.
	Shape []int
	// Element is the datatype of one element of Type: the datatype that Type was called
	// on, or the innermost base of an array. It has the size of an element in the file,
	// the padding and character set of a string, the tag and the names.
	Element *Datatype
	// Moves bring an element from the file into memory. Types of variable size have no
	// moves, because the file holds references into its global heap in place of their
	// elements.
	Moves []Move
	// Enum lists the names of an enumeration other than bool, in the file's order. CF
	// calls them flag_meanings and flag_values.
	Enum []EnumValue
	// Notes say what the data type does not keep, a sentence for each loss.
	Notes []string
}

// EnumValue is a name for a value. The value is an element of the data type in memory.
type EnumValue struct {
	Name  string
	Value dtype.Scalar
}

// unsupported refuses a datatype and says what to do instead.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), errors.ErrUnsupported)
}

// Type returns the Zarr data type of the elements, and how to decode them. The error
// about a datatype that has no counterpart wraps [errors.ErrUnsupported] and says what
// to do. The datatype must be one that Parse returned or Append accepts.
func (d *Datatype) Type() (Native, error) {
	e := d
	var shape []int
	for e.Class == Array {
		shape = append(shape, e.Dims...)
		e = e.Base
	}
	n, err := e.native()
	if err != nil {
		return Native{}, fmt.Errorf("HDF5 datatype: %w", err)
	}
	n.Shape, n.Element = shape, e
	return n, nil
}

// native returns the Native of a datatype other than an array, without Shape and
// Element.
func (d *Datatype) native() (Native, error) {
	switch d.Class {
	case FixedPoint:
		return d.integer(d.Signed)
	case Bitfield:
		n, err := d.integer(false)
		n.note("the bits of a bitfield are kept as an integer")
		return n, err
	case FloatingPoint:
		return d.float()
	case String:
		return d.text()
	case Opaque:
		return d.opaque()
	case Compound:
		if d.complexPair() {
			re, im := d.Members[0], d.Members[1]
			return complexOf(re.Type, re.Offset, im.Type, im.Offset)
		}
		return d.compound()
	case Enumeration:
		return d.enumeration()
	case VariableLength:
		return d.variable()
	case Complex:
		return complexOf(d.Base, 0, d.Base, d.Base.Size)
	case Time:
		return Native{}, unsupported("times have no stated epoch: rewrite the data as integers with a units attribute")
	case Reference:
		return d.reference()
	default:
		return Native{}, unsupported("%v has no counterpart here", d.Class)
	}
}

// reference returns texts: the paths of the objects to which references lead.
func (d *Datatype) reference() (Native, error) {
	if d.ReferenceVersion > 1 {
		return Native{}, unsupported("%v in version %d: write the paths of the objects as strings", d.Reference, d.ReferenceVersion)
	}
	n := Native{Type: dtype.StringType}
	n.note("references become the paths of their objects")
	return n, nil
}

func (n *Native) note(format string, args ...any) {
	n.Notes = append(n.Notes, fmt.Sprintf(format, args...))
}

// simple returns the Native of a type of one word.
func (d *Datatype) simple(t dtype.Type) Native {
	if d.Size == 1 {
		return Native{Type: t, Moves: []Move{{Length: 1, Word: 1}}}
	}
	m := Move{Length: d.Size, Word: 1}
	if d.Order != dtype.Native {
		m.Word, m.Swap = d.Size, true
	}
	return Native{Type: t, Order: d.Order, Moves: []Move{m}}
}

// integer returns the Native of a FixedPoint or a Bitfield.
func (d *Datatype) integer(signed bool) (Native, error) {
	types := map[int]dtype.Type{1: dtype.Uint8, 2: dtype.Uint16, 4: dtype.Uint32, 8: dtype.Uint64}
	if signed {
		types = map[int]dtype.Type{1: dtype.Int8, 2: dtype.Int16, 4: dtype.Int32, 8: dtype.Int64}
	}
	t, ok := types[d.Size]
	if !ok {
		return Native{}, unsupported("%v of %d bytes: Zarr has 1, 2, 4 and 8: rewrite the data with a wider integer, or as float64 beyond 64 bits", d.Class, d.Size)
	}
	n := d.simple(t)
	if d.Precision < 8*d.Size {
		m := &n.Moves[0]
		m.Word, m.BitOffset, m.Precision, m.Signed = d.Size, d.BitOffset, d.Precision, signed
		n.note("%d bits from bit %d on are widened to %s", d.Precision, d.BitOffset, t.Name())
	}
	return n, nil
}

// text returns the Native of a string of fixed length.
func (d *Datatype) text() (Native, error) {
	if d.Size > dtype.MaxSize {
		return Native{}, unsupported("strings of %d bytes: null_terminated_bytes takes at most %d: rewrite the data with strings of variable length", d.Size, dtype.MaxSize)
	}
	n := Native{Type: dtype.NullTerminated(d.Size), Moves: []Move{{Length: d.Size, Word: 1}}}
	switch d.Padding {
	case NullTerminated:
		n.Moves[0].Text = ToFirstZero
	case SpacePadded:
		n.Moves[0].Text = WithoutSpaces
		n.note("spaces at the end of strings, which HDF5 pads with, become zero bytes")
	}
	if d.CharSet == UTF8 {
		n.note("null_terminated_bytes does not say that the strings are UTF-8")
	}
	return n, nil
}

// enumeration returns a bool for the enumeration that h5py writes for bools, and the
// base integer for all others.
func (d *Datatype) enumeration() (Native, error) {
	n, err := d.Base.native()
	if err != nil {
		return Native{}, fmt.Errorf("enumeration: %w", err)
	}
	for _, m := range d.Names {
		value := make(dtype.Scalar, n.Type.Size())
		decode(value, m.Value, n.Moves, len(value), d.Size)
		n.Enum = append(n.Enum, EnumValue{m.Name, value})
	}
	if d.isBool(n.Enum) {
		return Native{Type: dtype.BoolType, Order: n.Order, Moves: n.Moves}, nil
	}
	n.note("the %d names of the enumeration are not part of %s", len(n.Enum), n.Type.Name())
	return n, nil
}

func (d *Datatype) isBool(enum []EnumValue) bool {
	if len(enum) != 2 || d.Size != 1 {
		return false
	}
	if enum[0].Name == "TRUE" {
		enum = []EnumValue{enum[1], enum[0]}
	}
	return enum[0].Name == "FALSE" && enum[0].Value[0] == 0 && enum[1].Name == "TRUE" && enum[1].Value[0] == 1
}

func (d *Datatype) variable() (Native, error) {
	switch {
	case d.Text:
		return Native{Type: dtype.StringType}, nil
	case d.Base.Size == 1 && (d.Base.Class == Opaque || d.Base.Class == FixedPoint && !d.Base.Signed && d.Base.Precision == 8):
		return Native{Type: dtype.BytesType}, nil
	default:
		return Native{}, unsupported("sequences of variable length of class %v: Zarr has no ragged arrays: rewrite the data as an array padded to the longest, or as one array of values with one of counts", d.Base.Class)
	}
}

// compound returns a record with the members in the order of the file.
func (d *Datatype) compound() (Native, error) {
	var n Native
	fields := make([]dtype.Field, 0, len(d.Members))
	to := 0
	for _, m := range d.Members {
		part, err := m.native()
		if err != nil {
			return Native{}, fmt.Errorf("member %.60q: %w", m.Name, err)
		}
		fields = append(fields, dtype.Field{Name: m.Name, Type: part.Type, Order: part.Order})
		for _, move := range part.Moves {
			move.From += m.Offset
			move.To += to
			n.Moves = appendMove(n.Moves, move)
		}
		n.Order = both(n.Order, part.Order)
		for _, note := range part.Notes {
			n.note("member %.60q: %s", m.Name, note)
		}
		to += part.Type.Size()
	}
	record, err := dtype.Struct(fields...)
	if err != nil {
		return Native{}, fmt.Errorf("compound: %w: %w", err, errors.ErrUnsupported)
	}
	n.Type = record
	return n, nil
}

// native returns the Native of a member, which must have a fixed size.
func (m Member) native() (Native, error) {
	if !utf8.ValidString(m.Name) {
		return Native{}, unsupported("the name is not UTF-8: rename the member")
	}
	n, err := m.Type.native()
	if m.Type.Class == Array {
		n, err = m.Type.elements()
	}
	if err == nil && n.Type.Size() == 0 {
		err = unsupported("a field of a struct has no variable length: source.compound: fields makes an array of each member")
	}
	return n, err
}

// mostInMember bounds the numbers and texts in an array that becomes a record, because
// each of them becomes a field.
const mostInMember = 1024

// elements turns an array that is a member of a compound into a record, because Zarr v3
// has no field of several elements. Each element of the array becomes a field.
func (d *Datatype) elements() (Native, error) {
	if d.leaves() > mostInMember {
		return Native{}, unsupported("Zarr v3 has no type for a field of %v elements, and a struct of them would have more than %d fields: source.compound: fields makes an array of each member", d.Dims, mostInMember)
	}
	base, count := d, 1
	var dims []int
	for ; base.Class == Array; base = base.Base {
		for _, extent := range base.Dims {
			dims, count = append(dims, extent), count*extent
		}
	}
	members := make([]Member, count)
	for i := range members {
		name, left := "", i
		for _, extent := range slices.Backward(dims) {
			name, left = fmt.Sprintf("_%d%s", left%extent, name), left/extent
		}
		members[i] = Member{Name: name[1:], Offset: i * base.Size, Type: base}
	}
	n, err := (&Datatype{Class: Compound, Size: d.Size, Members: members}).compound()
	if err != nil {
		return Native{}, fmt.Errorf("array: %w", err)
	}
	n.Notes = []string{fmt.Sprintf("its %v elements are fields of a struct, %s to %s", dims, members[0].Name, members[count-1].Name)}
	return n, nil
}

// leaves counts the datatypes within d that are neither arrays nor compounds. It stops
// somewhat above mostInMember.
func (d *Datatype) leaves() int {
	switch d.Class {
	case Array:
		n := d.Base.leaves()
		for _, extent := range d.Dims {
			n *= min(extent, mostInMember+1)
			n = min(n, mostInMember+1)
		}
		return n
	case Compound:
		n := 0
		for _, m := range d.Members {
			n += m.Type.leaves()
		}
		return min(n, mostInMember+1)
	default:
		return 1
	}
}

// both returns the byte order of two parts together.
func both(a, b dtype.Order) dtype.Order {
	switch {
	case a == dtype.NoOrder || a == b:
		return b
	case b == dtype.NoOrder:
		return a
	default:
		return dtype.Mixed
	}
}
