package dtype

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// The project stores shapes and indexes as int, which must have 64 bits. This line does
// not compile where int has fewer.
const _ int = math.MaxInt64

// Format is a version of the Zarr storage format; it decides how data types
// and fill values are spelled.
type Format int

// Formats in use.
const (
	V2 Format = 2
	V3 Format = 3
)

// Order is the byte order of the words of an element.
type Order uint8

// Byte orders. NoOrder is for elements of single bytes, where an order means nothing
// (NumPy's "|"). Mixed is for records whose fields have different orders, which only
// Zarr v2 allows: each [Field] then has its own.
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

// Scalar is one element as it lies in memory: Size bytes of its Type in the host's byte
// order. Scalars of a type of variable size have as many bytes as the element. A Scalar
// is immutable by convention. Two scalars of one type are the same value exactly when
// their bytes are equal, so NaN payloads and the sign of zero count. A nil Scalar is no
// value: nobody has chosen one. An empty string is a Scalar of length 0 that is not
// nil.
type Scalar []byte

// Type is a Zarr data type. Types are immutable and safe for concurrent use.
// Implementations are pointers or otherwise comparable values; [Same] tells whether two
// of them are one data type.
//
// Properties of only some types are in small interfaces: [Ordered], [Numeric],
// [Packed], [Temporal], [Record] and [Object].
type Type interface {
	// Name returns the Zarr v3 identifier, such as "float32" or "r16".
	Name() string
	// Size returns the number of bytes of one element, at least 1. It is 0 for types
	// whose elements have different sizes, such as strings.
	Size() int
	// Default returns the value that readers and writers use when nobody chose a fill
	// value. All its bits are zero, which means zero or "", with two exceptions: NaT,
	// and a type without a zero, float8_e8m0fnu, where zero bits are the smallest
	// number, 2^-127.
	Default() Scalar
	// V3 returns the type as the data_type field of a Zarr v3 array has it: a string,
	// or an object with name and configuration. For a type that only Zarr v2 has, the
	// error says what to use instead.
	V3() (json.RawMessage, error)
	// V2 returns the type as the dtype field of a Zarr v2 array has it, with the byte
	// order in the name: "<f4". For a type that only Zarr v3 has, the error says what
	// to use instead. See [InOrder] for records.
	V2(order Order) (json.RawMessage, error)
	// ParseScalar reads the fill_value field of an array in the given format, unless it
	// is null, which [ParseFill] reads. A value that the type cannot hold is an error.
	// See the package documentation for the spellings.
	ParseScalar(format Format, text json.RawMessage) (Scalar, error)
	// FormatScalar writes a fill_value field that ParseScalar reads back to the same
	// bits. The exception are NaNs in Zarr v2, which spells all of them "NaN".
	FormatScalar(format Format, value Scalar) json.RawMessage
}

// Ordered is a Type whose elements hold words of more than one byte, so that a byte
// order matters. The bytes codec writes its endian field for these types and no others.
type Ordered interface {
	Type
	// SwapInto copies whole elements from src to dst and reverses the bytes of each
	// word. dst has the same length as src and may be the same slice.
	SwapInto(dst, src []byte)
}

// Numeric is a Type whose elements are numbers (or pairs of them) that
// arithmetic codecs and tools may interpret.
type Numeric interface {
	Type
	Kind() Kind
}

// Kind tells how to interpret the bytes of a Numeric element.
type Kind uint8

// Kinds of numeric elements. A number is as wide as Type.Size, or half as wide for
// Complex. A [Packed] type has its value in fewer bits. Floats of at most 16 bits are
// [Narrow] and have a layout; other floats are those of IEEE 754.
const (
	Bool Kind = iota + 1
	Int
	Uint
	Float
	Complex
)

// Packed is a Type of numbers that may need fewer bits than the bytes in which they
// lie. The bytes codec learns from it which bits have no meaning, and the packbits
// codec which bits to keep.
type Packed interface {
	Type
	Packing() Packing
}

// Packing describes an element of Components numbers, which all have the same number of
// bytes. The Bits least significant bits of a number have a meaning. The bits above are
// copies of the number's sign if Signed, else 0.
type Packing struct {
	Components int
	Bits       int
	Signed     bool
}

// Narrow is a Numeric of Kind Float or Complex whose numbers have at most 16 bits.
type Narrow interface {
	Numeric
	// Layout returns the format of each number.
	Layout() *FloatLayout
}

// Temporal is a Type of points or spans of time: int64 counts of Scale units,
// with the smallest int64 for "not a time".
type Temporal interface {
	Ordered
	// Unit returns a NumPy unit such as "ns", or "generic".
	Unit() string
	// Scale returns how many units one count stands for, 1 to 2^31-1.
	Scale() int
	// Span tells a length of time (timedelta64) from a point in time (datetime64).
	Span() bool
}

// Object is a Type of variable size. Zarr v2 calls all of these types "|O" and tells
// them apart by a filter.
type Object interface {
	Type
	// V2Filter returns the id of this filter, such as "vlen-utf8".
	V2Filter() string
}

// Same reports whether a and b are the same data type.
func Same(a, b Type) bool {
	if a == b {
		return true
	}
	textA, errA := a.V3()
	textB, errB := b.V3()
	if errA != nil && errB != nil { // both are types that only Zarr v2 can name
		textA, errA = a.V2(Little)
		textB, errB = b.V2(Little)
	}
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}

// ParseFill reads the fill_value field of an array of type t. In Zarr v2 the field may
// be null. The result is then nil, which differs from every value, until somebody
// chooses a fill value. Zarr v3 does not allow null.
func ParseFill(t Type, format Format, text json.RawMessage) (Scalar, error) {
	if string(bytes.TrimSpace(text)) == "null" {
		if format == V2 {
			return nil, nil
		}
		return nil, fmt.Errorf("null is not a %s value: Zarr v3 needs one, such as %s", t.Name(), t.FormatScalar(V3, t.Default()))
	}
	return t.ParseScalar(format, text)
}

// FormatFill writes what ParseFill reads. A nil value is null in Zarr v2, and an error
// in v3.
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
