package hdf5

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/zmigrate/zmigrate/codecs/jenkins"
)

// maxObject is the most bytes of an object that is read from a heap: a message, or an
// element of variable size.
const maxObject = 1 << 30

// localHeap returns the data of a local heap, section III.D. They are the names of the
// links of a group.
func (f *File) localHeap(ctx context.Context, address uint64) ([]byte, error) {
	c, err := f.cursor(ctx, address, 8+2*f.length+f.offset)
	if err != nil {
		return nil, fmt.Errorf("local heap: %w", err)
	}
	c.signature("HEAP", 0)
	c.skip(3)
	size := c.size()
	c.skip(f.length)
	data := c.address()
	if c.err == nil && size > maxHeader {
		c.err = corrupt("%d bytes of names", size)
	}
	if c.err != nil {
		return nil, fmt.Errorf("local heap at address %d: %w", address, c.err)
	}
	return f.bytes(ctx, data, int(size))
}

// heap is a fractal heap, section III.G: objects of variable size in blocks, whose
// sizes double along the rows of a table of fixed width.
//
// An ID names an object: it tells the place in the heap's space and the length. Objects
// that are larger than a block lie outside of the blocks; their place is in the ID or
// in a B-tree. Very small objects are in the ID itself.
type heap struct {
	file       *File
	idSize     int
	filters    []Filter
	checksums  bool   // direct blocks have checksums
	offsetSize int    // bytes of an offset in the heap's space
	lengthSize int    // bytes of a length in an ID
	width      int    // blocks in a row
	start      uint64 // bytes of a block in the first two rows
	maxDirect  uint64 // bytes of the largest block that holds objects
	root       heapBlock
	rows       int // of the root if it is a table; 0: the root holds objects
	huge       uint64
	blocks     map[uint64][]byte // blocks that were read, by their addresses
}

// heapBlock is the place of a block of a heap. length and mask are set for blocks that
// went through filters.
type heapBlock struct {
	address, length uint64
	mask            uint32
}

// heap opens a fractal heap.
func (f *File) heap(ctx context.Context, address uint64) (*heap, error) {
	h, err := f.openHeap(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("fractal heap at address %d: %w", address, err)
	}
	return h, nil
}

func (f *File) openHeap(ctx context.Context, address uint64) (*heap, error) {
	n := 22 + 12*f.length + 3*f.offset + 4
	c, err := f.cursor(ctx, address, n)
	if err != nil {
		return nil, err
	}
	c.skip(7)
	encoded := int(c.uint16()) // bytes of the description of the filters
	if encoded > 0 {
		n += f.length + 4 + encoded
	}
	if c, err = f.checked(ctx, address, n, "FRHP"); err != nil {
		return nil, err
	}
	h := &heap{file: f, idSize: int(c.uint16()), blocks: map[uint64][]byte{}}
	c.skip(2)
	h.checksums = c.uint8()&2 != 0
	managed := uint64(c.uint32()) // most bytes of an object in a block
	c.skip(f.length)
	h.huge = c.address()
	c.skip(f.length + f.offset + 8*f.length)
	h.width = int(c.uint16())
	h.start, h.maxDirect = c.size(), c.size()
	space := int(c.uint16()) // bits of an offset in the heap's space
	c.skip(2)
	h.root.address = c.address()
	h.rows = int(c.uint16())
	if encoded > 0 {
		h.root.length, h.root.mask = c.size(), c.uint32()
		if h.filters, err = readFilters(c.take(encoded)); err != nil {
			return nil, err
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	pow := func(n uint64) bool { return bits.OnesCount64(n) == 1 }
	if h.idSize < 2 || h.width == 0 || !pow(uint64(h.width)) || !pow(h.start) || !pow(h.maxDirect) ||
		h.maxDirect < h.start || h.maxDirect > maxObject || space > 64 || h.rows > 64 || managed == 0 {
		return nil, corrupt("its table is impossible: rows of %d blocks of %d to %d bytes, a space of %d bits, IDs of %d bytes",
			h.width, h.start, h.maxDirect, space, h.idSize)
	}
	h.offsetSize = (space + 7) / 8
	h.lengthSize = min((log2(h.maxDirect)+7)/8, encodedSize(managed))
	return h, nil
}

// get returns the object with an ID.
func (h *heap) get(ctx context.Context, id []byte) ([]byte, error) {
	b, err := h.object(ctx, &cursor{data: id, widths: h.file.widths})
	if err != nil {
		return nil, fmt.Errorf("object %x of a fractal heap: %w", id, err)
	}
	return b, nil
}

func (h *heap) object(ctx context.Context, id *cursor) ([]byte, error) {
	first := id.uint8()
	if id.err == nil && first>>6 != 0 {
		return nil, unsupported("ID of version %d", first>>6)
	}
	switch first >> 4 & 3 {
	case 0:
		offset, length := id.uint(h.offsetSize), id.uint(h.lengthSize)
		if id.err != nil {
			return nil, id.err
		}
		return h.managed(ctx, offset, length)
	case 1:
		return h.hugeObject(ctx, id)
	case 2:
		n := int(first&0xf) + 1
		if h.idSize > 17 {
			n = int(first&0xf)<<8 + int(id.uint8()) + 1
		}
		return id.take(n), id.err
	default:
		return nil, corrupt("ID of type 3")
	}
}

// rowSize returns the number of bytes of a block in a row. rowStart returns the place
// in the space of its table where the row begins.
func (h *heap) rowSize(row int) uint64 { return h.start << max(row-1, 0) }

func (h *heap) rowStart(row int) uint64 {
	if row == 0 {
		return 0
	}
	return uint64(h.width) * h.start << (row - 1)
}

// managed returns an object in a block. It goes down the tables to the block.
func (h *heap) managed(ctx context.Context, offset, length uint64) ([]byte, error) {
	block, rows := h.root, h.rows
	size := h.start                                 // of the root if it is not a table
	direct := log2(h.maxDirect) - log2(h.start) + 2 // rows whose blocks hold objects
	for rows > 0 {
		row := 0
		if offset >= h.rowStart(1) {
			row = log2(offset/h.rowStart(1)) + 1
		}
		if row >= rows {
			return nil, corrupt("byte %d is behind the %d rows of a table", offset, rows)
		}
		size = h.rowSize(row)
		column := (offset - h.rowStart(row)) / size
		offset = (offset - h.rowStart(row)) % size
		var err error
		if block, err = h.child(ctx, block, rows, row, int(column), direct); err != nil {
			return nil, err
		}
		if row < direct {
			break
		}
		rows = log2(size) - log2(h.rowStart(1)) + 1
	}
	if length > size || offset > size-length {
		return nil, corrupt("%d bytes at %d are not in a block of %d", length, offset, size)
	}
	data, err := h.read(ctx, block, int(size))
	if err != nil {
		return nil, err
	}
	return data[offset : offset+length], nil
}

// keptBlocks is the most blocks of a heap that are kept.
const keptBlocks = 64

// read reads a block that holds objects. The block has size bytes without the filters.
func (h *heap) read(ctx context.Context, block heapBlock, size int) ([]byte, error) {
	if data, ok := h.blocks[block.address]; ok && len(data) == size {
		return data, nil
	}
	f := h.file
	var data []byte
	var err error
	if h.filters == nil {
		data, err = f.bytes(ctx, block.address, size)
	} else {
		data, err = f.filtered(ctx, h.filters, block, size)
	}
	if err != nil {
		return nil, err
	}
	c := &cursor{data: data, widths: f.widths}
	c.signature("FHDB", 0)
	c.skip(f.offset + h.offsetSize)
	if h.checksums {
		// The checksum was computed with zeros in its place.
		at := c.at
		stored := c.uint32()
		if c.err == nil {
			zeroed := slices.Clone(data)
			clear(zeroed[at:c.at])
			if sum := jenkins.Lookup3(nil, zeroed, 0); sum != stored {
				c.err = corrupt("the checksum is %08x, stored is %08x", sum, stored)
			}
		}
	}
	if c.err != nil {
		return nil, fmt.Errorf("block at address %d: %w", block.address, c.err)
	}
	if len(h.blocks) >= keptBlocks {
		clear(h.blocks)
	}
	h.blocks[block.address] = data
	return data, nil
}

// child returns a block of a table with the given number of rows.
func (h *heap) child(ctx context.Context, table heapBlock, rows, row, column, direct int) (heapBlock, error) {
	f := h.file
	entry := f.offset
	if h.filters != nil {
		entry += f.length + 4
	}
	holding := h.width * min(rows, direct)    // number of blocks that hold objects
	tables := h.width * max(rows-direct, 0)   // number of further tables
	prefix := 4 + 1 + f.offset + h.offsetSize // bytes in front of the addresses
	n := prefix + holding*entry + tables*f.offset + 4
	c, err := f.checked(ctx, table.address, n, "FHIB")
	if err != nil {
		return heapBlock{}, err
	}
	c.skip(f.offset + h.offsetSize)
	var b heapBlock
	if row >= direct {
		c.skip(holding*entry + ((row-direct)*h.width+column)*f.offset)
		b.address = c.address()
		return b, c.err
	}
	c.skip((row*h.width + column) * entry)
	b.address = c.address()
	if h.filters != nil {
		b.length, b.mask = c.size(), c.uint32()
	}
	return b, c.err
}

// hugeObject returns an object that lies outside of the blocks.
func (h *heap) hugeObject(ctx context.Context, id *cursor) ([]byte, error) {
	f := h.file
	direct := f.offset + f.length // bytes of the object's place in the ID
	if h.filters != nil {
		direct += 4 + f.length
	}
	if h.idSize-1 < direct {
		var err error
		if id, err = h.findHuge(ctx, id.uint(min(8, h.idSize-1))); err != nil {
			return nil, err
		}
	}
	b := heapBlock{address: id.address(), length: id.size()}
	if h.filters == nil {
		if id.err == nil && b.length > maxObject {
			id.err = corrupt("an object of %d bytes", b.length)
		}
		if id.err != nil {
			return nil, id.err
		}
		return f.bytes(ctx, b.address, int(b.length))
	}
	b.mask = id.uint32()
	size := id.size()
	if id.err == nil && size > maxObject {
		id.err = corrupt("an object of %d bytes", size)
	}
	if id.err != nil {
		return nil, id.err
	}
	return f.filtered(ctx, h.filters, b, int(size))
}

// findHuge looks up an object that lies outside of the blocks. It returns the record of
// the object's place in the B-tree.
func (h *heap) findHuge(ctx context.Context, number uint64) (*cursor, error) {
	var found *cursor
	err := h.file.btree2(ctx, h.huge, func(record []byte) error {
		at := len(record) - h.file.length
		if key := (&cursor{data: record[max(at, 0):], widths: h.file.widths}); key.uint(h.file.length) == number && key.err == nil {
			found = &cursor{data: record, widths: h.file.widths}
		}
		return nil
	})
	if err == nil && found == nil {
		err = corrupt("there is no object %d outside of the blocks", number)
	}
	return found, err
}
