package codecs

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Place is where an inner chunk lies in its shard; Absent if it is not stored.
type Place struct{ Offset, Length uint64 }

// Absent is the place of an inner chunk that holds only the fill value.
var Absent = Place{math.MaxUint64, math.MaxUint64}

// IndexSize is the length of the encoded index in bytes.
func (s *Shards) IndexSize() int { return s.index.Size().Max }

// AtStart reports whether the index lies in front of the inner chunks, which then
// begin behind it.
func (s *Shards) AtStart() bool { return s.start }

// AppendIndex appends the encoded index of a shard, places in C order.
func (s *Shards) AppendIndex(dst []byte, places []Place) ([]byte, error) {
	a := ndarray.New(dtype.Uint64, s.index.Chunk().Shape)
	for i, p := range places {
		entry := a.Data[16*s.stored(i):]
		binary.NativeEndian.PutUint64(entry, p.Offset)
		binary.NativeEndian.PutUint64(entry[8:], p.Length)
	}
	return s.index.AppendEncode(s.pool, dst, a)
}

// ReadIndex decodes the index of a shard that has size bytes, and checks that
// every inner chunk lies within.
func (s *Shards) ReadIndex(index []byte, size int64) ([]Place, error) {
	a := ndarray.New(dtype.Uint64, s.index.Chunk().Shape)
	if err := s.index.Decode(s.pool, a, index); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	places := make([]Place, s.n)
	for i := range places {
		entry := a.Data[16*s.stored(i):]
		p := Place{binary.NativeEndian.Uint64(entry), binary.NativeEndian.Uint64(entry[8:])}
		if p != Absent && (p.Offset > uint64(size) || p.Length > uint64(size)-p.Offset) {
			return nil, fmt.Errorf("%w: inner chunk %v: %d bytes at %d are beyond the shard's %d", ErrCorrupt, s.coordinates(i), p.Length, p.Offset, size)
		}
		places[i] = p
	}
	return places, nil
}

// findIndex returns the part of a whole shard that is its index.
func (s *Shards) findIndex(shard []byte) ([]byte, error) {
	size := s.IndexSize()
	switch {
	case len(shard) < size:
		return nil, fmt.Errorf("%w: %d bytes, the index alone has %d", ErrCorrupt, len(shard), size)
	case s.start:
		return shard[:size], nil
	default:
		return shard[len(shard)-size:], nil
	}
}

// stored is the number in the index of inner chunk number i.
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
