package hdf5

import (
	"bytes"
	"math/bits"
)

// layoutClass is the way in which the elements of a dataset are stored.
type layoutClass uint8

const (
	compact    layoutClass = iota // in the header
	contiguous                    // as one run
	chunked                       // in chunks of one shape
	virtual                       // in other datasets
)

// indexKind is the kind of an index of chunks, as numbered in layout messages of
// version 4. 0 is the B-tree of version 1, which earlier versions of the message use.
type indexKind uint8

const (
	indexBTree1 indexKind = iota
	indexSingle
	indexImplicit
	indexFixedArray
	indexExtensibleArray
	indexBTree2
)

// String returns the name of the kind.
func (k indexKind) String() string {
	return [...]string{"B-tree of version 1", "one chunk", "computed", "fixed array", "extensible array", "B-tree of version 2"}[k]
}

// layout is a data layout message, section IV.A.2.i.
type layout struct {
	class   layoutClass
	data    []byte // of class compact
	address uint64 // of the elements, of the index of chunks, or of the heap with mappings; 0 of class compact
	object  uint32 // of class virtual: index of the mappings in a global heap
	size    uint64 // of class contiguous, in bytes; 0 if the message does not state it
	chunk   []int  // shape of a chunk
	element int    // bytes of an element, of class chunked

	index indexKind
	// partialRaw says that chunks that extend beyond the end of the dataset did not go
	// through the filters.
	partialRaw bool
	// filteredSize and mask belong to a single chunk that went through filters.
	filtered     bool
	filteredSize uint64
	mask         uint32
}

// layout reads a data layout message.
func (f *File) layout(data []byte) (*layout, error) {
	c := &cursor{data: data, widths: f.widths}
	l := &layout{address: undefined}
	switch version := c.uint8(); version {
	case 1, 2:
		layout1(c, l)
	case 3, 4, 5:
		l.class = layoutClass(c.uint8())
		switch {
		case l.class == compact:
			l.address, l.data = 0, bytes.Clone(c.take(int(c.uint16())))
		case l.class == contiguous:
			l.address, l.size = c.address(), c.size()
		case l.class == chunked && version == 3:
			rank := int(c.uint8())
			l.address = c.address()
			l.shape(c, rank, 4)
		case l.class == chunked:
			l.chunked4(c)
		case l.class == virtual:
			l.address, l.object = c.address(), c.uint32()
		default:
			return nil, unsupported("data layout of class %d", l.class)
		}
	default:
		if c.err == nil {
			c.err = unsupported("data layout message of version %d", version)
		}
	}
	return l, c.err
}

// layout1 reads a message of version 1 or 2 behind its version.
func layout1(c *cursor, l *layout) {
	rank := int(c.uint8())
	l.class = layoutClass(c.uint8())
	c.skip(5)
	switch l.class {
	case compact:
		c.skip(4 * rank)
		l.address, l.data = 0, bytes.Clone(c.take(int(c.uint32())))
	case contiguous:
		l.address = c.address()
	case chunked:
		l.address = c.address()
		l.shape(c, rank, 4)
	default:
		if c.err == nil {
			c.err = unsupported("data layout of class %d", l.class)
		}
	}
}

// shape reads the shape of a chunk, in numbers of width bytes each. The last number is
// the size of an element.
func (l *layout) shape(c *cursor, rank, width int) {
	if c.err == nil && (rank < 1 || rank > maxRank+1 || width > 8) {
		c.err = corrupt("chunks of %d dimensions in numbers of %d bytes", rank-1, width)
	}
	if c.err != nil {
		return
	}
	total := uint64(1)
	for i := range rank {
		n := c.uint(width)
		high, low := bits.Mul64(total, n)
		total = low
		if c.err == nil && (n == 0 || high > 0 || low > maxChunk) {
			c.err = corrupt("a chunk of shape %v times %d, or of more than %d bytes", l.chunk, n, maxChunk)
		}
		if i < rank-1 {
			l.chunk = append(l.chunk, int(n))
		} else {
			l.element = int(n)
		}
	}
}

// chunked4 reads the part of a message of version 4 or 5 that describes chunks.
func (l *layout) chunked4(c *cursor) {
	flags, rank, width := c.uint8(), int(c.uint8()), int(c.uint8())
	l.partialRaw = flags&1 != 0
	l.shape(c, rank, width)
	l.index = indexKind(c.uint8())
	switch l.index {
	case indexSingle:
		if l.filtered = flags&2 != 0; l.filtered {
			l.filteredSize, l.mask = c.size(), c.uint32()
		}
	case indexImplicit:
	case indexFixedArray:
		c.skip(1)
	case indexExtensibleArray:
		c.skip(5)
	case indexBTree2:
		c.skip(6)
	default:
		if c.err == nil {
			c.err = unsupported("chunk index of kind %d", l.index)
		}
	}
	l.address = c.address()
}
