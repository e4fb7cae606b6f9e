package hdf5type

import (
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
)

// ErrCorrupt is the cause of an error about a message that contradicts itself
// or the specification.
var ErrCorrupt = errors.New("corrupt datatype")

// Class tells what a datatype is; the number is that of the file format.
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

// Datatype is an HDF5 datatype. Which fields mean something depends on the
// class; the others are zero.
type Datatype struct {
	Class Class
	// Version is that of the message, 1 to 5. 0, only for writing: the lowest
	// that can say this datatype.
	Version int
	// Size is the bytes of an element in the file, 1 to 2^32-1.
	Size int

	// Order, of classes FixedPoint, FloatingPoint, Time and Bitfield, is
	// Little or Big, for elements of a single byte as well; Mixed is the order
	// of VAX floats: little-endian words of 16 bits, the most significant
	// first.
	Order dtype.Order
	// Precision is how many bits of such an element mean something, BitOffset
	// how many less significant ones do not (0 for Time).
	BitOffset, Precision int
	// LowPad and HighPad say that the bits below and above are ones.
	LowPad, HighPad bool
	// Signed: FixedPoint in two's complement.
	Signed bool
	// Float has the bit fields of a FloatingPoint.
	Float FloatFields

	// Padding and CharSet are those of a String, and of a VariableLength Text.
	Padding Padding
	CharSet CharSet
	// Text tells a VariableLength string from a sequence.
	Text bool

	// Tag describes an Opaque, without the zero bytes at its end.
	Tag string

	// Members of a Compound do not overlap; they are in the order of the file,
	// which need not be that of their offsets.
	Members []Member

	// Reference is what a Reference refers to, and ReferenceVersion the
	// version of its encoding, 0 for the older kinds.
	Reference        ReferenceKind
	ReferenceVersion int

	// Base is the datatype that an Enumeration, VariableLength, Array or
	// Complex is made of: a FixedPoint for the first, for the last a
	// FloatingPoint.
	Base *Datatype
	// Names are the members of an Enumeration.
	Names []Name
	// Dims are the lengths of an Array's dimensions, at least one, none of
	// them 0, the slowest first.
	Dims []int
}

// FloatFields tells where in a floating-point element its parts are. Locations
// count bits from the least significant one.
type FloatFields struct {
	Sign                           int // location
	ExponentLocation, ExponentSize int
	MantissaLocation, MantissaSize int
	Bias                           uint32
	Norm                           Norm
	InnerPad                       bool // bits between the parts are ones
}

// Norm says how the mantissa of a float is normalised.
type Norm uint8

// Normalisations: none; the most significant bit is always set, and stored; it
// is always set, and not stored, as in IEEE 754.
const (
	NormNone Norm = iota
	NormSet
	NormImplied
)

// Padding says how a string shorter than its element is filled up.
type Padding uint8

// Paddings. What follows the zero byte of a NullTerminated string has no
// meaning.
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

// ReferenceKind is what a reference refers to. The first two are addresses in
// the file, the others are the encoded references of HDF5 1.12.
type ReferenceKind uint8

// Kinds of references.
const (
	ObjectAddress ReferenceKind = iota
	RegionAddress
	ObjectReference
	RegionReference
	AttributeReference
)

// Member is a part of a compound.
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
