package hdf5type

import (
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
)

// ErrCorrupt is the cause of an error about a message that contradicts itself or the
// specification.
var ErrCorrupt = errors.New("corrupt datatype")

// Class is the kind of a datatype, as numbered in the file format.
type Class uint8

// The classes. Complex is new in HDF5 2.0.
const (
	FixedPoint Class = iota
	FloatingPoint
	Time
	String
	Bitfield
	Opaque
	Compound
	Reference
	Enumeration
	VariableLength
	Array
	Complex
)

var classNames = [...]string{
	"fixed-point", "floating-point", "time", "string", "bitfield", "opaque", "compound", "reference",
	"enumeration", "variable-length", "array", "complex",
}

// String returns the specification's name of the class.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class %d", uint8(c))
}

// Datatype is an HDF5 datatype. The class decides which fields have a meaning; the
// others are zero.
type Datatype struct {
	Class Class
	// Version is the version of the message, 1 to 5. 0, for writing only, is the lowest
	// version that can express this datatype.
	Version int
	// Size is the number of bytes of an element in the file, 1 to 2^32-1.
	Size int

	// Order is Little or Big in the classes FixedPoint, FloatingPoint, Time and
	// Bitfield, also for elements of a single byte. Mixed is the order of VAX floats:
	// little-endian words of 16 bits, the most significant word first.
	Order dtype.Order
	// Precision is the number of bits of such an element that have a meaning. BitOffset
	// is the number of less significant bits that have none; it is 0 for Time.
	BitOffset, Precision int
	// LowPad and HighPad say that the bits below and above the meaningful bits are
	// ones.
	LowPad, HighPad bool
	// Signed tells a FixedPoint in two's complement from an unsigned one.
	Signed bool
	// Float describes the bit fields of a FloatingPoint.
	Float FloatFields

	// Padding and CharSet describe a String, and a VariableLength with Text.
	Padding Padding
	CharSet CharSet
	// Text tells a VariableLength string from a sequence.
	Text bool

	// Tag describes the content of an Opaque; zero bytes at the end of the tag are left
	// out.
	Tag string

	// Members of a Compound do not overlap. They are in the order of the file, which
	// may differ from the order of their offsets.
	Members []Member

	// Reference says what a Reference refers to. ReferenceVersion is the version of its
	// encoding, 0 for the older kinds.
	Reference        ReferenceKind
	ReferenceVersion int

	// Base is the datatype that an Enumeration, VariableLength, Array or Complex is
	// made of. The base of an Enumeration is a FixedPoint, that of a Complex a
	// FloatingPoint.
	Base *Datatype
	// Names are the members of an Enumeration.
	Names []Name
	// Dims are the lengths of an Array's dimensions, the slowest first. There is at
	// least one, and none is 0.
	Dims []int
}

// FloatFields tells where in a floating-point element the sign, the exponent and the
// mantissa are. Locations count bits from the least significant one.
type FloatFields struct {
	Sign                           int // location
	ExponentLocation, ExponentSize int
	MantissaLocation, MantissaSize int
	Bias                           uint32
	Norm                           Norm
	InnerPad                       bool // bits between the fields are ones
}

// Norm says how the mantissa of a float is normalised.
type Norm uint8

// Normalisations. With NormSet the most significant bit is always set, and stored. With
// NormImplied it is always set, and not stored, as in IEEE 754.
const (
	NormNone Norm = iota
	NormSet
	NormImplied
)

// Padding says how a string shorter than its element is filled up.
type Padding uint8

// Paddings. Bytes behind the zero byte of a NullTerminated string have no meaning.
const (
	NullTerminated Padding = iota
	NullPadded
	SpacePadded
)

// CharSet is the encoding of a string.
type CharSet uint8

// Character sets.
const (
	ASCII CharSet = iota
	UTF8
)

// ReferenceKind says what a reference refers to. The first two kinds are addresses in
// the file; the others are the encoded references of HDF5 1.12.
type ReferenceKind uint8

// Kinds of references.
const (
	ObjectAddress ReferenceKind = iota
	RegionAddress
	ObjectReference
	RegionReference
	AttributeReference
)

// Member is a member of a compound.
type Member struct {
	Name   string
	Offset int // bytes from the beginning of the compound
	Type   *Datatype
}

// Name is a member of an enumeration.
type Name struct {
	Name  string
	Value []byte // as in the file: an element of the base datatype
}
