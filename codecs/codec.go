package codecs

import (
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Kind says what a codec receives and what it produces.
type Kind uint8

// The three kinds of codecs. A chain has any number of array → array codecs, then
// exactly one array → bytes codec, then any number of bytes → bytes codecs.
const (
	KindArrayToArray Kind = iota + 1
	KindArrayToBytes
	KindBytesToBytes
)

// String returns the kind's usual spelling: "array → array" and so on.
func (k Kind) String() string {
	switch k {
	case KindArrayToArray:
		return "array → array"
	case KindArrayToBytes:
		return "array → bytes"
	case KindBytesToBytes:
		return "bytes → bytes"
	default:
		return "unknown kind"
	}
}

// Spec is a codec as the codecs field of an array's metadata states it: a name and a
// configuration. A Spec cannot encode or decode.
type Spec struct {
	Name string
	// Configuration is a JSON object, or nil if the codec has none.
	Configuration json.RawMessage
}

// Chunk describes the arrays that a codec or a chain is bound to.
type Chunk struct {
	Type  dtype.Type
	Shape []int // elements along each dimension; empty for a 0-D array
	// Fill is the fill value. It is nil if a codec in front has no encoding for the
	// fill value; then no element can stand for it.
	Fill dtype.Scalar
}

// Single returns an array of one element, the fill value.
func (c Chunk) Single() ndarray.Array {
	one := ndarray.New(c.Type, []int{1})
	ndarray.Fill(one, c.Fill)
	return one
}

// Size is what is known of the length of encoded bytes before encoding. A size is
// fixed, bounded, or, for elements of variable size, unbounded.
type Size struct {
	Max   int  // upper bound, in bytes
	Fixed bool // every encoding has exactly Max bytes
	// Unbounded means that the length depends on the elements alone. Max is then the
	// most bytes that a decoder accepts, and no buffer of that size is ever allocated.
	Unbounded bool
	// Item is the size of one element if the bytes are still those of elements, in any
	// byte order. It is 0 if they are not.
	Item int
}

// MaxVariable bounds the stored bytes of a chunk with elements of variable
// size, compressed or not: 1 GiB.
const MaxVariable = 1 << 30

// String returns "unbounded", "fixed" or "bounded".
func (s Size) String() string {
	switch {
	case s.Unbounded:
		return "unbounded"
	case s.Fixed:
		return "fixed"
	default:
		return "bounded"
	}
}

// Check reports an error if a decoder that promised this size made n bytes.
func (s Size) Check(n int) error {
	switch {
	case n > s.Max:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, s.Max)
	case s.Fixed && n < s.Max:
		return fmt.Errorf("%w: decodes to %d bytes, not %d", ErrCorrupt, n, s.Max)
	}
	return nil
}

// Codec is a configuration that was parsed and is valid in itself. It holds no data and
// is not bound to a chunk yet. It also implements one of [ArrayToArrayCodec],
// [ArrayToBytesCodec] and [BytesToBytesCodec], according to the Kind of its Definition.
type Codec any

// ArrayToArrayCodec is a [Codec] of kind array → array.
type ArrayToArrayCodec interface {
	// BindArrayToArray binds the codec to the arrays that it will receive. It refuses
	// everything that could fail later for a reason other than the data. The error is a
	// *FieldError if one field is at fault.
	BindArrayToArray(in Chunk) (ArrayToArray, error)
}

// ArrayToBytesCodec is a [Codec] of kind array → bytes. BindArrayToBytes refuses as
// BindArrayToArray does.
type ArrayToBytesCodec interface {
	BindArrayToBytes(in Chunk) (ArrayToBytes, error)
}

// BytesToBytesCodec is a [Codec] of kind bytes → bytes. BindBytesToBytes binds it to
// byte strings of a known size and refuses as BindArrayToArray does.
type BytesToBytesCodec interface {
	BindBytesToBytes(in Size) (BytesToBytes, error)
}

// ArrayToArray is a bound codec that turns an array into an array. Bound
// codecs are immutable and safe for concurrent use.
type ArrayToArray interface {
	// Spec returns the complete configuration, as metadata state it.
	Spec() Spec
	// Encoded describes the arrays that Encode produces.
	Encoded() Chunk
	// Encode fills dst, an array of Encoded's shape, from src. The two must not
	// overlap. Encode does not modify src.
	Encode(dst, src ndarray.Array) error
	// Decode fills dst from src. dst has the shape that the codec is bound to.
	Decode(dst, src ndarray.Array) error
}

// ArrayToBytes is a bound codec that turns an array into bytes.
type ArrayToBytes interface {
	Spec() Spec
	// Size returns the size of what AppendEncode appends.
	Size() Size
	// AppendEncode appends the encoding of src to dst and returns the extended slice.
	// src may have any strides. AppendEncode keeps neither src nor dst.
	AppendEncode(dst []byte, src ndarray.Array) ([]byte, error)
	// Decode fills dst, which may have any strides, from src. If src is too short or
	// too long, the error is ErrCorrupt.
	Decode(dst ndarray.Array, src []byte) error
}

// BytesToBytes is a bound codec that turns bytes into bytes.
type BytesToBytes interface {
	Spec() Spec
	// Size returns the size of what AppendEncode appends for any input of the size that
	// the codec is bound to.
	Size() Size
	// AppendEncode appends the encoding of src to dst and returns the extended slice.
	// dst and src must not overlap.
	AppendEncode(dst, src []byte) ([]byte, error)
	// AppendDecode appends the decoding of src to dst and returns the extended slice.
	// It never appends more than Max bytes of the size that the codec is bound to: it
	// returns ErrTooLarge before it allocates more. Fewer bytes than a Fixed size are
	// ErrCorrupt, and so is any damage that the codec detects.
	AppendDecode(dst, src []byte) ([]byte, error)
}
