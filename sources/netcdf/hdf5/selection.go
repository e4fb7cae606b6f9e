package hdf5

import (
	"math"
	"slices"
)

// selection is the elements of a dataspace that a mapping of a virtual dataset has. Its
// elements are in C order.
type selection struct {
	all  bool // everything, whatever the shape
	dims []indexes
}

// indexes is the indexes along a dimension that belong to a selection: blocks of equal
// length, at equal distances.
type indexes struct {
	start, stride, block int
	n                    int // all indexes, of which those of the last block may be fewer; unlimited: no end
	// each and apart are the block and the stride as in the file. Blocks that touch each
	// other are one block otherwise.
	each, apart int
}

// unlimited is the number of indexes of a selection without an end.
const unlimited = math.MaxInt

// at returns index number i, and how many of the indexes that follow it, with itself,
// have no gap between them.
func (x indexes) at(i int) (index, run int) {
	return x.start + i/x.block*x.stride + i%x.block, min(x.block-i%x.block, x.n-i)
}

// below returns how many indexes are below a limit.
func (x indexes) below(limit int) int {
	if limit <= x.start {
		return 0
	}
	whole, rest := (limit-x.start)/x.stride, (limit-x.start)%x.stride
	return min(whole*x.block+min(rest, x.block), x.n)
}

// end returns the index behind the last one.
func (x indexes) end() int {
	if x.n == 0 {
		return 0
	}
	last, _ := x.at(x.n - 1)
	return last + 1
}

// shaped returns the selection with indexes for each dimension of a shape.
func (s selection) shaped(shape []int) selection {
	if !s.all {
		return s
	}
	dims := make([]indexes, len(shape))
	for k, n := range shape {
		dims[k] = indexes{stride: max(n, 1), block: max(n, 1), n: n}
	}
	return selection{dims: dims}
}

// open returns the dimension along which the selection has no end, or -1.
func (s selection) open() int {
	return slices.IndexFunc(s.dims, func(x indexes) bool { return x.n == unlimited })
}

// Kinds of selections.
const (
	selectNone = iota
	selectPoints
	selectHyperslab
	selectAll
)

// largest bounds the indexes of a selection.
const largest = 1 << 61

// selection reads a selection, section VIII "Dataspace Selection" of the specification
// of the file format.
func (c *cursor) selection() selection {
	kind, version := c.uint32(), c.uint32()
	switch {
	case c.err != nil:
	case kind == selectAll:
		c.skip(4 + 4)
		return selection{all: true}
	case kind == selectHyperslab && version >= 1 && version <= 3:
		return c.hyperslab(version)
	default:
		c.err = unsupported("a selection of kind %d in version %d: only boxes at equal distances are read", kind, version)
	}
	return selection{}
}

func (c *cursor) hyperslab(version uint32) selection {
	regular, rank, width := c.hyperslabHead(version)
	if c.err != nil {
		return selection{}
	}
	if !regular {
		return c.blocks(rank, width)
	}
	s := selection{dims: make([]indexes, rank)}
	for k := range s.dims {
		var v [4]uint64
		for i := range v {
			if v[i] = c.uint(width); v[i] == math.MaxUint64>>(64-8*width) {
				v[i] = math.MaxUint64
			}
		}
		s.dims[k] = c.indexes(v[0], v[1], v[2], v[3])
	}
	return s
}

// hyperslabHead reads what boxes begin with, behind kind and version: whether they are at
// equal distances, their rank, and the bytes of each number that follows.
func (c *cursor) hyperslabHead(version uint32) (regular bool, rank, width int) {
	width = 4
	switch version {
	case 1:
		c.skip(4 + 4)
	case 2:
		regular, width = c.uint8()&1 != 0, 8
		c.skip(4)
	case 3:
		regular = c.uint8()&1 != 0
		width = int(c.uint8())
	}
	rank = int(c.uint32())
	if c.err == nil && (rank < 1 || rank > maxRank || width != 2 && width != 4 && width != 8) {
		c.err = corrupt("a selection of %d dimensions in numbers of %d bytes", rank, width)
	}
	return regular, rank, width
}

// indexes checks the numbers of a regular selection along a dimension. A count or a block
// of [math.MaxUint64] has no end.
func (c *cursor) indexes(start, stride, count, block uint64) indexes {
	open := count == math.MaxUint64 || block == math.MaxUint64
	wrong := start > largest || count == 0 || block == 0 || block > stride && count != 1 || !open && count > largest/max(stride, block)
	if c.err == nil && (wrong || stride > largest) {
		c.err = corrupt("a selection of %d blocks of %d, %d apart, from %d on", count, block, stride, start)
	}
	if c.err != nil {
		return indexes{stride: 1, block: 1}
	}
	x := indexes{start: int(start), stride: int(stride), block: int(min(block, unlimited)), n: unlimited}
	x.each, x.apart = x.block, x.stride
	if !open {
		x.n = int(count * block)
	}
	if block == math.MaxUint64 || count == 1 || stride == block { // one block
		x.stride, x.block = x.n, x.n
	}
	return x
}

// blocks reads a list of blocks. Together they must be what a regular selection has.
func (c *cursor) blocks(rank, width int) selection {
	n := c.uint(width)
	if c.err == nil && n > uint64(c.left()/(2*rank*width)) {
		c.err = corrupt("%d blocks of %d dimensions in %d bytes", n, rank, c.left())
	}
	if c.err != nil {
		return selection{}
	}
	starts, ends := make([][]uint64, rank), make([][]uint64, rank)
	for range n {
		for k := range rank {
			starts[k] = append(starts[k], c.uint(width))
		}
		for k := range rank {
			ends[k] = append(ends[k], c.uint(width))
		}
	}
	s, product := selection{dims: make([]indexes, rank)}, uint64(1)
	for k := range rank {
		distinct := slices.Compact(slices.Sorted(slices.Values(starts[k])))
		if len(distinct) == 0 {
			c.err = unsupported("a selection without elements")
			return selection{}
		}
		block, stride := ends[k][0]-starts[k][0]+1, uint64(1)
		if len(distinct) > 1 {
			stride = distinct[1] - distinct[0]
		}
		for i, at := range distinct {
			if at != distinct[0]+uint64(i)*stride {
				c.err = errIrregular
			}
		}
		for i := range starts[k] {
			if ends[k][i]-starts[k][i]+1 != block {
				c.err = errIrregular
			}
		}
		product *= uint64(len(distinct))
		if c.err == nil {
			s.dims[k] = c.indexes(distinct[0], stride, uint64(len(distinct)), block)
		}
	}
	if c.err == nil && product != n {
		c.err = errIrregular
	}
	return s
}

// errIrregular refuses unions of boxes.
var errIrregular = unsupported("a selection of boxes at unequal distances: write the virtual dataset with one mapping for each box")
