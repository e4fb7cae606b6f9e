package codecs

// Layer returns the chain that encodes the layers of a chunk. A layer is a box of the
// chunk whose elements lie together in C order: its extents are 1 in the first dimensions,
// divide the chunk's in one dimension, and are the chunk's in the others. The encodings of
// all layers, one after the other in C order, are the encoding of the chunk.
//
// ok is false for a chain that changes or moves anything but the order of bytes, because
// such an encoding does not consist of those of layers.
func (c *Chain) Layer(shape []int) (layer *Chain, ok bool) {
	size := c.Size()
	if _, plain := c.bytes.(Plain); !plain || len(c.arrays)+len(c.binary) > 0 || !size.Fixed || size.Item == 0 {
		return nil, false
	}
	in := c.in
	in.Shape = shape
	layer, err := bind(c.list, c.specs, in)
	return layer, err == nil
}
