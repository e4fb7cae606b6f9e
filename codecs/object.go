package codecs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

const (
	// MaxRun bounds the bytes of a shard that are read at once, unless a single inner
	// chunk has more.
	MaxRun = 4 << 20
	// smallPart is the size up to which an inner chunk is read whole, even if a part of
	// it would do.
	smallPart = 64 << 10
	// maxBatch is how many inner chunks are sorted by their offsets together.
	maxBatch = 1024
	// maxKeptInner bounds the indexes of inner shards that an opened shard keeps. If
	// they can be larger, they are read again for each region.
	maxKeptInner = 1 << 20
)

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

// DecodeRegion fills dst with a box of an encoded chunk. The box begins at index start
// and has the shape of dst. DecodeRegion reads no more of in than the codecs need.
// Damage of what it reads and decodes is ErrCorrupt or ErrTooLarge.
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
	region := ndarray.Region{Start: start, Shape: dst.Shape}
	boxes := []ndarray.Region{region} // boxes[i] is the box of stage i
	for _, a := range c.arrays {
		region = a.(Regional).EncodedRegion(region)
		boxes = append(boxes, region)
	}
	in, release, err := c.decoded(ctx, pool, region, o.in, tally)
	var to target
	if err == nil {
		to = c.target(pool, dst, len(c.arrays), boxes)
		if o.shard != nil {
			err = o.shard.decodeRegion(ctx, pool, to.view, region.Start)
		} else {
			err = ranged.DecodeRegion(ctx, pool, to.view, region.Start, in)
		}
		if found, ok := errors.AsType[blockError](err); ok {
			err = found.error
		} else {
			err = c.fault(len(c.arrays), err)
		}
	}
	release()
	if err != nil {
		to.release()
		return err
	}
	return c.decodeArrays(pool, dst, to, boxes)
}

// openShard is a shard whose index was read. It is safe for concurrent use.
type openShard struct {
	shards *Shards
	in     Input
	places []Place

	mu    sync.Mutex
	inner map[int]*Object // opened inner chunks that are shards themselves; nil: none is kept
}

// open reads the index of a shard.
func (s *Shards) open(ctx context.Context, in Input) (*openShard, error) {
	size := int64(s.IndexSize())
	if in.Size() < size {
		return nil, fmt.Errorf("%w: %d bytes, the index alone has %d", ErrCorrupt, in.Size(), size)
	}
	index, at := make([]byte, size), int64(0)
	if !s.AtStart() {
		at = in.Size() - size
	}
	if err := in.ReadAt(ctx, index, at); err != nil {
		return nil, err
	}
	places, err := s.ReadIndex(index, in.Size())
	if err != nil {
		return nil, err
	}
	o := &openShard{shards: s, in: in, places: places}
	if s.keptInner() > 0 {
		o.inner = map[int]*Object{}
	}
	return o, nil
}

// kept returns the most memory that an opened shard takes for its indexes.
func (s *Shards) kept() int { return s.n*placeBytes + s.keptInner() }

// keptInner returns the part of kept that is for the indexes of inner shards.
func (s *Shards) keptInner() int {
	const entry = 128 // for an entry of the map and the values around an index
	if one := s.inner.Kept(); one > 0 && s.n <= maxKeptInner/(one+entry) {
		return s.n * (one + entry)
	}
	return 0
}

// DecodeRegion implements [Ranged]. It reads the index, and what the inner chain needs
// of each inner chunk that the box meets.
func (s *Shards) DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in Input) error {
	o, err := s.open(ctx, in)
	if err != nil {
		return err
	}
	return o.decodeRegion(ctx, pool, dst, start)
}

// storedPart is a stored inner chunk that a box meets.
type storedPart struct {
	Place
	number int
	dst    ndarray.Array
	start  []int // where the box begins within the inner chunk
}

// decodeRegion fills dst with the box that begins at index start. Inner chunks that lie
// close to each other in the shard are read together.
func (o *openShard) decodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int) error {
	if dst.Len() == 0 {
		return nil
	}
	s := o.shards
	first, last := make([]int, len(start)), make([]int, len(start)) // first and last inner chunk that the box meets
	for k, at := range start {
		first[k], last[k] = at/s.shape[k], (at+dst.Shape[k]-1)/s.shape[k]
	}
	var batch []storedPart
	for index := slices.Clone(first); index != nil; index = ndarray.Next(index, first, last) {
		i := s.number(index)
		from, to := overlap(s.Region(i), ndarray.Region{Start: start, Shape: dst.Shape})
		p := storedPart{o.places[i], i, dst.Sub(to), from.Start}
		if p.Place == Absent {
			if err := s.fillPart(i, p.dst); err != nil {
				return err
			}
			continue
		}
		if batch = append(batch, p); len(batch) == maxBatch {
			if err := o.decodeParts(ctx, pool, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return o.decodeParts(ctx, pool, batch)
}

// decodeParts decodes inner chunks in the order in which they are stored. It sorts
// parts.
func (o *openShard) decodeParts(ctx context.Context, pool *ndarray.Pool, parts []storedPart) error {
	slices.SortFunc(parts, func(a, b storedPart) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.number, b.number))
	})
	for len(parts) > 0 {
		n, end := o.run(parts)
		run := parts[:n]
		parts = parts[n:]
		if n == 1 {
			if err := o.decodePart(ctx, pool, run[0]); err != nil {
				return err
			}
			continue
		}
		if err := o.decodeRun(ctx, pool, run, end); err != nil {
			return err
		}
	}
	return nil
}

// run returns how many of the parts to read together, at least one, and the offset
// behind them.
func (o *openShard) run(parts []storedPart) (n int, end uint64) {
	begin, gap := parts[0].Offset, uint64(GapBytes(o.in))
	for n < len(parts) && o.whole(parts[n]) {
		p := parts[n]
		longer := max(end, p.Offset+p.Length)
		if longer-begin > MaxRun || n > 0 && p.Offset > end && p.Offset-end > gap {
			break
		}
		n, end = n+1, longer
	}
	return max(n, 1), end
}

// whole reports whether to read all bytes of an inner chunk.
func (o *openShard) whole(p storedPart) bool {
	inner := o.shards.inner
	return p.Length <= smallPart || !inner.partial() || slices.Equal(p.dst.Shape, inner.in.Shape)
}

// decodeRun reads several inner chunks at once and decodes them.
func (o *openShard) decodeRun(ctx context.Context, pool *ndarray.Pool, parts []storedPart, end uint64) error {
	begin := parts[0].Offset
	buffer := pool.Get(int(end - begin)) // at most MaxRun
	defer buffer.Release()
	if err := o.in.ReadAt(ctx, buffer.Bytes, int64(begin)); err != nil {
		return err
	}
	for _, p := range parts {
		data := InMemory(buffer.Bytes[p.Offset-begin:][:p.Length])
		if err := o.shards.inner.DecodeRegion(ctx, pool, p.dst, p.start, data); err != nil {
			return o.partError(p, err)
		}
	}
	return nil
}

// decodePart decodes one inner chunk from its place in the shard.
func (o *openShard) decodePart(ctx context.Context, pool *ndarray.Pool, p storedPart) error {
	in := section{o.in, int64(p.Offset), int64(p.Length)}
	opened, err := o.openPart(ctx, p.number, in)
	if err == nil {
		err = opened.DecodeRegion(ctx, pool, p.dst, p.start)
	}
	if err != nil {
		return o.partError(p, err)
	}
	return nil
}

// openPart opens an inner chunk, or returns it if it is open already.
func (o *openShard) openPart(ctx context.Context, number int, in Input) (*Object, error) {
	if o.inner == nil {
		return o.shards.inner.Open(ctx, in)
	}
	o.mu.Lock()
	opened := o.inner[number]
	o.mu.Unlock()
	if opened != nil {
		return opened, nil
	}
	opened, err := o.shards.inner.Open(ctx, in)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.inner[number] = opened
	o.mu.Unlock()
	return opened, nil
}

func (o *openShard) partError(p storedPart, err error) error {
	return fmt.Errorf("inner chunk %v: %w", o.shards.coordinates(p.number), err)
}

// number returns the number of the inner chunk at an index. It is the inverse of
// coordinates.
func (s *Shards) number(index []int) int {
	n := 0
	for k, count := range s.count {
		n = n*count + index[k]
	}
	return n
}

// overlap returns the overlap of two boxes that meet, once relative to each box.
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
