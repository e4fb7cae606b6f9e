package codecs

import (
	"math"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Place is the range of an inner chunk in its shard, or Absent.
type Place struct{ Offset, Length uint64 }

// Absent is the place of an inner chunk that is not stored, because it holds only the
// fill value.
var Absent = Place{math.MaxUint64, math.MaxUint64}

// placeBytes is the size of a Place in memory.
const placeBytes = 16

// ShardIndex is how a [Container] stores the places of its inner chunks. It is
// immutable and safe for concurrent use.
type ShardIndex interface {
	// Size returns the length of the encoded index in bytes.
	Size() int
	// AtStart reports whether the index lies in front of the inner chunks, which then
	// begin behind it. Otherwise the index ends the shard.
	AtStart() bool
	// Append appends the encoded index to dst. places are in C order of the inner
	// chunks.
	Append(pool *ndarray.Pool, dst []byte, places []Place) ([]byte, error)
	// Read fills places from an encoded index. Damage is ErrCorrupt or ErrTooLarge. The
	// caller checks whether places lie within the shard.
	Read(pool *ndarray.Pool, places []Place, index []byte) error
	// Memory returns the most bytes that Append and Read take besides their arguments.
	Memory() int
}
