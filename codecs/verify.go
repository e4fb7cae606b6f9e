package codecs

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Verify reports damage of an encoded chunk as far as it shows without decoding
// elements:
//
//   - a size that no encoding has;
//   - headers that do not lead to the end of the object, or that state another size than
//     the chunk's;
//   - a checksum that does not match; the bytes → bytes codecs around the checksum are
//     undone for that;
//   - in a shard, a damaged index, ranges beyond the object, and all of this for each inner
//     chunk;
//   - in elements of variable size, wrong lengths or a wrong number of them.
//
// Verify reads no more of in than that takes. Damage is ErrCorrupt or ErrTooLarge.
func (c *Chain) Verify(ctx context.Context, in Input) error {
	size := c.Size()
	switch {
	case in.Size() > int64(size.Max) && !c.HasSpace():
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

// undo undoes the bytes → bytes codecs behind the one that Verify ends with. An
// [Enclosing] codec is undone in place: its checksum is compared, and the input shrinks
// to what the codec encloses. Other codecs decode into the buffer that undo returns.
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

// planVerify finds the codec that Verify ends with. It is the first codec with a
// checksum, or the last codec if none has one. Verify undoes the codecs behind it.
// Verify always looks behind an Enclosing codec, because that costs nothing.
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

// verificationOf returns the Verification of a bound codec. A codec that is no
// [Verifier] examines nothing.
func verificationOf(codec any) Verification {
	if v, ok := codec.(Verifier); ok {
		return v.Verification()
	}
	return Verification{InPieces: true}
}

// VerifyPiece is the most bytes of an object that Verify has in memory when it reads
// the object in pieces.
const VerifyPiece = 4 << 20

// VerifiesAll reports whether Verify reads an object from its beginning to its end.
// Such an object is best read once and given to Verify in memory. VerifiesAll is false
// for shards, because Verify reads their inner chunks one by one.
func (c *Chain) VerifiesAll() bool {
	return c.verify.last < len(c.binary)-1 || c.verify.end.All
}

// VerifiesInPieces reports whether Verify has at most VerifyPiece bytes of an object in
// memory when it reads the whole object from where it is stored.
func (c *Chain) VerifiesInPieces() bool {
	for _, b := range c.binary[c.verify.last+1:] {
		if s, ok := b.(Enclosing); !ok || !s.Verification().InPieces {
			return false
		}
	}
	return !c.verify.end.All || c.verify.end.InPieces
}

// VerifyMemory returns the most bytes that Verify allocates for an object that is in
// memory (the object itself not included), or for an object that is not.
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
