package codecs

import (
	"context"
	"io"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// The traits of codecs: small optional interfaces that a [Chain] probes for. It
// asks nothing else of a codec than these and the contracts in codec.go, so a
// codec of another program can do all that those of package standard can. All
// traits are of bound codecs unless the comment says otherwise.

// Traits of memory.

// Scratching is the trait of a codec that holds more memory than its output while
// it works.
type Scratching interface {
	// Scratch returns the most bytes of that memory, for encoding or decoding.
	Scratch() int
}

// Measured is the trait of an [ArrayToBytes] codec whose Size is unbounded: it
// bounds the encoding of one array.
type Measured interface {
	// EncodedSize returns the most bytes that AppendEncode appends for src.
	EncodedSize(src ndarray.Array) int
}

// DecodedSized is the trait of a [BytesToBytes] codec that tells how many bytes an
// encoding decodes to, before there is memory for them.
type DecodedSized interface {
	// DecodedLength returns that number. It need not be true of damaged bytes.
	DecodedLength(src []byte) (int, error)
}

// View is the trait of an [ArrayToArray] codec whose work is only a different way
// to look at the same memory: the chain then copies nothing.
type View interface {
	// EncodeView returns src as the encoded array sees it.
	EncodeView(src ndarray.Array) ndarray.Array
	// DecodeView returns dst, an array of the shape bound to, as an encoded
	// array, so that whoever fills that fills dst.
	DecodeView(dst ndarray.Array) ndarray.Array
}

// Alias is the trait of an [ArrayToBytes] codec whose output is, for some arrays,
// the memory of the array itself.
type Alias interface {
	// EncodeAlias returns the memory of src when that is its encoding, and
	// false when it has to be encoded. The result belongs to src's owner.
	EncodeAlias(src ndarray.Array) ([]byte, bool)
	// DecodeAlias returns the memory of dst when dst is decoded as soon as its
	// encoding is there, and false when there is more to do.
	DecodeAlias(dst ndarray.Array) ([]byte, bool)
}

// Traits of fusion.

// Elementwise is the trait of an array → array codec that computes each element
// from the one in its place and nothing else. A chain runs neighbours of this sort
// as one pass over memory, piece by piece, with the results and errors of one
// codec after the other.
type Elementwise interface {
	ArrayToArray
	// EncodeKernel turns elements of the type bound to into those of
	// Encoded's, DecodeKernel the other way round. Neither depends on how the
	// elements are cut into pieces.
	EncodeKernel() elements.Kernel
	DecodeKernel() elements.Kernel
	// EncodeError is the error about the element of src, counted in C order,
	// at which EncodeKernel stopped, DecodeError the one about DecodeKernel.
	// No other element of src is to be looked at: they need not be there.
	EncodeError(src ndarray.Array, at int) error
	DecodeError(src ndarray.Array, at int) error
}

// Joining is the trait of an [Elementwise] codec that can do its own work and that
// of a neighbour in one loop. The loop may leave elements to both, the kernel of
// one codec after the other.
type Joining interface {
	// JoinEncode returns the loop that encodes with this codec and then with
	// next, the codec behind it; nil where there is none.
	JoinEncode(next Elementwise, both elements.Kernel) elements.Kernel
	// JoinDecode returns the loop that decodes with this codec and then with
	// next, the codec in front of it; nil where there is none.
	JoinDecode(next Elementwise, both elements.Kernel) elements.Kernel
}

// Plain is the trait of an [ArrayToBytes] codec that stores the elements in C order,
// each in its own size and by itself. Elementwise codecs in front of it write and
// read the stored bytes in their own pass.
type Plain interface {
	// StoreKernel makes stored elements of those in memory; nil where they are
	// the same. It has a result for every element.
	StoreKernel() elements.Kernel
	// LoadKernel is the way back.
	LoadKernel() elements.Kernel
	// Stored returns an encoding as an array of the stored elements.
	Stored(data []byte) (ndarray.Array, error)
}

// Traits of reading in parts.

// Regional is the trait of an [ArrayToArray] codec that decodes a box without the
// rest. Its Encode and Decode, or its views, take arrays of any shape, each with
// the shape that EncodedRegion gives for the other.
type Regional interface {
	// EncodedRegion returns the box of the encoded array that a box of the
	// array bound to is decoded from.
	EncodedRegion(r ndarray.Region) ndarray.Region
}

// Ranged is the trait of an [ArrayToBytes] codec that decodes a box from parts of
// the encoded bytes.
type Ranged interface {
	// DecodeRegion fills dst with the elements from start on.
	DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error
}

// Blocked is the trait of a [BytesToBytes] codec that decodes a range of bytes
// without those before it.
type Blocked interface {
	// DecodeRange fills dst with the decoded bytes from off on; src is the
	// whole encoding.
	DecodeRange(dst, src []byte, off int) error
}

// Container is the trait of an [ArrayToBytes] codec whose encoding consists of
// inner chunks, each encoded by a chain of its own, and an index of them. The chain
// reads, writes and verifies inner chunks apart from each other. A codec that
// embeds [Shards] has this trait and all others that follow from it.
type Container interface {
	// Layout returns how the inner chunks lie in the encoding.
	Layout() *Shards
}

// InnerNaming is the trait of a [Container] whose configuration names the codecs of
// its inner chunks.
type InnerNaming interface {
	// SpecWithInner is Spec with other codecs for the inner chunks.
	SpecWithInner(inner []Spec) Spec
}

// Traits of verification without decoding.

// Verifier is the trait of a codec that can tell damage of its encodings without
// giving away what they decode to.
type Verifier interface {
	// Verification says what Verify does and what it costs.
	Verification() Verification
	// Verify looks at an encoding and reads no more of it than that takes.
	// Damage is ErrCorrupt or ErrTooLarge.
	Verify(ctx context.Context, in Input) error
}

// Verification is how a [Verifier] looks at an encoding.
type Verification struct {
	// All: it reads all bytes of the encoding.
	All bool
	// Checksum: it compares a checksum. The chain undoes the codecs behind for
	// its sake.
	Checksum bool
	// InPieces: it needs no more than VerifyPiece bytes of the encoding in memory.
	InPieces bool
	// Memory is how many bytes it takes beside an encoding that is in memory.
	Memory int
	// MemoryReading is the same for an encoding that it reads where it is stored;
	// 0: as Memory.
	MemoryReading int
}

// Enclosing is the trait of a [BytesToBytes] codec whose encoding contains what was
// encoded, as it was, and a checksum. To verify what is inside costs nothing then.
type Enclosing interface {
	Verifier
	// Enclosed returns the part of an encoding that was verified which is what
	// was encoded.
	Enclosed(in Input) Input
}

// Checking is the trait of an [ArrayToBytes] codec that can judge an encoding which
// comes in pieces.
type Checking interface {
	// Check returns a new judge. The bytes of the encoding are written to it;
	// Close tells whether they were complete. Its errors are ErrCorrupt.
	Check() io.WriteCloser
}

// Streaming is the trait of a [BytesToBytes] codec whose Verify can also hand on
// what an encoding decodes to, one piece after the other.
type Streaming interface {
	Verifier
	// VerifyInto is Verify. It writes to and closes to what the encoding
	// decodes to, unless that takes more memory than Verify may have.
	VerifyInto(ctx context.Context, in Input, to io.WriteCloser) error
}

// Traits that tell what becomes of values.

// Selective is the trait of a codec for arrays that may refuse values of their data
// type.
type Selective interface {
	// Refuses reports whether there are such values.
	Refuses() bool
}

// Hazardous is the trait of a codec that knows of hazards.
type Hazardous interface {
	// Hazards lists what the codec knows of. Codec is left empty, and so is
	// Name, unless that of a codec within is meant: the chain knows them.
	Hazards() []Hazard
}

// Lossy is the trait of a codec whose definition says that it is lossy: it tells
// what its configuration loses of its data type.
type Lossy interface {
	// Losses lists what is lost. AtMost is in the numbers that the codec
	// receives. Name is left empty, unless that of a codec within is meant: the
	// chain knows it.
	Losses() []Loss
}

// Rescaling is the trait of an [ArrayToArray] codec that makes other numbers of the
// same values.
type Rescaling interface {
	// Unit is how much of what the codec receives is 1 of what it makes, or 0
	// where that is not the same for all values.
	Unit() float64
}

// Stable is the trait of a codec whose definition says that it is lossy, and which
// may be known to lose nothing more when what it decoded is encoded again.
type Stable interface {
	// Stable reports whether values that were decoded come back bit for bit,
	// however often they are encoded and decoded again. next is the bound codec
	// behind this one, nil where there is none.
	Stable(next any) bool
}

// Absorbing is the trait of an [ArrayToArray] codec that may round what a codec in
// front computes.
type Absorbing interface {
	// Absorbs reports whether numbers that are a little off, by less than half
	// the distance of neighbours in the encoded type, are encoded as if they
	// were not.
	Absorbs() bool
}

// Other traits.

// NearestPadded is the trait of an [ArrayToBytes] codec that tells how chunks which
// reach beyond the array are best padded.
type NearestPadded interface {
	// PadsNearest reports whether the elements at the array's edge are better
	// there than the fill value, which would cost its neighbours precision.
	PadsNearest() bool
}

// ByteOrdered is the trait of an [ArrayToBytes] codec that stores words in a byte
// order.
type ByteOrdered interface {
	// ByteOrder is NoOrder where elements have no words.
	ByteOrder() dtype.Order
}

// OrderNaming is the trait of an [ArrayToArray] codec whose configuration names
// data types with a byte order, as NumPy does. zarr-python before 3.4 takes it for
// the order of the bytes, so it has to be that of the stored words.
type OrderNaming interface {
	// SpecIn is Spec with the type that the codec receives named in one order
	// and the type that it makes in another. It returns the order in which it
	// has named the latter.
	SpecIn(received, made dtype.Order) (Spec, dtype.Order)
}

// Extents is the trait of a [Codec] that is not bound yet: whether it can be bound
// depends on the extents of the chunk.
type Extents interface {
	// Extents returns a shape that the codec can be bound to, nil where it does
	// not know one.
	Extents() []int
}
