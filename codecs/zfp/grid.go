package zfp

import (
	"fmt"
	"math"
	"math/bits"
)

// A grid is an array cut into blocks of 4 values along each dimension. Dimensions are
// numbered from the last one of the shape. This is x, whose elements are neighbours in
// memory. Dimensions that the array lacks have one element.
type grid struct {
	dims   int
	size   [4]int // elements along x, y, z, w
	stride [4]int // distance of neighbouring elements along x, y, z, w
	blocks [4]int // blocks along x, y, z, w
	values int    // number of elements
	extent int    // elements of memory from the first element up to the last one
	count  int    // number of blocks
}

// newGrid checks a shape: it has 1 to 4 dimensions of at least 1 element each, and no
// more elements than an int can count.
func newGrid(shape []int) (grid, error) {
	g := grid{dims: len(shape), values: 1, count: 1}
	if g.dims < 1 || g.dims > 4 {
		return grid{}, fmt.Errorf("%w: %d dimensions, zfp has 1 to 4", ErrParams, g.dims)
	}
	for i := range g.size {
		g.size[i], g.blocks[i] = 1, 1
		if i < g.dims {
			g.size[i] = shape[g.dims-1-i]
			if g.size[i] < 1 {
				return grid{}, fmt.Errorf("%w: dimension %d of shape %v has no element", ErrParams, g.dims-1-i, shape)
			}
			g.blocks[i] = (g.size[i]-1)/4 + 1
		}
		g.stride[i] = g.values
		hi, lo := bits.Mul64(uint64(g.values), uint64(g.size[i]))
		if hi != 0 || lo > math.MaxInt {
			return grid{}, fmt.Errorf("%w: shape %v has more elements than can be counted", ErrParams, shape)
		}
		g.values = int(lo)
		g.count *= g.blocks[i]
	}
	g.extent = g.values
	return g, nil
}

// setStrides sets the distances of neighbouring elements along each dimension, in the order of
// the shape, and the number of elements from the first one up to the last one. Elements along
// the last dimension are neighbours, and each row, plane and so on ends before the next one.
func (g *grid) setStrides(strides []int) error {
	if len(strides) != g.dims {
		return fmt.Errorf("%w: %d strides for %d dimensions", ErrParams, len(strides), g.dims)
	}
	end := 1 // behind the last element
	for i := range g.dims {
		d := g.dims - 1 - i
		stride := strides[d]
		switch {
		case g.size[i] == 1:
			stride = end // it leads nowhere
		case i == 0 && stride != 1:
			return fmt.Errorf("%w: the stride of the last dimension is %d, want 1", ErrParams, stride)
		case stride < end:
			return fmt.Errorf("%w: the stride of dimension %d is %d, want at least %d", ErrParams, d, stride, end)
		}
		hi, lo := bits.Mul64(uint64(g.size[i]-1), uint64(stride))
		if hi != 0 || lo > uint64(math.MaxInt-end) {
			return fmt.Errorf("%w: strides %v lead further than can be counted", ErrParams, strides)
		}
		g.stride[i] = stride
		end += int(lo)
	}
	g.extent = end
	return nil
}

// maxStream returns the size in bytes of count blocks of at most blockBits bits behind
// a header, in whole words of 64 bits.
func maxStream(count, blockBits, header int) (int, error) {
	hi, lo := bits.Mul64(uint64(count), uint64(blockBits))
	if hi != 0 || lo > math.MaxInt-maxHeaderBits-63 {
		return 0, fmt.Errorf("%w: %d blocks of %d bits are more than can be counted", ErrParams, count, blockBits)
	}
	return (int(lo) + header + 63) / 64 * 8, nil
}

// A span is a run of neighbouring blocks along x.
type span struct {
	offset int    // offset of the first element of the first block
	blocks int    // length of the run
	left   int    // elements along x from the first element on
	valid  [4]int // elements of the array in each block along y, z, w
	whole  bool   // whether all blocks lie in the array along y, z, w
}

// span returns the run from block first on that ends with the row of blocks or
// before block end.
func (g *grid) span(first, end int) span {
	x := first % g.blocks[0]
	s := span{offset: 4 * x, blocks: min(g.blocks[0]-x, end-first), left: g.size[0] - 4*x, whole: true}
	rest := first / g.blocks[0]
	for i := 1; i < g.dims; i++ {
		b := rest % g.blocks[i]
		rest /= g.blocks[i]
		s.offset += 4 * b * g.stride[i]
		s.valid[i] = min(g.size[i]-4*b, 4)
		s.whole = s.whole && s.valid[i] == 4
	}
	for i := g.dims; i < 4; i++ {
		s.valid[i] = 1
	}
	return s
}

// skip moves on by n blocks.
func (s *span) skip(n int) {
	s.blocks -= n
	s.offset += 4 * n
	s.left -= 4 * n
}

// MaxSize returns a size in bytes that no stream of elements of type t in the given
// shape exceeds. It does not count the zfp header. If [Params.BlockBits] is fixed, all
// such streams have this size. Arguments that the encoder would refuse give an error
// that wraps ErrParams.
func MaxSize(shape []int, t Type, p Params) (int, error) {
	g, err := newGrid(shape)
	if err != nil {
		return 0, err
	}
	if err := p.Validate(t); err != nil {
		return 0, err
	}
	return maxStream(g.count, p.maxBlockBits(t, g.dims), 0)
}
