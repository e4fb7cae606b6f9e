package hdf5

import (
	"context"
	"math"
)

// extensible is the header of an extensible array. Its entries are in its index block,
// and in data blocks that grow. The index block has the addresses of the first data
// blocks; secondary blocks have the addresses of the others.
type extensible struct {
	*indexReader
	order      order
	size       int // bytes of an entry
	inIndex    int // entries in the index block
	minBlock   uint64
	direct     int    // number of groups of data blocks whose addresses are in the index block
	groups     int    // number of groups of data blocks; the blocks of a group have one size
	pointers   int    // number of addresses of data blocks in the index block
	page       uint64 // entries of a page, if a data block has more than one page
	placeBytes int    // bytes of a block's place in the array
	used       uint64 // number of entries
}

// blocks returns the number of data blocks in a group, and the entries of each.
func (e *extensible) blocks(group int) (n, entries uint64) {
	return 1 << (group / 2), e.minBlock << ((group + 1) / 2)
}

// extensibleArray reads an index that is an extensible array.
func (r *indexReader) extensibleArray(ctx context.Context) error {
	f := r.file
	c, err := f.checked(ctx, r.layout.address, 4+8+6*f.length+f.offset+4, "EAHD")
	if err != nil {
		return err
	}
	c.skip(1)
	e := &extensible{indexReader: r, order: r.arrayOrder(true), size: int(c.uint8())}
	bits := int(c.uint8())
	e.inIndex = int(c.uint8())
	e.minBlock = uint64(c.uint8())
	least := int(c.uint8())
	pageBits := int(c.uint8())
	c.skip(4 * f.length)
	e.used = c.size()
	c.skip(f.length)
	block := c.address()
	if c.err != nil || block == undefined {
		return c.err
	}
	if err := r.checkEntry(e.size); err != nil {
		return err
	}
	powers := e.minBlock > 0 && e.minBlock&(e.minBlock-1) == 0 && least > 0 && least&(least-1) == 0
	if !powers || bits > 64 || bits < log2(e.minBlock) || pageBits > 32 || e.used == math.MaxUint64 {
		return corrupt("an extensible array of 2^%d entries in blocks of %d and more, at least %d of them, pages of 2^%d", bits, e.minBlock, least, pageBits)
	}
	e.page, e.placeBytes = 1<<pageBits, (bits+7)/8
	e.groups = 1 + bits - log2(e.minBlock)
	e.direct = min(2*log2(uint64(least)), e.groups)
	e.pointers = 2 * (least - 1)
	return e.indexBlock(ctx, block)
}

// indexBlock reads the index block and all blocks below it.
func (e *extensible) indexBlock(ctx context.Context, address uint64) error {
	f := e.file
	n := 4 + 1 + 1 + f.offset + e.inIndex*e.size + (e.pointers+e.groups-e.direct)*f.offset + 4
	c, err := f.checked(ctx, address, n, "EAIB")
	if err != nil {
		return err
	}
	c.skip(1 + f.offset)
	if err := e.entries(c, e.order, 0, e.inIndex, e.size); err != nil {
		return err
	}
	first := uint64(e.inIndex)
	var blocks []dataBlock
	for group := range e.direct {
		count, entries := e.blocks(group)
		for range count {
			blocks = append(blocks, dataBlock{address: c.address(), first: first, entries: entries})
			first += entries
		}
	}
	if len(blocks) != e.pointers || c.err != nil {
		return corrupt("an index block with %d data blocks instead of %d", e.pointers, len(blocks))
	}
	if err := e.dataBlocks(ctx, blocks); err != nil {
		return err
	}
	for group := e.direct; group < e.groups && first < e.used; group++ {
		at := c.address()
		if c.err != nil {
			return c.err
		}
		count, entries := e.blocks(group)
		if at != undefined {
			if err := e.secondary(ctx, at, first, count, entries); err != nil {
				return err
			}
		}
		first += count * entries
	}
	return nil
}

// secondary reads a secondary block. It has the addresses of a group of data blocks
// and, if these have pages, says which pages are in use.
func (e *extensible) secondary(ctx context.Context, address, first, count, entries uint64) error {
	f := e.file
	bitmap := uint64(0)
	if entries > e.page {
		bitmap = (entries/e.page + 7) / 8
	}
	if count > uint64(f.size) || bitmap > uint64(f.size) || count*(bitmap+uint64(f.offset)) > uint64(f.size) {
		return corrupt("a secondary block for %d data blocks of %d entries", count, entries)
	}
	n := 4 + 1 + 1 + f.offset + e.placeBytes + int(count*(bitmap+uint64(f.offset))) + 4
	c, err := f.checked(ctx, address, n, "EASB")
	if err != nil {
		return err
	}
	c.skip(1 + f.offset + e.placeBytes)
	set := c.take(int(count * bitmap))
	blocks := make([]dataBlock, count)
	for i := range blocks {
		b := &blocks[i]
		*b = dataBlock{address: c.address(), first: first + uint64(i)*entries, entries: entries}
		if bitmap > 0 {
			b.set, b.bit = set, i*int(entries/e.page)
		}
	}
	if c.err != nil {
		return c.err
	}
	return e.dataBlocks(ctx, blocks)
}

// dataBlock is a block of entries. It has pages if set is not empty.
type dataBlock struct {
	address, first, entries uint64
	set                     []byte // pages in use, of all blocks of the group
	bit                     int
}

// dataBlocks reads data blocks.
func (e *extensible) dataBlocks(ctx context.Context, blocks []dataBlock) error {
	f := e.file
	var addresses []uint64
	for _, b := range blocks {
		if b.address != undefined {
			addresses = append(addresses, b.address)
		}
	}
	if len(addresses) > 0 {
		if err := f.prefetch(ctx, addresses, int(min(blocks[0].entries, e.page))*e.size); err != nil {
			return err
		}
	}
	for _, b := range blocks {
		if b.address == undefined {
			continue
		}
		if b.entries > uint64(f.size) {
			return corrupt("a data block of %d entries", b.entries)
		}
		n := 4 + 1 + 1 + f.offset + e.placeBytes
		if len(b.set) == 0 {
			n += int(b.entries) * e.size
		}
		c, err := f.checked(ctx, b.address, n+4, "EADB")
		if err != nil {
			return err
		}
		if len(b.set) > 0 {
			err = e.pages(ctx, e.order, pagedBlock{
				address: b.address + uint64(n) + 4, first: b.first, count: int(b.entries), page: int(e.page), size: e.size,
				set: b.set, bit: b.bit,
			})
		} else {
			c.skip(1 + f.offset + e.placeBytes)
			err = e.entries(c, e.order, b.first, int(b.entries), e.size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
