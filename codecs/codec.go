package codecs

import (
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Kind says what a codec takes and what it gives.
type Kind uint8

// The three kinds of codecs. A chain is any number of the first, exactly one
// of the second and any number of the third.
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

// Spec is a codec as it stands in the codecs field of an array: a name and a
// configuration, with no way to data.
type Spec struct {
	Name string
	// Configuration is a JSON object, or nil where there is none.
	Configuration json.RawMessage
}

// Chunk describes the array that a codec receives: what a chain is bound to.
type Chunk struct {
	Type  dtype.Type
	Shape []int // elements along each dimension; empty for a 0-D array
	// Fill is the fill value, nil where what a codec in front makes of it is
	// none: then nothing can stand for it.
	Fill dtype.Scalar
}

// Size is what is known of the length of an encoded chunk before it is
// encoded, in bytes: fixed, bounded or, for elements of variable size,
// unbounded.
type Size struct {
	Max   int  // upper bound
	Fixed bool // every encoding has exactly Max bytes
	// Unbounded: the elements alone decide. Max is then what decoders accept
	// at most, and no buffer of that size is ever taken.
	Unbounded bool
	// Item is the size of an element whose bytes these are, in memory's order
	// or another; 0 where they are no longer those of elements.
	Item int
}

// MaxVariable bounds the stored bytes of a chunk with elements of variable
// size, compressed or not: 1 GiB.
const MaxVariable = 1 << 30

// String says which of the three it is.
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

// Check refuses a number of bytes that is not such a size: what a decoder has made.
func (s Size) Check(n int) error {
	switch {
	case n > s.Max:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, s.Max)
	case s.Fixed && n < s.Max:
		return fmt.Errorf("%w: decodes to %d bytes, not %d", ErrCorrupt, n, s.Max)
	}
	return nil
}

// Codec is a configuration that was read and found sound in itself. It holds
// no data and is not yet tied to a chunk. It also implements the one of
// [ArrayToArrayCodec], [ArrayToBytesCodec] and [BytesToBytesCodec] that
// belongs to its Definition's Kind.
type Codec any

// ArrayToArrayCodec binds to the arrays it will receive.
type ArrayToArrayCodec interface {
	// BindArrayToArray refuses whatever could fail later for a reason other
	// than the data. The error is a *FieldError where one field is at fault.
	BindArrayToArray(in Chunk) (ArrayToArray, error)
}

// ArrayToBytesCodec binds to the arrays it will receive.
type ArrayToBytesCodec interface {
	BindArrayToBytes(in Chunk) (ArrayToBytes, error)
}

// BytesToBytesCodec binds to byte strings of a known size.
type BytesToBytesCodec interface {
	BindBytesToBytes(in Size) (BytesToBytes, error)
}

// ArrayToArray is a bound codec that turns an array into an array. Bound
// codecs are immutable and safe for concurrent use.
type ArrayToArray interface {
	// Spec is the complete configuration, as it is written to metadata.
	Spec() Spec
	// Encoded describes the arrays that Encode produces.
	Encoded() Chunk
	// Encode fills dst, an array of Encoded's shape, from src. Neither
	// overlaps the other; src is not modified.
	Encode(dst, src ndarray.Array) error
	// Decode fills dst, an array of the shape bound to, from src.
	Decode(dst, src ndarray.Array) error
}

// ArrayToBytes is a bound codec that turns an array into bytes.
type ArrayToBytes interface {
	Spec() Spec
	// Size is the size of what AppendEncode appends.
	Size() Size
	// AppendEncode appends the encoding of src, an array with any strides, to
	// dst and returns the extended slice. It does not keep src or dst.
	AppendEncode(dst []byte, src ndarray.Array) ([]byte, error)
	// Decode fills dst, an array with any strides, from src. Input that is
	// too short or too long is ErrCorrupt.
	Decode(dst ndarray.Array, src []byte) error
}

// BytesToBytes is a bound codec that turns bytes into bytes.
type BytesToBytes interface {
	Spec() Spec
	// Size is the size of what AppendEncode appends for any input of the size
	// bound to.
	Size() Size
	// AppendEncode appends the encoding of src to dst and returns the
	// extended slice. dst and src do not overlap.
	AppendEncode(dst, src []byte) ([]byte, error)
	// AppendDecode appends the decoding of src to dst and returns the
	// extended slice. It never appends more than the Max of the size bound
	// to: before it allocates more it returns ErrTooLarge; fewer bytes than a
	// Fixed size, and any damage that it sees, are ErrCorrupt.
	AppendDecode(dst, src []byte) ([]byte, error)
}
