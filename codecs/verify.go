package codecs

import (
	"context"
	"fmt"
	"runtime"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// verifier is a bytes → bytes codec that can tell damage without giving away what
// it decodes to.
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

// Verify reports damage of an encoded chunk as far as it can be told without
// decoding elements: a size that no encoding has, headers that do not lead to the
// end of the object, and what a checksum tells, for which bytes → bytes codecs
// around it are undone. Of a shard these are the index, ranges beyond the object,
// and all of this for each inner chunk. It reads no more of in than that takes.
// Damage is ErrCorrupt or ErrTooLarge.
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
	if last < len(c.binary)-1 {
		data, err := all(ctx, in)
		if err != nil {
			return err
		}
		data, buffer, err := c.decodeBinary(c.undone, data, last+1, nil, nil)
		if buffer != nil {
			defer buffer.Release()
		}
		if err != nil {
			return err
		}
		in = InMemory(data)
	}
	if last >= 0 {
		if v, ok := c.binary[last].(verifier); ok {
			return c.fault(len(c.arrays)+1+last, v.verify(ctx, in))
		}
		return nil
	}
	if s, ok := c.bytes.(*Shards); ok {
		return c.fault(len(c.arrays), s.verify(ctx, in))
	}
	return nil
}

// innermost is the number of the bytes → bytes codec that Verify ends with: the
// first one with a checksum, else the last one. It is -1 where all of them are
// undone, for the sake of a shard.
func (c *Chain) innermost() int {
	if _, ok := c.bytes.(*Shards); ok {
		return -1
	}
	for i, b := range c.binary {
		if v, ok := b.(verifier); ok && v.verifies().sum {
			return i
		}
	}
	return len(c.binary) - 1
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
	last := c.innermost()
	if last < len(c.binary)-1 {
		return true
	}
	if last < 0 {
		return false
	}
	v, ok := c.binary[last].(verifier)
	return ok && v.verifies().all
}

// VerifiesInPieces reports whether Verify, where it reads all of an object that is
// not in memory, does so with no more than VerifyPiece bytes of it.
func (c *Chain) VerifiesInPieces() bool {
	last := c.innermost()
	if last < len(c.binary)-1 {
		return false
	}
	if last < 0 {
		s, ok := c.bytes.(*Shards)
		return !ok || !s.inner.Size().Unbounded || s.inner.VerifiesInPieces()
	}
	v, ok := c.binary[last].(verifier)
	return !ok || !v.verifies().all || v.verifies().pieces
}

// VerifyMemory returns the most bytes that Verify takes for an object that is in
// memory, without the object, or for one that is not.
func (c *Chain) VerifyMemory(inMemory bool) int {
	last := c.innermost()
	most, held := 0, 0
	for i := len(c.binary) - 1; i > last; i-- {
		n := ndarray.Rounded(c.sizes[i].Max) // what the codec decodes to
		most, held = max(most, held+n+scratchOf(c.binary[i])), n
	}
	own := 0
	if last < 0 {
		if s, ok := c.bytes.(*Shards); ok {
			own = s.verifyMemory(inMemory)
		}
	} else if v, ok := c.binary[last].(verifier); ok {
		own = v.verifies().memory
		if !inMemory && last == len(c.binary)-1 && v.verifies().all {
			own += min(VerifyPiece, c.Size().Max)
		}
	}
	return max(most, held+own)
}

// tooLarge is the error about an object of more bytes than a chunk can have.
func (c *Chain) tooLarge(size int64) error {
	return fmt.Errorf("%w: the object has %d bytes, a chunk of shape %v at most %d", ErrTooLarge, size, c.in.Shape, c.Size().Max)
}
