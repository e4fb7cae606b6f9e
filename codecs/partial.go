package codecs

import (
	"context"
	"hash/crc32"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Input is a stored object that can be read in parts. One caller uses it at a time.
type Input interface {
	// Size returns the length of the object in bytes.
	Size() int64
	// ReadAt fills p with the bytes from offset off on. They lie within the object.
	ReadAt(ctx context.Context, p []byte, off int64) error
}

// Gapped is a trait of an Input that knows what requests cost.
type Gapped interface {
	// GapBytes returns how many bytes between two ranges are cheaper to read, although
	// nobody needs them, than a second request.
	GapBytes() int
}

// Summed is a trait of an Input that knows a checksum of all its bytes. The checksum is
// stored apart from the bytes.
type Summed interface {
	// Sum returns a CRC and the table of its polynomial. The table is nil if there is
	// no CRC.
	Sum() (table *crc32.Table, sum uint32)
}

// GapBytes returns the GapBytes of a [Gapped] Input, and a usual value for others.
func GapBytes(in Input) int {
	const usual = 16 << 10
	if g, ok := in.(Gapped); ok {
		return g.GapBytes()
	}
	return usual
}

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

// regional reports whether all array → array codecs can decode boxes.
func (c *Chain) regional() bool {
	for _, a := range c.arrays {
		if _, ok := a.(Regional); !ok {
			return false
		}
	}
	return true
}

// Object is a stored chunk, opened for decoding parts of it. For a shard, Open has read
// the index, and Object keeps it. An Object is safe for concurrent use if its Input is.
type Object struct {
	chain *Chain
	in    Input
	shard *openShard // nil if the chunk is no shard with an index to keep
}

// Open opens an encoded chunk. It reads the index of a shard, and nothing of other
// chunks. Damage is ErrCorrupt or ErrTooLarge.
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

// indexed returns the layout of the shards whose index Open keeps. For that, boxes must
// be decodable, and no bytes → bytes codec may follow the container.
func (c *Chain) indexed() (*Shards, bool) {
	s := c.container()
	return s, s != nil && len(c.binary) == 0 && c.regional()
}

// Kept returns the most bytes that an opened object of the chain keeps in memory.
func (c *Chain) Kept() int {
	if s, ok := c.indexed(); ok {
		return s.kept()
	}
	return 0
}

// RegionMemory returns the most bytes of buffers that one DecodeRegion holds at the
// same time. The memory of dst and what Kept counts are not included.
func (c *Chain) RegionMemory() int {
	most, last := c.arraysMemory(false)
	if s, ok := c.indexed(); ok {
		return max(most, last+ndarray.Rounded(MaxRun)+s.inner.RegionMemory())
	}
	// Besides the buffers of Decode, there is either the whole chunk or an array that
	// Decode does not need.
	whole, _ := ndarray.Bytes(c.in.Type, c.in.Shape)
	return max(ndarray.Rounded(whole), last) + c.Memory()
}

// partial reports whether boxes can be decoded from a part of the encoding.
func (c *Chain) partial() bool {
	_, ranged := c.bytes.(Ranged)
	return ranged && len(c.binary) == 0 && c.regional()
}

// DecodeRegion fills dst with a box of an encoded chunk. The box begins at index start
// and has the shape of dst. DecodeRegion reads no more of in than the codecs need.
// Damage is ErrCorrupt or ErrTooLarge.
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
	boxes := []ndarray.Region{region} // boxes[i] is the box of stage i
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

// decoded returns what the array → bytes codec has made, as an Input. Without bytes →
// bytes codecs that is the object itself, otherwise what they decode. If the first of
// them is Blocked, only the ranges that a caller reads are decoded. release gives the
// memory back.
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

// InMemory is an Input whose bytes are in memory.
type InMemory []byte

// Size implements [Input].
func (m InMemory) Size() int64 { return int64(len(m)) }

// ReadAt implements [Input].
func (m InMemory) ReadAt(_ context.Context, p []byte, off int64) error {
	copy(p, m[off:])
	return nil
}

// blocks is an Input that decodes the ranges that are read.
type blocks struct {
	data  []byte
	codec Blocked
	size  int
}

func (b blocks) Size() int64 { return int64(b.size) }

func (b blocks) ReadAt(_ context.Context, p []byte, off int64) error {
	return b.codec.DecodeRange(p, b.data, int(off))
}

// Section returns a section of an Input: size bytes from offset off on.
func Section(in Input, off, size int64) Input {
	if data, ok := in.(InMemory); ok {
		return data[off:][:size]
	}
	return section{in, off, size}
}

// section is a section of an Input that is not in memory.
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

// ReadAll returns all bytes of an Input.
func ReadAll(ctx context.Context, in Input) ([]byte, error) {
	if data, ok := in.(InMemory); ok {
		return data, nil
	}
	data := make([]byte, in.Size())
	return data, in.ReadAt(ctx, data, 0)
}
