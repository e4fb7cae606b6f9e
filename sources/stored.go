package sources

import (
	"context"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
)

// Stored is an optional ability of an [Array] in chunks: to give its objects as they are
// stored. An array has this ability only if its objects are what the chain Info.Codecs
// writes. The chain is bound to Info.Type, and to chunks of the shape Info.Shards or,
// without shards, Info.Chunks.
type Stored interface {
	// OpenStored opens the object with these coordinates in the grid of objects. The
	// result is nil if there is no such object; then all of its elements are the fill
	// value. If the object has been read already, the result is a [codecs.InMemory] of at
	// most as many bytes as the chain's Size allows.
	OpenStored(ctx context.Context, index []int) (codecs.Input, error)
	// VerifyStored returns the error of [codecs.Chain.Verify] for an object. in is what
	// OpenStored returned, or what was read from that.
	VerifyStored(ctx context.Context, index []int, in codecs.Input) error
}

// Placed is an optional ability of a [Stored] in which each object is an object of a
// store. The store may then copy it.
type Placed interface {
	// PlaceStored returns the store of the object with these coordinates. It also returns
	// what the store said of the object when OpenStored returned in. The Version is
	// missing if in is in memory.
	PlaceStored(index []int, in codecs.Input) (from *store.Store, object store.Info)
}

// Located is an optional ability of what OpenStored returns: to say where the object is, if it
// is a run of bytes in a file.
type Located interface {
	// Locate returns the URL of the file, as [File] has it, and the offset of the first byte.
	Locate() (url string, offset int64)
}

// AsStored returns the array as a Stored, or nil if it has no such ability.
func AsStored(a Array) Stored {
	s, _ := undescribed(a).(Stored)
	return s
}
