package codecs

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
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

// Regional is an optional ability of an ArrayToArray codec: to decode a box
// without the rest. Its Encode and Decode, or its views, take arrays of any
// shape, each with the shape that EncodedRegion gives for the other.
type Regional interface {
	// EncodedRegion returns the box of the encoded array that a box of the
	// array bound to is decoded from.
	EncodedRegion(r ndarray.Region) ndarray.Region
}

// Ranged is an optional ability of an ArrayToBytes codec: to decode a box from
// parts of the encoded bytes.
type Ranged interface {
	// DecodeRegion fills dst with the elements from start on.
	DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error
}

// Blocked is an optional ability of a BytesToBytes codec: to decode a range of
// bytes without those before it.
type Blocked interface {
	// DecodeRange fills dst with the decoded bytes from off on; src is the
	// whole encoding.
	DecodeRange(dst, src []byte, off int) error
}

// Granularity returns the shape of the boxes that can be decoded apart from
// each other at little more cost than their own: the inner chunks of shards,
// single elements where nothing is compressed, else the chunk itself. What
// lies in one box is best read at once and kept.
func (c *Chain) Granularity() []int {
	shape := c.in.Shape
	if s, ok := c.Shards(); ok {
		return s.inner.Granularity()
	}
	if _, ranged := c.bytes.(Ranged); ranged && len(c.binary) == 0 && c.regional() {
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
	if s, ok := c.Shards(); ok {
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

// DecodeRegion fills dst with a box of an encoded chunk, the elements from
// start on, and reads no more of in than its codecs need for it. Damage is
// ErrCorrupt or ErrTooLarge.
func (c *Chain) DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error {
	ranged, ok := c.bytes.(Ranged)
	if !ok || !c.regional() {
		return c.decodeAround(ctx, pool, dst, start, in)
	}
	in, release, err := c.decoded(ctx, pool, in)
	defer release()
	if err != nil {
		return err
	}
	region := ndarray.Region{Start: start, Shape: dst.Shape}
	shapes := []ndarray.Region{region} // of each stage
	for _, a := range c.arrays {
		region = a.(Regional).EncodedRegion(region)
		shapes = append(shapes, region)
	}
	// From the last stage back: into views of dst as long as there are only
	// views in front, else into lent arrays.
	var held *ndarray.Buffer
	defer func() {
		if held != nil {
			held.Release()
		}
	}()
	to := c.regionTarget(pool, dst, shapes, len(c.arrays))
	err = ranged.DecodeRegion(ctx, pool, to.view, region.Start, in)
	held = to.buffer
	if err != nil {
		return &Error{len(c.arrays), c.names[len(c.arrays)], err}
	}
	for to.stage > 0 {
		from, i := to.base, to.stage-1
		to = c.regionTarget(pool, dst, shapes, i)
		err := c.arrays[i].Decode(to.view, from)
		if held != nil {
			held.Release()
		}
		held = to.buffer
		if err != nil {
			return &Error{i, c.names[i], err}
		}
	}
	return nil
}

// regionTarget is target for a box of the array of stage i.
func (c *Chain) regionTarget(pool *ndarray.Pool, dst ndarray.Array, shapes []ndarray.Region, i int) target {
	t := target{base: dst, stage: i}
	for t.stage > 0 {
		if _, ok := c.arrays[t.stage-1].(View); !ok {
			t.base, t.buffer = lendArray(pool, c.stages[t.stage].Type, shapes[t.stage].Shape)
			break
		}
		t.stage--
	}
	t.view = t.base
	for _, a := range c.arrays[t.stage:i] {
		t.view = a.(View).DecodeView(t.view)
	}
	return t
}

// lendArray lends an array from the pool.
func lendArray(pool *ndarray.Pool, t dtype.Type, shape []int) (ndarray.Array, *ndarray.Buffer) {
	n, _ := ndarray.Bytes(t, shape)
	buffer := pool.Get(n)
	a, err := ndarray.View(t, shape, buffer.Bytes)
	if err != nil {
		panic(err) // the buffer has the size of the view
	}
	return a, buffer
}

// decodeAround decodes the whole chunk and copies the box out of it.
func (c *Chain) decodeAround(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error {
	buffer, err := c.readAll(ctx, pool, in)
	if err != nil {
		return err
	}
	defer buffer.Release()
	whole, around := lendArray(pool, c.in.Type, c.in.Shape)
	defer around.Release()
	if err := c.Decode(pool, whole, buffer.Bytes); err != nil {
		return err
	}
	ndarray.Copy(dst, whole.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

// readAll reads an object whole, if it is not larger than it may be.
func (c *Chain) readAll(ctx context.Context, pool *ndarray.Pool, in Input) (*ndarray.Buffer, error) {
	size := in.Size()
	if size > int64(c.Size().Max) {
		return nil, fmt.Errorf("%w: the object has %d bytes, a chunk of shape %v at most %d", ErrTooLarge, size, c.in.Shape, c.Size().Max)
	}
	buffer := pool.Get(int(size))
	if err := in.ReadAt(ctx, buffer.Bytes, 0); err != nil {
		buffer.Release()
		return nil, err
	}
	return buffer, nil
}

// decoded returns the bytes that the array → bytes codec made as an Input: the
// object itself where no bytes → bytes codec follows, else what they decode
// it to. Of a Blocked codec right behind it, only the ranges asked for are
// decoded. release gives the memory back.
func (c *Chain) decoded(ctx context.Context, pool *ndarray.Pool, in Input) (out Input, release func(), err error) {
	if len(c.binary) == 0 {
		return in, func() {}, nil
	}
	buffer, err := c.readAll(ctx, pool, in)
	if err != nil {
		return nil, func() {}, err
	}
	last := 0
	blocked, ok := c.binary[0].(Blocked)
	if ok && c.sizes[0].Fixed {
		last = 1
	}
	data, buffer, err := c.decodeBinary(pool, buffer.Bytes, last, buffer)
	release = func() {
		if buffer != nil {
			buffer.Release()
		}
	}
	if err != nil || last == 0 {
		return memory(data), release, err
	}
	return blocks{data, blocked, c.sizes[0].Max}, release, nil
}

// memory is an Input in memory.
type memory []byte

func (m memory) Size() int64 { return int64(len(m)) }

func (m memory) ReadAt(_ context.Context, p []byte, off int64) error {
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

// section is a part of an Input.
type section struct {
	in        Input
	off, size int64
}

func (s section) Size() int64 { return s.size }

func (s section) ReadAt(ctx context.Context, p []byte, off int64) error {
	return s.in.ReadAt(ctx, p, s.off+off)
}

// DecodeRegion implements [Ranged]: the index, and of each inner chunk that
// the box meets what its own chain needs.
func (s *Shards) DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error {
	size := int64(s.IndexSize())
	if in.Size() < size {
		return fmt.Errorf("%w: %d bytes, the index alone has %d", ErrCorrupt, in.Size(), size)
	}
	index, at := make([]byte, size), int64(0)
	if !s.start {
		at = in.Size() - size
	}
	if err := in.ReadAt(ctx, index, at); err != nil {
		return err
	}
	places, err := s.ReadIndex(index, in.Size())
	if err != nil {
		return err
	}
	if dst.Len() == 0 {
		return nil
	}
	first, last := make([]int, len(start)), make([]int, len(start)) // inner chunks that the box meets
	for k, at := range start {
		first[k], last[k] = at/s.shape[k], (at+dst.Shape[k]-1)/s.shape[k]
	}
	for index := slices.Clone(first); index != nil; index = following(index, first, last) {
		i := s.number(index)
		p := places[i]
		from, to := overlap(s.Region(i), ndarray.Region{Start: start, Shape: dst.Shape})
		part := dst.Sub(to)
		if p == Absent {
			if err := s.fillPart(i, part); err != nil {
				return err
			}
			continue
		}
		if err := s.inner.DecodeRegion(ctx, pool, part, from.Start, section{in, int64(p.Offset), int64(p.Length)}); err != nil {
			return fmt.Errorf("inner chunk %v: %w", s.coordinates(i), err)
		}
	}
	return nil
}

// number is the inverse of coordinates.
func (s *Shards) number(index []int) int {
	n := 0
	for k, count := range s.count {
		n = n*count + index[k]
	}
	return n
}

// following returns the index behind one within the box from first to last, in
// C order, nil behind the last one. It changes index.
func following(index, first, last []int) []int {
	for k := len(index) - 1; k >= 0; k-- {
		if index[k]++; index[k] <= last[k] {
			return index
		}
		index[k] = first[k]
	}
	return nil
}

// overlap returns where two boxes of one array that meet do so, relative to
// each of them.
func overlap(a, b ndarray.Region) (inA, inB ndarray.Region) {
	shape := make([]int, len(a.Start))
	inA, inB = ndarray.Region{Shape: shape}, ndarray.Region{Shape: shape}
	for i := range shape {
		first := max(a.Start[i], b.Start[i])
		shape[i] = min(a.Start[i]+a.Shape[i], b.Start[i]+b.Shape[i]) - first
		inA.Start, inB.Start = append(inA.Start, first-a.Start[i]), append(inB.Start, first-b.Start[i])
	}
	return inA, inB
}

// DecodeRegion implements [Ranged].
func (b *bytesBound) DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error {
	if in.Size() != int64(b.size) {
		return fmt.Errorf("%w: %d bytes, the chunk has %d", ErrCorrupt, in.Size(), b.size)
	}
	if dst.Len() == 0 {
		return nil
	}
	strides := ndarray.CStrides(b.typ.Size(), b.shape)
	at := 0
	for i, first := range start {
		at += first * strides[i]
	}
	if err := b.decodeBox(ctx, pool, dst, at, strides, in); err != nil {
		return err
	}
	ndarray.ClearUnused(dst)
	return nil
}

// decodeBox reads a box that begins at byte at, in one piece unless that would
// be far more than its own bytes.
func (b *bytesBound) decodeBox(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, at int, strides []int, in Input) error {
	const slack = 16 << 10 // bytes that are read rather than asked for apart
	span := b.typ.Size()
	for i, n := range dst.Shape {
		span += (n - 1) * strides[i]
	}
	own := dst.Len() * b.typ.Size()
	if span-own > max(own/2, slack) {
		// Cut along the first dimension that has more than one index.
		k := 0
		for dst.Shape[k] == 1 {
			k++
		}
		r := ndarray.Region{Start: make([]int, len(dst.Shape)), Shape: append([]int{}, dst.Shape...)}
		r.Shape[k] = 1
		for i := range dst.Shape[k] {
			r.Start[k] = i
			if err := b.decodeBox(ctx, pool, dst.Sub(r), at+i*strides[k], strides, in); err != nil {
				return err
			}
		}
		return nil
	}
	buffer := pool.Get(span)
	defer buffer.Release()
	if err := in.ReadAt(ctx, buffer.Bytes, int64(at)); err != nil {
		return err
	}
	src := ndarray.Array{Type: b.typ, Data: buffer.Bytes, Shape: dst.Shape, Strides: strides}
	if b.swap != nil {
		ndarray.CopySwapped(dst, src, b.swap)
	} else {
		ndarray.Copy(dst, src)
	}
	return nil
}
