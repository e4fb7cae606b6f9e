package codecs

import (
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Pad fills the padding of an array of whole chunks, which has the chain's data type. The
// box that begins at the first element and has the shape inside is no padding. Padding
// gets the fill value. With [NearestPadded], the padding of a chunk that has elements in
// the box gets the nearest of these elements.
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
