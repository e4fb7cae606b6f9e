package codecs

import (
	"context"
	"hash/crc32"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Input is a stored object that can be read in parts. It is used by one caller
// at a time.
type Input interface {
	// Size is the length of the object in bytes.
	Size() int64
	// ReadAt fills p from byte off on, which lies within the object.
	ReadAt(ctx context.Context, p []byte, off int64) error
}

// Gapped is an optional ability of an Input: to tell what requests cost.
type Gapped interface {
	// GapBytes is how many useless bytes are cheaper to read than one request
	// more.
	GapBytes() int
}

// Summed is an optional ability of an Input: to tell a checksum of all its bytes
// that is stored apart from them.
type Summed interface {
	// Sum returns the CRC and the table of its polynomial, nil where there is none.
	Sum() (table *crc32.Table, sum uint32)
}

// GapBytes is [Gapped] for any Input.
func GapBytes(in Input) int {
	const usual = 16 << 10
	if g, ok := in.(Gapped); ok {
		return g.GapBytes()
	}
	return usual
}

// Granularity returns the shape of the boxes that can be decoded apart from
// each other at little more cost than their own: the inner chunks of shards,
// single elements where each has its place in the bytes, else the chunk itself. What
// lies in one box is best read at once and kept.
func (c *Chain) Granularity() []int {
	shape := c.in.Shape
	if s, ok := c.Parted(); ok {
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

// Concurrency is how many workers one chunk can keep busy: one for each inner
// chunk of a shard; else one, for then the chunks themselves are what workers
// share.
func (c *Chain) Concurrency() int {
	if s, ok := c.Parted(); ok {
		return s.n
	}
	return 1
}

// regional reports whether all array → array codecs can decode boxes.
func (c *Chain) regional() bool {
	for _, a := range c.arrays {
		if _, ok := a.(Regional); !ok {
			return false
		}
	}
	return true
}

// Object is a stored chunk that was opened to be decoded in parts. What has to
// be read before any element, the index of a shard, was read then and is kept.
// It is safe for concurrent use if its Input is.
type Object struct {
	chain *Chain
	in    Input
	shard *openShard // nil: nothing is kept
}

// Open opens an encoded chunk, from which nothing is read but the index of a
// shard. Damage is ErrCorrupt or ErrTooLarge.
func (c *Chain) Open(ctx context.Context, in Input) (*Object, error) {
	o := &Object{chain: c, in: in}
	if s, ok := c.indexed(); ok {
		var err error
		if o.shard, err = s.open(ctx, in); err != nil {
			return nil, &Error{len(c.arrays), c.specs[len(c.arrays)].Name, err}
		}
	}
	return o, nil
}

// indexed returns the shards whose index Open keeps: those that the chain
// decodes boxes of and that no bytes → bytes codec follows.
func (c *Chain) indexed() (*Shards, bool) {
	s := c.container()
	return s, s != nil && len(c.binary) == 0 && c.regional()
}

// Kept returns the most bytes that an opened object of the chain keeps in
// memory.
func (c *Chain) Kept() int {
	if s, ok := c.indexed(); ok {
		return s.kept()
	}
	return 0
}

// RegionMemory is what [Chain.Memory] is for DecodeRegion: the most bytes of
// buffers that one call holds at the same time, dst and what is kept not
// included.
func (c *Chain) RegionMemory() int {
	most, last := c.arraysMemory(false)
	if s, ok := c.indexed(); ok {
		return max(most, last+ndarray.Rounded(MaxRun)+s.inner.RegionMemory())
	}
	// Beside what Decode takes there is either the whole chunk or an array that
	// Decode leaves out.
	whole, _ := ndarray.Bytes(c.in.Type, c.in.Shape)
	return max(ndarray.Rounded(whole), last) + c.Memory()
}

// partial reports whether a box is decoded from less than the whole encoding.
func (c *Chain) partial() bool {
	_, ranged := c.bytes.(Ranged)
	return ranged && len(c.binary) == 0 && c.regional()
}

// DecodeRegion fills dst with a box of an encoded chunk, the elements from
// start on, and reads no more of in than its codecs need for it. Damage is
// ErrCorrupt or ErrTooLarge.
func (c *Chain) DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error {
	o, err := c.Open(ctx, in)
	if err != nil {
		return err
	}
	return o.DecodeRegion(ctx, pool, dst, start)
}

// DecodeRegion is [Chain.DecodeRegion] for an opened object.
func (o *Object) DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int) error {
	c := o.chain
	if o.shard == nil && slices.Equal(dst.Shape, c.in.Shape) {
		return c.decodeAll(ctx, pool, dst, o.in)
	}
	ranged, ok := c.bytes.(Ranged)
	if !ok || !c.regional() {
		return c.decodeAround(ctx, pool, dst, start, o.in)
	}
	tally := dst.Heap.Tally()
	defer tally.End()
	in, release, err := c.decoded(ctx, pool, o.in, tally)
	var to target
	region := ndarray.Region{Start: start, Shape: dst.Shape}
	boxes := []ndarray.Region{region} // of each stage
	if err == nil {
		for _, a := range c.arrays {
			region = a.(Regional).EncodedRegion(region)
			boxes = append(boxes, region)
		}
		to = c.target(pool, dst, len(c.arrays), boxes)
		if o.shard != nil {
			err = o.shard.decodeRegion(ctx, pool, to.view, region.Start)
		} else {
			err = ranged.DecodeRegion(ctx, pool, to.view, region.Start, in)
		}
		err = c.fault(len(c.arrays), err)
	}
	release()
	if err != nil {
		to.release()
		return err
	}
	return c.decodeArrays(pool, dst, to, boxes)
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

// decodeAround decodes the whole chunk and copies the box out of it.
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

// readAll reads an object whole, if it is not larger than it may be. The buffer
// is nil for what is in memory already; tally counts it where nothing bounds the size
// of an object.
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

// decoded returns the bytes that the array → bytes codec made as an Input: the
// object itself where no bytes → bytes codec follows, else what they decode
// it to. Of a Blocked codec right behind it, only the ranges asked for are
// decoded. release gives the memory back.
func (c *Chain) decoded(ctx context.Context, pool *ndarray.Pool, in Input, tally *ndarray.Tally) (out Input, release func(), err error) {
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
	data, buffer, err = c.decodeBinary(pool, data, last, buffer, nil, tally)
	release = func() {
		if buffer != nil {
			buffer.Release()
		}
	}
	if err != nil || last == 0 {
		return InMemory(data), release, err
	}
	return blocks{data, blocked, c.sizes[0].Max}, release, nil
}

// InMemory is an Input in memory.
type InMemory []byte

// Size implements [Input].
func (m InMemory) Size() int64 { return int64(len(m)) }

// ReadAt implements [Input].
func (m InMemory) ReadAt(_ context.Context, p []byte, off int64) error {
	copy(p, m[off:])
	return nil
}

// blocks is an Input that decodes what is asked for.
type blocks struct {
	data  []byte
	codec Blocked
	size  int
}

func (b blocks) Size() int64 { return int64(b.size) }

func (b blocks) ReadAt(_ context.Context, p []byte, off int64) error {
	return b.codec.DecodeRange(p, b.data, int(off))
}

// Section returns a part of an Input: size bytes from byte off on.
func Section(in Input, off, size int64) Input {
	if data, ok := in.(InMemory); ok {
		return data[off:][:size]
	}
	return section{in, off, size}
}

// section is a part of an Input that is not in memory.
type section struct {
	in        Input
	off, size int64
}

func (s section) Size() int64 { return s.size }

func (s section) ReadAt(ctx context.Context, p []byte, off int64) error {
	return s.in.ReadAt(ctx, p, s.off+off)
}

// GapBytes implements [Gapped].
func (s section) GapBytes() int { return GapBytes(s.in) }

// ReadAll returns the bytes of an Input.
func ReadAll(ctx context.Context, in Input) ([]byte, error) {
	if data, ok := in.(InMemory); ok {
		return data, nil
	}
	data := make([]byte, in.Size())
	return data, in.ReadAt(ctx, data, 0)
}
