package codecs

import (
	"context"
	"io"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// The traits of codecs are small optional interfaces that a [Chain] probes for. Besides
// the contracts in codec.go, a chain asks a codec for nothing else. So a codec of
// another program can do all that the codecs of package standard can. All traits are
// traits of bound codecs, unless the comment says otherwise. [Container] and
// [InnerNaming] are in chain.go, beside the types of shards.

// Traits of memory.

// Scratching is the trait of a codec that needs more memory while it works than its
// output takes.
type Scratching interface {
	// Scratch returns the most bytes of this memory, for encoding or decoding.
	Scratch() int
}

// Measured is the trait of an [ArrayToBytes] codec whose Size is unbounded. It bounds
// the encoding of one array.
type Measured interface {
	// EncodedSize returns the most bytes that AppendEncode appends for src.
	EncodedSize(src ndarray.Array) int
}

// DecodedSized is the trait of a [BytesToBytes] codec that can tell how many bytes an
// encoding decodes to before it decodes. The chain then provides the memory.
type DecodedSized interface {
	// DecodedLength returns that number. It may be wrong for damaged bytes.
	DecodedLength(src []byte) (int, error)
}

// View is the trait of an [ArrayToArray] codec that only looks at the same memory in
// another way. The chain then copies nothing.
type View interface {
	// EncodeView returns the encoded array as a view of src.
	EncodeView(src ndarray.Array) ndarray.Array
	// DecodeView returns the encoded array as a view of dst, an array of the shape that
	// the codec is bound to. Filling the view fills dst.
	DecodeView(dst ndarray.Array) ndarray.Array
}

// Alias is the trait of an [ArrayToBytes] codec whose output is, for some arrays, the
// memory of the array itself.
type Alias interface {
	// EncodeAlias returns the memory of src if that is the encoding, and false if src
	// has to be encoded. The result belongs to the owner of src.
	EncodeAlias(src ndarray.Array) ([]byte, bool)
	// DecodeAlias returns the memory of dst if copying an encoding there decodes it,
	// and false if decoding takes more.
	DecodeAlias(dst ndarray.Array) ([]byte, bool)
}

// Traits of fusion.

// Elementwise is the trait of an array → array codec that computes each element from
// the element in the same place and nothing else. A chain runs neighbours with this
// trait as one pass over memory, piece by piece. Results and errors are the same as
// those of one codec after the other.
type Elementwise interface {
	ArrayToArray
	// EncodeKernel turns elements of the type that the codec is bound to into elements
	// of Encoded's type. DecodeKernel does the opposite. Neither depends on how the
	// elements are cut into pieces.
	EncodeKernel() elements.Kernel
	DecodeKernel() elements.Kernel
	// EncodeError returns the error about the element of src at which EncodeKernel
	// stopped; DecodeError does so for DecodeKernel. at counts elements in C order. The
	// methods must not look at other elements of src, which may be invalid.
	EncodeError(src ndarray.Array, at int) error
	DecodeError(src ndarray.Array, at int) error
}

// Joining is the trait of an [Elementwise] codec that can do its own work and a
// neighbour's in one loop. both runs the kernels of the two codecs one after the other;
// the loop may leave some elements to it.
type Joining interface {
	// JoinEncode returns the loop that encodes with this codec and then with next, the
	// codec behind it. It returns nil if there is no such loop.
	JoinEncode(next Elementwise, both elements.Kernel) elements.Kernel
	// JoinDecode returns the loop that decodes with this codec and then with next, the
	// codec in front of it. It returns nil if there is no such loop.
	JoinDecode(next Elementwise, both elements.Kernel) elements.Kernel
}

// Plain is the trait of an [ArrayToBytes] codec that stores the elements in C order,
// each by itself and in its own size. Elementwise codecs in front of it write and read
// the stored bytes in their own pass.
type Plain interface {
	// StoreKernel turns elements in memory into stored elements. It has a result for
	// every element. It is nil if the two are the same.
	StoreKernel() elements.Kernel
	// LoadKernel turns stored elements into elements in memory.
	LoadKernel() elements.Kernel
	// Stored returns an encoding as an array of stored elements.
	Stored(data []byte) (ndarray.Array, error)
}

// Traits of reading in parts.

// Regional is the trait of an [ArrayToArray] codec that can decode a box without the
// rest of the chunk. Its Encode and Decode, or its views, take arrays of any shape.
// EncodedRegion relates the shapes of the two arrays.
type Regional interface {
	// EncodedRegion returns the box of the encoded array from which a box of the
	// decoded array is decoded.
	EncodedRegion(r ndarray.Region) ndarray.Region
}

// Ranged is the trait of an [ArrayToBytes] codec that can decode a box from parts of
// the encoded bytes.
type Ranged interface {
	// DecodeRegion fills dst with the box that begins at index start.
	DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error
}

// Blocked is the trait of a [BytesToBytes] codec that can decode a range of bytes
// without the bytes before it.
type Blocked interface {
	// DecodeRange fills dst with the decoded bytes from offset off on. src is the whole
	// encoding.
	DecodeRange(dst, src []byte, off int) error
}

// Leading is the trait of a [Ranged] codec that decodes a box from the front of the encoded
// bytes.
type Leading interface {
	// Leading returns how many bytes the front has for the box of a shape that begins at index
	// start. DecodeRegion reads none of the bytes behind it.
	Leading(start, shape []int) int
}

// Stopping is the trait of a [BytesToBytes] codec that can stop decoding early.
type Stopping interface {
	// DecodeFront decodes src until it has at least n bytes of the content, at the front of dst.
	// dst has the length of the whole content. Its other bytes become undefined, and faults of
	// src that concern only them may stay unseen. If src has a checksum of decoded bytes among
	// the n, DecodeFront decodes all that the checksum covers, and compares it.
	DecodeFront(dst, src []byte, n int) error
}

// Traits of verification without decoding.

// Verifier is the trait of a codec that can detect damage of its encodings without
// returning what they decode to.
type Verifier interface {
	// Verification says what Verify does and what it costs.
	Verification() Verification
	// Verify examines an encoding and reads no more of it than that takes. Damage is
	// ErrCorrupt or ErrTooLarge.
	Verify(ctx context.Context, in Input) error
}

// Verification is how a [Verifier] examines an encoding.
type Verification struct {
	// All means that Verify reads all bytes of the encoding.
	All bool
	// Checksum means that Verify compares a checksum. The chain then undoes the codecs
	// behind this one, so that Verify can do so.
	Checksum bool
	// InPieces means that Verify needs at most VerifyPiece bytes of the encoding in
	// memory.
	InPieces bool
	// Memory is how many bytes Verify takes besides an encoding that is in memory.
	Memory int
	// MemoryReading is the same for an encoding that Verify reads from where it is
	// stored. 0 means the same as Memory.
	MemoryReading int
}

// Enclosing is the trait of a [BytesToBytes] codec whose encoding contains its input
// unchanged, and a checksum. Verifying what is inside then costs nothing.
type Enclosing interface {
	Verifier
	// Enclosed returns the part of a verified encoding that is the codec's input.
	Enclosed(in Input) Input
}

// Checking is the trait of an [ArrayToBytes] codec that can check an encoding which
// comes in pieces.
type Checking interface {
	// Check returns a new checker. The caller writes the bytes of the encoding to it.
	// Close tells whether they were complete. The errors are ErrCorrupt.
	Check() io.WriteCloser
}

// Streaming is the trait of a [BytesToBytes] codec whose Verify can also pass on what
// an encoding decodes to, piece by piece.
type Streaming interface {
	Verifier
	// VerifyInto is Verify. It also writes what the encoding decodes to into the
	// writer, and then closes the writer. If decoding takes more memory than Verify may
	// have, it leaves the writer alone.
	VerifyInto(ctx context.Context, in Input, to io.WriteCloser) error
}

// Traits that tell what becomes of values.

// Selective is the trait of a codec for arrays that may refuse some values of their
// data type.
type Selective interface {
	// Refuses reports whether there are such values.
	Refuses() bool
}

// OneWay is the trait of a codec for arrays that may encode an element as a value that it
// cannot decode. No reader could read a chunk with such a value.
type OneWay interface {
	// Returning gives the codec that refuses to encode such elements. A chain uses it.
	Returning() ArrayToArray
}

// Narrow is the trait of a codec for arrays that may be unable to decode an element which a
// codec behind it has changed.
type Narrow interface {
	// Decodes tells what elements can be decoded, such as "the values of uint8, 0 to 255", and
	// what makes the codec decode all others, too. If it decodes all elements, both are empty.
	Decodes() (values, wayOut string)
}

// Hazardous is the trait of a codec that knows hazards.
type Hazardous interface {
	// Hazards lists the hazards that the codec knows. The chain fills in Codec. It also
	// fills in Name, unless the hazard is one of a codec of an inner chain.
	Hazards() []Hazard
}

// Lossy is the trait of a codec whose definition says that it is lossy. It tells what
// the codec loses with its configuration and data type.
type Lossy interface {
	// Losses lists what is lost. AtMost is in the units of the values that the codec
	// receives. The chain fills in Name, unless the loss is one of a codec of an inner
	// chain.
	Losses() []Loss
}

// Rescaling is the trait of an [ArrayToArray] codec that represents the same values by
// other numbers.
type Rescaling interface {
	// Unit returns the difference in the codec's input that corresponds to a difference
	// of 1 in its output. It is 0 if that is not the same for all values.
	Unit() float64
}

// Stable is the trait of a codec whose definition says that it is lossy, but which may
// lose nothing more when it encodes what it has decoded.
type Stable interface {
	// Stable reports whether decoded values come back bit for bit, however often they
	// are encoded and decoded again. next is the bound codec behind this one, or nil if
	// there is none.
	Stable(next any) bool
}

// Absorbing is the trait of an [ArrayToArray] codec that may round away small errors of
// the codec in front.
type Absorbing interface {
	// Absorbs reports whether the codec encodes a number that is slightly off as if it
	// were exact. Slightly off means by less than half the distance of neighbours in
	// the encoded type.
	Absorbs() bool
}

// Other traits.

// NearestPadded is the trait of an [ArrayToBytes] codec that knows how chunks that
// reach beyond the array are best padded.
type NearestPadded interface {
	// PadsNearest reports whether elements at the array's edge are better padding than
	// the fill value, which would reduce the precision of its neighbours.
	PadsNearest() bool
}

// ByteOrdered is the trait of an [ArrayToBytes] codec that stores words in a byte
// order.
type ByteOrdered interface {
	// ByteOrder returns that order, or NoOrder if elements have no words.
	ByteOrder() dtype.Order
}

// OrderNaming is the trait of an [ArrayToArray] codec whose configuration names data
// types with a byte order, as NumPy does. zarr-python before 3.4 takes this order for
// the order of the stored bytes, so the two must agree.
type OrderNaming interface {
	// SpecIn returns Spec with the input type named in byte order received and the
	// output type named in byte order made. It also returns the order in which it has
	// named the output type.
	SpecIn(received, made dtype.Order) (Spec, dtype.Order)
}

// Renamed is the trait of a [BytesToBytes] codec that metadata can name in two ways. Both
// codecs make the same encodings, and each has a configuration of its own.
type Renamed interface {
	// Names returns the spec of the codec that more programs know, and the spec of the
	// other, which earlier versions of this program wrote into metadata. One of the two
	// is Spec.
	Names() (preferred, former Spec)
}

// Extents is the trait of a [Codec] that is not bound yet. Whether it can be bound
// depends on the extents of the chunk.
type Extents interface {
	// Extents returns a shape that the codec can be bound to, or nil if it knows none.
	Extents() []int
}
