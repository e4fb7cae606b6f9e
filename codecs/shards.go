package codecs

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// MaxInnerChunks bounds the inner chunks of a shard, because the index is read and
// written as a whole.
const MaxInnerChunks = 1 << 22

// NewShards returns the layout of shards of a shape. inner is bound to the shape of the
// inner chunks. Each extent of an inner chunk must divide that of the shard.
func NewShards(shape []int, inner *Chain, index ShardIndex) (*Shards, error) {
	s := &Shards{inner: inner, index: index, shape: inner.in.Shape, count: make([]int, len(shape)), n: 1}
	if len(s.shape) != len(shape) {
		return nil, fmt.Errorf("inner chunks have %d dimensions, the shard has %d", len(s.shape), len(shape))
	}
	for i, n := range s.shape {
		if n < 1 || shape[i] < 1 || shape[i]%n != 0 {
			return nil, fmt.Errorf("inner chunks of shape %v do not fill a shard of shape %v", s.shape, shape)
		}
		s.count[i] = shape[i] / n
		s.n *= s.count[i] // no overflow: at most the number of elements
	}
	if s.n > MaxInnerChunks {
		return nil, fmt.Errorf("%d inner chunks are too many for one shard, at most %d: choose larger chunks or smaller shards", s.n, MaxInnerChunks)
	}
	if size := inner.Size(); !size.Unbounded && size.Max > (MaxChunk-index.Size())/s.n {
		return nil, errors.New("the shard can be too large")
	}
	s.pool = &ndarray.Pool{Keep: min(s.Scratch()*runtime.GOMAXPROCS(0), maxKept)}
	return s, nil
}

// Layout implements [Container].
func (s *Shards) Layout() *Shards { return s }

// Shards returns the layout of the shards that the chain makes. It is false if the
// chain has any other codec than the container. With such a layout, inner chunks can be
// encoded separately.
func (c *Chain) Shards() (*Shards, bool) {
	s := c.container()
	return s, s != nil && len(c.arrays) == 0 && len(c.binary) == 0
}

// Container returns the name of the codec that stores inner chunks, or "" if there is
// none.
func (c *Chain) Container() string {
	if c.container() == nil {
		return ""
	}
	return c.specs[len(c.arrays)].Name
}

// WithInner returns the specs of a chain whose only codec is a container, with other
// codecs for the inner chunks. It returns nil for other chains, and for a container
// that is not [InnerNaming].
func (c *Chain) WithInner(inner []Spec) []Spec {
	n, ok := c.bytes.(InnerNaming)
	if _, alone := c.Shards(); !ok || !alone {
		return nil
	}
	spec := n.SpecWithInner(inner)
	spec.Name = c.specs[0].Name
	return []Spec{spec}
}

// InnerChunks returns how the inner chunks of a shard lie in the decoded chunk, in front
// of the array → array codecs of the chain. With this layout, inner chunks can be
// encoded separately: the inner chain begins with these array → array codecs. The result
// is false if the chain makes no shards, or if a codec needs the whole shard at once.
func (c *Chain) InnerChunks() (*Shards, bool) { return c.innerChunks, c.innerChunks != nil }

// Inner returns the chain of an inner chunk.
func (s *Shards) Inner() *Chain { return s.inner }

// Count returns the number of inner chunks along each dimension. Do not modify the
// result. Inner chunks are numbered in C order.
func (s *Shards) Count() []int { return s.count }

// coordinates returns the index of inner chunk number i along each dimension.
func (s *Shards) coordinates(i int) []int {
	at := make([]int, len(s.count))
	for k := len(at) - 1; k >= 0; k-- {
		at[k] = i % s.count[k]
		i /= s.count[k]
	}
	return at
}

// Region returns the box of inner chunk number i within the shard, in elements.
func (s *Shards) Region(i int) ndarray.Region {
	at := s.coordinates(i)
	for k := range at {
		at[k] *= s.shape[k]
	}
	return ndarray.Region{Start: at, Shape: s.shape}
}

// stored returns the number of inner chunk number i in the stored index.
func (s *Shards) stored(i int) int {
	if s.order == nil {
		return i
	}
	at, n := s.coordinates(i), 0
	for _, from := range s.order {
		n = n*s.count[from] + at[from]
	}
	return n
}

// IndexSize returns the length of the encoded index in bytes.
func (s *Shards) IndexSize() int { return s.index.Size() }

// AtStart reports whether the index lies in front of the inner chunks, which then begin
// behind it.
func (s *Shards) AtStart() bool { return s.index.AtStart() }

// AppendIndex appends the encoded index of a shard to dst. places are in C order.
func (s *Shards) AppendIndex(dst []byte, places []Place) ([]byte, error) {
	if s.order != nil {
		moved := make([]Place, len(places))
		for i, p := range places {
			moved[s.stored(i)] = p
		}
		places = moved
	}
	return s.index.Append(s.pool, dst, places)
}

// ReadIndex decodes the index of a shard of size bytes. It checks that every inner
// chunk lies within the shard.
func (s *Shards) ReadIndex(index []byte, size int64) ([]Place, error) {
	places := make([]Place, s.n)
	if err := s.index.Read(s.pool, places, index); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if s.order != nil {
		moved := make([]Place, s.n)
		for i := range moved {
			moved[i] = places[s.stored(i)]
		}
		places = moved
	}
	for i, p := range places {
		if p != Absent && (p.Offset > uint64(size) || p.Length > uint64(size)-p.Offset) {
			return nil, fmt.Errorf("%w: inner chunk %v: %d bytes at %d are beyond the shard's %d", ErrCorrupt, s.coordinates(i), p.Length, p.Offset, size)
		}
	}
	return places, nil
}

// findIndex returns the index of a shard that is in memory.
func (s *Shards) findIndex(shard []byte) ([]byte, error) {
	size := s.IndexSize()
	switch {
	case len(shard) < size:
		return nil, fmt.Errorf("%w: %d bytes, the index alone has %d", ErrCorrupt, len(shard), size)
	case s.AtStart():
		return shard[:size], nil
	default:
		return shard[len(shard)-size:], nil
	}
}

// Size implements [ArrayToBytes].
func (s *Shards) Size() Size {
	inner := s.inner.Size()
	if inner.Unbounded {
		return Size{Max: MaxVariable, Unbounded: true}
	}
	return Size{Max: s.n*inner.Max + s.IndexSize()}
}

// Scratch implements [Scratching]: the memory for one inner chunk, or for the index.
func (s *Shards) Scratch() int { return max(s.inner.Memory(), s.index.Memory()) }

// EncodedSize implements [Measured].
func (s *Shards) EncodedSize(src ndarray.Array) int {
	n := s.IndexSize()
	for i := range s.n {
		sizes := s.inner.encodedSizes(src.Sub(s.Region(i)))
		n += sizes[len(sizes)-1].Max
	}
	return n
}

// AppendEncode implements [ArrayToBytes]. Inner chunks are in C order, without gaps.
// Inner chunks that hold only the fill value are not stored.
func (s *Shards) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	begin := len(dst)
	if s.AtStart() {
		dst = append(dst, make([]byte, s.IndexSize())...)
	}
	places := make([]Place, s.n)
	for i := range places {
		part := src.Sub(s.Region(i))
		if ndarray.Uniform(part, s.inner.Chunk().Fill) {
			places[i] = Absent
			continue
		}
		at := len(dst)
		var err error
		if dst, err = s.inner.AppendEncode(s.pool, dst, part); err != nil {
			return nil, fmt.Errorf("inner chunk %v: %w", s.coordinates(i), err)
		}
		places[i] = Place{uint64(at - begin), uint64(len(dst) - at)}
	}
	if !s.AtStart() {
		return s.AppendIndex(dst, places)
	}
	_, err := s.AppendIndex(dst[:begin], places)
	return dst, err
}

// Decode implements [ArrayToBytes].
func (s *Shards) Decode(dst ndarray.Array, src []byte) error {
	index, err := s.findIndex(src)
	if err != nil {
		return err
	}
	places, err := s.ReadIndex(index, int64(len(src)))
	if err != nil {
		return err
	}
	for i, p := range places {
		part := dst.Sub(s.Region(i))
		if p == Absent {
			if err := s.fillPart(i, part); err != nil {
				return err
			}
			continue
		}
		if err := s.inner.Decode(s.pool, part, src[p.Offset:p.Offset+p.Length]); err != nil {
			return fmt.Errorf("inner chunk %v: %w", s.coordinates(i), err)
		}
	}
	return nil
}

// fillPart fills an array with the fill value. The array is inner chunk number i, which
// is not stored, or a part of it.
func (s *Shards) fillPart(i int, part ndarray.Array) error {
	fill := s.inner.Chunk().Fill
	if fill == nil {
		return fmt.Errorf("%w: inner chunk %v is not stored, and the fill value has no encoding that could stand for it", ErrCorrupt, s.coordinates(i))
	}
	ndarray.Fill(part, fill)
	return nil
}
