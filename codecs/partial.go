package codecs

import (
	"context"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Granularity returns the shape of the boxes that can be decoded separately at little
// extra cost: inner chunks for shards, single elements if each has its own place in the
// bytes, and otherwise the whole chunk. A reader best reads the elements of one box at
// once and keeps them.
func (c *Chain) Granularity() []int {
	shape := c.in.Shape
	if s, ok := c.InnerChunks(); ok {
		return s.inner.Granularity()
	}
	if c.partial() {
		ones := make([]int, len(shape))
		for i := range ones {
			ones[i] = 1
		}
		return ones
	}
	return shape
}

// Concurrency returns how many workers one chunk can keep busy: for a shard one for
// each inner chunk, and otherwise one.
func (c *Chain) Concurrency() int {
	if s, ok := c.InnerChunks(); ok {
		return s.n
	}
	return 1
}

// indexed returns the layout of the shards whose index Open keeps. For that, boxes must
// be decodable, and no bytes → bytes codec may follow the container.
func (c *Chain) indexed() (*Shards, bool) {
	s := c.container()
	return s, s != nil && len(c.binary) == 0 && c.regional()
}

// HasSpace reports whether an encoded chunk may be larger than Size says. Programs that replace
// inner chunks in a shard leave the old ones there, as bytes that its index does not name.
func (c *Chain) HasSpace() bool {
	_, ok := c.indexed()
	return ok
}

// partial reports whether boxes can be decoded from a part of the encoding.
func (c *Chain) partial() bool {
	_, ranged := c.bytes.(Ranged)
	return ranged && len(c.binary) == 0 && c.regional()
}

// decodeAll decodes the whole chunk.
func (c *Chain) decodeAll(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, in Input) error {
	tally := dst.Heap.Tally()
	defer tally.End()
	data, buffer, err := c.readAll(ctx, pool, in, tally)
	if err != nil {
		return err
	}
	if buffer != nil {
		defer buffer.Release()
	}
	return c.Decode(pool, dst, data)
}

// decodeAround decodes the whole chunk and copies the box.
func (c *Chain) decodeAround(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error {
	whole, around := lendArray(pool, c.in.Type, c.in.Shape)
	defer around.Release()
	tally := whole.Borrow(dst)
	defer tally.End()
	if err := c.decodeAll(ctx, pool, whole, in); err != nil {
		return err
	}
	ndarray.Copy(dst, whole.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return dst.Heap.Err()
}

// readAll reads a whole object, unless it is larger than an encoded chunk can be. The
// buffer is nil if the object is in memory already. tally counts the buffer if the size
// is unbounded.
func (c *Chain) readAll(ctx context.Context, pool *ndarray.Pool, in Input, tally *ndarray.Tally) ([]byte, *ndarray.Buffer, error) {
	size := in.Size()
	if size > int64(c.Size().Max) {
		return nil, nil, c.tooLarge(size)
	}
	if m, ok := in.(InMemory); ok {
		return m, nil, nil
	}
	if c.Size().Unbounded {
		if err := tally.Take(ndarray.Rounded(int(size))); err != nil {
			return nil, nil, err
		}
	}
	buffer := pool.Get(int(size))
	if err := in.ReadAt(ctx, buffer.Bytes, 0); err != nil {
		buffer.Release()
		return nil, nil, err
	}
	return buffer.Bytes, buffer, nil
}

// decoded returns what the array → bytes codec has made, as an Input, for a box of what that
// codec encodes. Without bytes → bytes codecs that is the object itself, otherwise what they
// decode. If the first of them is Blocked, only the ranges that a caller reads are decoded. If
// it is Stopping, only the front that the box needs may be decoded. release gives the memory
// back.
func (c *Chain) decoded(ctx context.Context, pool *ndarray.Pool, box ndarray.Region, in Input, tally *ndarray.Tally) (out Input, release func(), err error) {
	if len(c.binary) == 0 {
		return in, func() {}, nil
	}
	data, buffer, err := c.readAll(ctx, pool, in, tally)
	if err != nil {
		return nil, func() {}, err
	}
	last := 0
	blocked, ok := c.binary[0].(Blocked)
	if ok && c.sizes[0].Fixed {
		last = 1
	}
	stopping, front := c.front(box)
	if stopping != nil {
		last = 1
	}
	data, buffer, err = c.decodeBinary(pool, data, last, buffer, nil, tally)
	release = func() {
		if buffer != nil {
			buffer.Release()
		}
	}
	if err != nil || last == 0 {
		return InMemory(data), release, err
	}
	if stopping != nil {
		encoded := buffer
		buffer = pool.Get(c.sizes[0].Max)
		err = c.fault(len(c.arrays)+1, stopping.DecodeFront(buffer.Bytes, data, front))
		if encoded != nil {
			encoded.Release()
		}
		return InMemory(buffer.Bytes), release, err
	}
	return blocks{c, data, blocked}, release, nil
}

// front returns the first bytes → bytes codec if it can stop decoding early, and how many bytes
// a box needs. It returns nil if the box needs all bytes.
func (c *Chain) front(box ndarray.Region) (Stopping, int) {
	stopping, ok := c.binary[0].(Stopping)
	leading, leads := c.bytes.(Leading)
	if !ok || !leads || !c.sizes[0].Fixed {
		return nil, 0
	}
	n := leading.Leading(box.Start, box.Shape)
	if n >= c.sizes[0].Max {
		return nil, 0
	}
	return stopping, n
}

// blocks is an Input that decodes the ranges that are read, by the first bytes → bytes codec
// of a chain.
type blocks struct {
	chain *Chain
	data  []byte
	codec Blocked
}

func (b blocks) Size() int64 { return int64(b.chain.sizes[0].Max) }

func (b blocks) ReadAt(_ context.Context, p []byte, off int64) error {
	if err := b.codec.DecodeRange(p, b.data, int(off)); err != nil {
		return blockError{b.chain.fault(len(b.chain.arrays)+1, err)}
	}
	return nil
}

// blockError is an error of [blocks], which names its codec already.
type blockError struct{ error }

func (e blockError) Unwrap() error { return e.error }
