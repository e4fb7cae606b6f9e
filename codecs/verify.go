package codecs

import (
	"context"
	"fmt"
)

// verifier is a bytes → bytes codec that can tell damage without decoding.
type verifier interface {
	// verify looks at an encoding and reads no more of it than that takes.
	verify(ctx context.Context, in Input) error
}

// Verify reports damage of an encoded chunk as far as it can be told without
// decoding: a size that no encoding has, a checksum or a header behind which
// there are other bytes, and of a shard an index that is damaged or names bytes
// beyond the object. It reads no more of in than that takes. Damage is
// ErrCorrupt or ErrTooLarge.
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
	if last := len(c.binary) - 1; last >= 0 {
		if v, ok := c.binary[last].(verifier); ok {
			return c.fault(len(c.arrays)+1+last, v.verify(ctx, in))
		}
		return nil
	}
	if s, ok := c.bytes.(*Shards); ok {
		_, err := s.open(ctx, in)
		return c.fault(len(c.arrays), err)
	}
	return nil
}

// VerifiesAll reports whether Verify reads all of an object, which is then best
// read once and given to it in memory.
func (c *Chain) VerifiesAll() bool {
	n := len(c.binary)
	if n == 0 {
		return false
	}
	_, ok := c.binary[n-1].(*checksumBound)
	return ok
}

// tooLarge is the error about an object of more bytes than a chunk can have.
func (c *Chain) tooLarge(size int64) error {
	return fmt.Errorf("%w: the object has %d bytes, a chunk of shape %v at most %d", ErrTooLarge, size, c.in.Shape, c.Size().Max)
}
