package codecs

import (
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Pad fills the elements of an array of whole chunks, of the chain's type,
// that lie outside of the box from the first element on with the shape inside.
// It writes the fill value. If the chain asks for the nearest value, the rest of a chunk
// that has elements inside gets the nearest of them.
func (c *Chain) Pad(a ndarray.Array, inside []int) {
	part := ndarray.Region{Start: make([]int, len(inside)), Shape: slices.Clone(inside)}
	for i, n := range a.Shape { // the slab beyond the edge of dimension i
		edge := inside[i]
		if extent := c.in.Shape[i]; c.PadsNearest() && edge%extent > 0 {
			part.Start[i], part.Shape[i] = edge-1, 1
			last := a.Sub(part)
			edge += extent - edge%extent
			part.Start[i], part.Shape[i] = inside[i], edge-inside[i]
			last.Shape, last.Strides = part.Shape, slices.Clone(last.Strides)
			last.Strides[i] = 0
			ndarray.Copy(a.Sub(part), last)
		}
		if edge < n {
			part.Start[i], part.Shape[i] = edge, n-edge
			ndarray.Fill(a.Sub(part), c.in.Fill)
		}
		part.Start[i], part.Shape[i] = 0, n
	}
}
