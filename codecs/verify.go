package codecs

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

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
	last := c.verify.last
	in, buffer, err := c.undo(ctx, in)
	if buffer != nil {
		defer buffer.Release()
	}
	if err != nil {
		return err
	}
	if last < 0 {
		if v, ok := c.bytes.(Verifier); ok {
			return c.fault(len(c.arrays), v.Verify(ctx, in))
		}
		return nil
	}
	at := len(c.arrays) + 1 + last
	if judge, ok := c.bytes.(Checking); ok && last == 0 {
		if s, ok := c.binary[0].(Streaming); ok {
			return c.fault(at, s.VerifyInto(ctx, in, judge.Check()))
		}
	}
	if v, ok := c.binary[last].(Verifier); ok {
		return c.fault(at, v.Verify(ctx, in))
	}
	return nil
}

// undo undoes the bytes → bytes codecs behind the one that Verify ends with.
// Checksums are compared and left out, where the object lies; what others decode to
// is in the buffer.
func (c *Chain) undo(ctx context.Context, in Input) (Input, *ndarray.Buffer, error) {
	var held *ndarray.Buffer
	for i := len(c.binary) - 1; i > c.verify.last; i-- {
		at := len(c.arrays) + 1 + i
		if s, ok := c.binary[i].(Enclosing); ok {
			if err := s.Verify(ctx, in); err != nil {
				return nil, held, c.fault(at, err)
			}
			in = s.Enclosed(in)
			continue
		}
		data, err := ReadAll(ctx, in)
		if err != nil {
			return nil, held, err
		}
		buffer, empty := c.lend(c.verify.pool, c.sizes[i])
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

// verifyPlan is how Verify goes about a chunk.
type verifyPlan struct {
	last int           // number of the bytes → bytes codec that it ends with; -1: the array → bytes codec
	end  Verification  // what that codec says
	pool *ndarray.Pool // of what the codecs behind decode to
}

// planVerify finds the codec that Verify ends with. Codecs behind the first one with
// a checksum are undone. Verify always looks behind an Enclosing codec, which costs
// nothing.
func (c *Chain) planVerify() verifyPlan {
	wanted, last := len(c.binary), len(c.binary)-1
	for i, b := range slices.Backward(c.binary) {
		if verificationOf(b).Checksum {
			wanted = i
		}
	}
	if verificationOf(c.bytes).Checksum {
		wanted = -1
	}
	for ; last >= 0; last-- {
		if _, ok := c.binary[last].(Enclosing); !ok && last <= wanted {
			break
		}
	}
	p := verifyPlan{last: last, end: verificationOf(c.bytes)}
	if last >= 0 {
		p.end = verificationOf(c.binary[last])
	}
	most := 0
	for _, s := range c.sizes {
		if !s.Unbounded {
			most += ndarray.Rounded(s.Max)
		}
	}
	p.pool = &ndarray.Pool{Keep: min(most*runtime.GOMAXPROCS(0), maxKept)}
	return p
}

// verificationOf is what any bound codec says of its Verify, which looks at nothing
// where there is none.
func verificationOf(codec any) Verification {
	if v, ok := codec.(Verifier); ok {
		return v.Verification()
	}
	return Verification{InPieces: true}
}

// VerifyPiece is the most bytes that Verify has in memory of an object that it
// reads all of, and in pieces.
const VerifyPiece = 4 << 20

// VerifiesAll reports whether Verify reads all of an object from its beginning to
// its end, which is then best read once and given to it in memory. It is false for
// shards, of which Verify reads inner chunks.
func (c *Chain) VerifiesAll() bool {
	return c.verify.last < len(c.binary)-1 || c.verify.end.All
}

// VerifiesInPieces reports whether Verify, where it reads all of an object that is
// not in memory, does so with no more than VerifyPiece bytes of it.
func (c *Chain) VerifiesInPieces() bool {
	for _, b := range c.binary[c.verify.last+1:] {
		if s, ok := b.(Enclosing); !ok || !s.Verification().InPieces {
			return false
		}
	}
	return !c.verify.end.All || c.verify.end.InPieces
}

// VerifyMemory returns the most bytes that Verify takes for an object that is in
// memory, without the object, or for one that is not.
func (c *Chain) VerifyMemory(inMemory bool) int {
	most, held := 0, 0
	for i := len(c.binary) - 1; i > c.verify.last; i-- {
		if _, ok := c.binary[i].(Enclosing); ok {
			continue
		}
		n := ndarray.Rounded(c.sizes[i].Max) // what the codec decodes to
		most, held = max(most, held+n+scratchOf(c.binary[i])), n
	}
	own := c.verify.end.Memory
	if !inMemory && c.verify.end.MemoryReading > 0 {
		own = c.verify.end.MemoryReading
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
