package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
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
// nothing (NumPy's "|"); Mixed is for records whose fields differ, which only
// Zarr v2 can say: each [Field] then has its own.
const (
	NoOrder Order = iota
	Little
	Big
	Mixed
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
	case Mixed:
		return "mixed"
	default:
		return "none"
	}
}

// Scalar is one element as it lies in memory: Size bytes of its Type in the
// host's byte order, or for a type of variable size as many as the element
// has. It is immutable by convention; two scalars of one type are the same
// value exactly when their bytes are equal, so NaN payloads and the sign of
// zero count. A nil Scalar is no value: nobody has chosen one. An empty string
// is a Scalar of length 0 that is not nil.
type Scalar []byte

// Type is a Zarr data type. Types are immutable and safe for concurrent use.
// Implementations are pointers or otherwise comparable values; [Same] tells
// whether two of them are one data type.
//
// What only some types or codecs care about is in small interfaces of its own,
// see [Ordered], [Numeric], [Packed], [Temporal], [Record] and [Object].
type Type interface {
	// Name is the Zarr v3 identifier, such as "float32" or "r16".
	Name() string
	// Size is the number of bytes of one element, at least 1; 0 for types
	// whose elements have different sizes, such as strings.
	Size() int
	// Default is the value that readers and writers use when nobody chose a
	// fill value: zero, "" or NaT, with all bits zero but for NaT. In a type
	// without zero, float8_e8m0fnu, those are the smallest number, 2^-127.
	Default() Scalar
	// V3 returns the type as it stands in the data_type field of a Zarr v3
	// array: a string, or an object with name and configuration. The error
	// says what to use instead of a type that only Zarr v2 has.
	V3() (json.RawMessage, error)
	// V2 returns the type as it stands in the dtype field of a Zarr v2 array,
	// with the byte order in the name: "<f4". The error says what to use
	// instead of a type that only Zarr v3 has. See [InOrder] for records.
	V2(order Order) (json.RawMessage, error)
	// ParseScalar reads a fill_value field of the given format other than
	// null, see [ParseFill]. Values that the type cannot hold are an error;
	// see the package documentation for the spellings.
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

// Kinds of numeric elements. A number is as wide as Type.Size, half of that for
// Complex; a [Packed] one has its value in fewer bits. Floats of at most 16 bits
// are [Narrow] and have a layout; the others are those of IEEE 754.
const (
	Bool Kind = iota + 1
	Int
	Uint
	Float
	Complex
)

// Packed is a Type whose elements are numbers that may need fewer bits than
// the bytes they lie in. It tells the bytes codec which bits are without
// meaning and the packbits codec which to keep.
type Packed interface {
	Type
	Packing() Packing
}

// Packing describes an element of Components numbers, each of the same number
// of bytes, of which the Bits least significant bits mean something. The bits
// above are copies of the number's sign where Signed, else 0.
type Packing struct {
	Components int
	Bits       int
	Signed     bool
}

// Narrow is a Numeric of Kind Float or Complex with numbers of at most 16 bits.
type Narrow interface {
	Numeric
	// Layout is the format of each number.
	Layout() *FloatLayout
}

// Temporal is a Type of points or spans of time: int64 counts of Scale units,
// with the smallest int64 for "not a time".
type Temporal interface {
	Ordered
	// Unit is a NumPy unit such as "ns", or "generic".
	Unit() string
	// Scale is how many units one count stands for, 1 to 2^31-1.
	Scale() int
	// Span tells a length of time (timedelta64) from a point (datetime64).
	Span() bool
}

// Object is a Type of variable size. Zarr v2 calls all of these "|O" and tells
// them apart by a filter.
type Object interface {
	Type
	// V2Filter is the id of that filter, such as "vlen-utf8".
	V2Filter() string
}

// Same reports whether a and b are the same data type.
func Same(a, b Type) bool {
	if a == b {
		return true
	}
	textA, errA := a.V3()
	textB, errB := b.V3()
	if errA != nil && errB != nil { // types that only Zarr v2 can name
		textA, errA = a.V2(Little)
		textB, errB = b.V2(Little)
	}
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}

// ParseFill reads the fill_value field of an array of type t. In Zarr v2 it may
// be null: the result is then nil, told apart from every value, until someone
// decides on one; Zarr v3 has no such thing.
func ParseFill(t Type, format Format, text json.RawMessage) (Scalar, error) {
	if string(bytes.TrimSpace(text)) == "null" {
		if format == V2 {
			return nil, nil
		}
		return nil, fmt.Errorf("null is not a %s value: Zarr v3 needs one, such as %s", t.Name(), t.FormatScalar(V3, t.Default()))
	}
	return t.ParseScalar(format, text)
}

// FormatFill writes what ParseFill reads: nil as null in Zarr v2, which in v3 is
// an error.
func FormatFill(t Type, format Format, value Scalar) (json.RawMessage, error) {
	switch {
	case value != nil:
		return t.FormatScalar(format, value), nil
	case format == V2:
		return json.RawMessage("null"), nil
	default:
		return nil, fmt.Errorf("no fill value was chosen for data type %s, and Zarr v3 needs one", t.Name())
	}
}
