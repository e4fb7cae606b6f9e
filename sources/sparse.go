package sources

import (
	"context"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Sparse is an optional ability of an [Array]: to list the regions that are stored. So the
// work for an array depends on what was written, and not on its shape.
type Sparse interface {
	// StoredRegions calls f for all regions of the array in which elements may be stored,
	// in any order. Every element outside of these regions has the value rest. rest is nil
	// if the array does not know the regions, or if the other elements have different
	// values. Then the calls of f mean nothing.
	StoredRegions(ctx context.Context, f func(ndarray.Region)) (rest dtype.Scalar, err error)
}

// AsSparse returns the array as a Sparse, or nil if it has no such ability.
func AsSparse(a Array) Sparse {
	s, _ := undescribed(a).(Sparse)
	return s
}
