package dtype

import (
	"encoding/binary"
	"encoding/json"
	"math"
)

// The project stores shapes and indexes as int and needs 64 bits for them;
// this line does not compile elsewhere.
const _ int = math.MaxInt64

// Format is a version of the Zarr storage format; it decides how data types
// and fill values are spelled.
type Format int

// The two formats in use.
const (
	V2 Format = 2
	V3 Format = 3
)

// Order is the byte order of the words that an element consists of.
type Order uint8

// Byte orders. NoOrder is for elements of single bytes, where it means
// nothing (NumPy's "|").
const (
	NoOrder Order = iota
	Little
	Big
)

// Native is the byte order of this machine, in which elements lie in memory.
var Native = nativeOrder()

func nativeOrder() Order {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return Little
	}
	return Big
}

// String returns the name that Zarr v3's bytes codec uses: "little" or "big".
func (o Order) String() string {
	switch o {
	case Little:
		return "little"
	case Big:
		return "big"
	default:
		return "none"
	}
}

// Scalar is one element as it lies in memory: Size bytes of its Type in the
// host's byte order. It is immutable by convention; two scalars of one type
// are the same value exactly when their bytes are equal, so NaN payloads and
// the sign of zero count.
type Scalar []byte

// Type is a Zarr data type of elements with a fixed size. Types are immutable,
// comparable with Same, and safe for concurrent use.
//
// What only some types or codecs care about is in small interfaces of its own,
// see [Ordered] and [Numeric].
type Type interface {
	// Name is the Zarr v3 identifier, such as "float32" or "r16".
	Name() string
	// Size is the number of bytes of one element, at least 1.
	Size() int
	// Default is the value that readers and writers use when nobody chose a
	// fill value: zero for all numeric types.
	Default() Scalar
	// V3 returns the type as it stands in the data_type field of a Zarr v3
	// array: a string, or an object with name and configuration.
	V3() json.RawMessage
	// V2 returns the type as it stands in the dtype field of a Zarr v2 array,
	// with the byte order in the name: "<f4".
	V2(order Order) (json.RawMessage, error)
	// ParseScalar reads a fill_value field of the given format. Values that
	// the type cannot hold are an error; see the package documentation for
	// the spellings.
	ParseScalar(format Format, text json.RawMessage) (Scalar, error)
	// FormatScalar writes a fill_value field that ParseScalar reads back to
	// the same bytes; only a NaN other than the plain one has no spelling in
	// Zarr v2 and becomes "NaN" there.
	FormatScalar(format Format, value Scalar) json.RawMessage
}

// Ordered is a Type whose elements hold words of more than one byte, so that a
// byte order matters. The bytes codec writes its endian field for these types
// and no others.
type Ordered interface {
	Type
	// SwapInto copies whole elements from src to dst, which has the same
	// length and may be the same slice, reversing the bytes of each word.
	SwapInto(dst, src []byte)
}

// Numeric is a Type whose elements are numbers (or pairs of them) that
// arithmetic codecs and tools may interpret.
type Numeric interface {
	Type
	Kind() Kind
}

// Kind tells how the bytes of a Numeric element are to be understood.
type Kind uint8

// Kinds of numeric elements. The width follows from Type.Size.
const (
	Bool Kind = iota + 1
	Int
	Uint
	Float
	Complex
)

// Same reports whether a and b are the same data type.
func Same(a, b Type) bool { return string(a.V3()) == string(b.V3()) }
