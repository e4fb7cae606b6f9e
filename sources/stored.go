package sources

import (
	"context"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
)

// Stored is a second ability of an [Array] in chunks: to give its objects as
// they are. An array has it only where they are what the chain of
// Info's Codecs makes of its elements, bound to Info's Type, in chunks of the
// shape Shards or else Chunks.
type Stored interface {
	// OpenStored opens the object with these coordinates in the grid of
	// objects; it is nil where there is none, and all elements are the fill
	// value then. It may have been read: then it is a [codecs.InMemory] of no
	// more bytes than the chain's Size says, which has a bound.
	OpenStored(ctx context.Context, index []int) (codecs.Input, error)
	// VerifyStored reports what [codecs.Chain.Verify] finds wrong with an
	// object: in is what OpenStored returned, or what was read of that.
	VerifyStored(ctx context.Context, index []int, in codecs.Input) error
}

// Placed is an ability of a [Stored] whose objects lie in a store each by itself,
// which may then copy them.
type Placed interface {
	// PlaceStored returns the store of the object with these coordinates, and
	// what it was there when OpenStored returned in; without its Version where
	// in is in memory.
	PlaceStored(index []int, in codecs.Input) (from *store.Store, object store.Info)
}

// AsStored returns the objects behind an array, nil where they are not what
// [Stored] wants.
func AsStored(a Array) Stored {
	if d, ok := a.(*described); ok {
		a = d.Array
	}
	if p, ok := a.(*packed); ok && p.unpack == nil {
		a = p.array // the same elements; only what they mean is added
	}
	s, _ := a.(Stored)
	return s
}
