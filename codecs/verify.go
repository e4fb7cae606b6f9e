package codecs

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// verifier is a codec that can tell damage of its encodings without giving away what
// they decode to.
type verifier interface {
	verifies() verification
	// verify looks at an encoding and reads no more of it than that takes.
	verify(ctx context.Context, in Input) error
}

// verification is how a verifier does so.
type verification struct {
	all    bool // it reads all bytes
	sum    bool // and compares a checksum of them or of what they mean
	pieces bool // it needs no more than VerifyPiece bytes in memory
	memory int  // bytes that it takes beside the encoding
}

// streamer is a verifier that can also hand on what an encoding decodes to, one piece
// after the other.
type streamer interface {
	verifier
	// verifyInto is verify, and writes what the encoding decodes to, unless that
	// takes more memory than verify may have.
	verifyInto(ctx context.Context, in Input, to *vlenCheck) error
}

// Verify reports damage of an encoded chunk as far as it can be told without
// decoding elements: a size that no encoding has, headers that do not lead to the
// end of the object or tell of another size than the chunk has, and what a checksum
// tells, for which bytes → bytes codecs around it are undone. Of a shard these are
// the index, ranges beyond the object, and all of this for each inner chunk; of
// elements of variable size, their number and their lengths. It reads no more of in
// than that takes. Damage is ErrCorrupt or ErrTooLarge.
func (c *Chain) Verify(ctx context.Context, in Input) error {
	size := c.Size()
	switch {
	case in.Size() > int64(size.Max):
		return c.tooLarge(in.Size())
	case size.Fixed && in.Size() < int64(size.Max):
		return fmt.Errorf("%w: the object has %d bytes, a chunk of shape %v exactly %d", ErrCorrupt, in.Size(), c.in.Shape, size.Max)
	case in.Size() == 0 && size.Max > 0:
		return fmt.Errorf("%w: the object is empty", ErrCorrupt)
	}
	last := c.innermost()
	in, buffer, err := c.undo(ctx, in, last)
	if buffer != nil {
		defer buffer.Release()
	}
	if err != nil {
		return err
	}
	if last < 0 {
		if v, ok := c.bytes.(verifier); ok {
			return c.fault(len(c.arrays), v.verify(ctx, in))
		}
		return nil
	}
	at := len(c.arrays) + 1 + last
	if texts, ok := c.bytes.(*vlenBound); ok && last == 0 {
		if s, ok := c.binary[0].(streamer); ok {
			return c.fault(at, s.verifyInto(ctx, in, texts.check()))
		}
	}
	if v, ok := c.binary[last].(verifier); ok {
		return c.fault(at, v.verify(ctx, in))
	}
	return nil
}

// undo undoes the bytes → bytes codecs behind number last. Checksums are compared and
// left out, where the object lies; what others decode to is in the buffer.
func (c *Chain) undo(ctx context.Context, in Input, last int) (Input, *ndarray.Buffer, error) {
	var held *ndarray.Buffer
	for i := len(c.binary) - 1; i > last; i-- {
		at := len(c.arrays) + 1 + i
		if s, ok := c.binary[i].(*checksumBound); ok {
			if err := s.verify(ctx, in); err != nil {
				return nil, held, c.fault(at, err)
			}
			in = s.without(in)
			continue
		}
		data, err := all(ctx, in)
		if err != nil {
			return nil, held, err
		}
		buffer, empty := c.lend(c.undone, c.sizes[i])
		out, err := c.binary[i].AppendDecode(empty, data)
		if held != nil {
			held.Release()
		}
		held = buffer
		if err != nil {
			return nil, held, c.fault(at, err)
		}
		in = InMemory(out)
	}
	return in, held, nil
}

// innermost is the number of the bytes → bytes codec that Verify ends with, -1 where
// it ends with the array → bytes codec. Codecs behind the first one with a checksum
// are undone, or all of them for the sake of shards and blocks. Checksums are always
// looked behind, which costs nothing.
func (c *Chain) innermost() int {
	wanted := len(c.binary)
	for i, b := range slices.Backward(c.binary) {
		if v, ok := b.(verifier); ok && v.verifies().sum {
			wanted = i
		}
	}
	switch c.bytes.(type) {
	case *Shards, *n5Bound:
		wanted = -1
	}
	last := len(c.binary) - 1
	for ; last >= 0; last-- {
		if _, sum := c.binary[last].(*checksumBound); !sum && last <= wanted {
			break
		}
	}
	return last
}

// ending is how Verify ends: what the last codec that it looks at says.
func (c *Chain) ending() verification {
	var codec any = c.bytes
	if last := c.innermost(); last >= 0 {
		codec = c.binary[last]
	}
	if v, ok := codec.(verifier); ok {
		return v.verifies()
	}
	return verification{pieces: true}
}

// keptUndone is the Pool of what Verify decodes of objects of a chain.
func (c *Chain) keptUndone() *ndarray.Pool {
	most := 0
	for _, s := range c.sizes {
		if !s.Unbounded {
			most += ndarray.Rounded(s.Max)
		}
	}
	return &ndarray.Pool{Keep: min(most*runtime.GOMAXPROCS(0), maxKept)}
}

// VerifyPiece is the most bytes that Verify has in memory of an object that it
// reads all of, and in pieces.
const VerifyPiece = 4 << 20

// VerifiesAll reports whether Verify reads all of an object from its beginning to
// its end, which is then best read once and given to it in memory. It is false for
// shards, of which Verify reads inner chunks.
func (c *Chain) VerifiesAll() bool {
	return c.innermost() < len(c.binary)-1 || c.ending().all
}

// VerifiesInPieces reports whether Verify, where it reads all of an object that is
// not in memory, does so with no more than VerifyPiece bytes of it.
func (c *Chain) VerifiesInPieces() bool {
	for _, b := range c.binary[c.innermost()+1:] {
		if s, ok := b.(*checksumBound); !ok || !s.verifies().pieces {
			return false
		}
	}
	end := c.ending()
	return !end.all || end.pieces
}

// VerifyMemory returns the most bytes that Verify takes for an object that is in
// memory, without the object, or for one that is not.
func (c *Chain) VerifyMemory(inMemory bool) int {
	last := c.innermost()
	most, held := 0, 0
	for i := len(c.binary) - 1; i > last; i-- {
		if _, ok := c.binary[i].(*checksumBound); ok {
			continue
		}
		n := ndarray.Rounded(c.sizes[i].Max) // what the codec decodes to
		most, held = max(most, held+n+scratchOf(c.binary[i])), n
	}
	own := c.ending().memory
	if s, ok := c.bytes.(*Shards); ok && last < 0 {
		own = s.verifyMemory(inMemory)
	}
	if !inMemory && held == 0 && c.VerifiesAll() {
		own += min(VerifyPiece, c.Size().Max)
	}
	return max(most, held+own)
}

// tooLarge is the error about an object of more bytes than a chunk can have.
func (c *Chain) tooLarge(size int64) error {
	return fmt.Errorf("%w: the object has %d bytes, a chunk of shape %v at most %d", ErrTooLarge, size, c.in.Shape, c.Size().Max)
}
