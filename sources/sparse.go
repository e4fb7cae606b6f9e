package sources

import (
	"context"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Sparse is a second ability of an [Array]: to list what is stored of it, so that an
// array of which next to nothing was ever written costs what is there.
type Sparse interface {
	// StoredRegions calls f for the regions, within the array, of which something may
	// be stored, in any order. Every element outside of them has the value rest. It
	// is nil where the array cannot tell, or where these elements have not one value;
	// nothing follows then from the regions that f was called for.
	StoredRegions(ctx context.Context, f func(ndarray.Region)) (rest dtype.Scalar, err error)
}

// AsSparse returns the ability of an array, nil where it has none.
func AsSparse(a Array) Sparse {
	if d, ok := a.(*described); ok {
		a = d.Array
	}
	if p, ok := a.(*packed); ok && p.unpack == nil {
		a = p.array // the same elements; only what they mean is added
	}
	s, _ := a.(Sparse)
	return s
}
