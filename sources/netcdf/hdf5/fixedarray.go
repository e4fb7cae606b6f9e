package hdf5

import (
	"context"
	"slices"
)

// order maps the entries of a chunk index to chunks, for indexes that are arrays,
// sections VII.C and VII.D. Entry i belongs to chunk i, counted in C order over the
// grid of the largest extents of the dataset.
type order struct {
	dims   []int    // of the dataset, the slowest first
	counts []uint64 // number of chunks along each; the first one does not matter
}

// arrayOrder returns the order of entries. In an extensible array the unlimited
// dimension comes before the others.
func (d *Dataset) arrayOrder(extensible bool) order {
	var o order
	for k := range d.Shape {
		if extensible && d.MaxShape[k] == Unlimited {
			o.dims = slices.Insert(o.dims, 0, k)
		} else {
			o.dims = append(o.dims, k)
		}
	}
	for _, k := range o.dims {
		limit := d.MaxShape[k]
		if limit == Unlimited {
			limit = d.Shape[k]
		}
		o.counts = append(o.counts, (uint64(limit)+uint64(d.ChunkShape[k])-1)/uint64(d.ChunkShape[k]))
	}
	return o
}

// index sets index to the place of the chunk of entry i in the grid. Along the first
// dimension of the order, this place may be beyond the grid.
func (o order) index(i uint64, index []uint64) {
	for k := len(o.dims) - 1; k > 0; k-- {
		n := max(o.counts[k], 1)
		index[o.dims[k]] = i % n
		i /= n
	}
	if len(o.dims) > 0 {
		index[o.dims[0]] = i
	}
}

// entryOf returns the entry of the chunk with a number in the grid.
func (d *Dataset) entryOf(o order, number int) uint64 {
	at, scale := uint64(0), uint64(1)
	for _, k := range slices.Backward(o.dims) {
		at += uint64(number/d.grid.stride[k]%d.grid.count[k]) * scale
		scale *= max(o.counts[slices.Index(o.dims, k)], 1)
	}
	return at
}

// computed returns the place of a chunk that needs no index: a chunk in a row of
// chunks, or a piece of contiguous elements.
func (d *Dataset) computed(number int) (chunk, bool) {
	if d.layout.address == undefined {
		return chunk{}, false
	}
	c := chunk{number: number, size: uint32(d.chunkSize)}
	if d.layout.class == chunked {
		c.address = d.layout.address + d.entryOf(d.arrayOrder(false), number)*uint64(d.chunkSize)
		return c, true
	}
	// All dimensions of a piece except one have the extent 1 or the whole extent.
	at, shape := d.box(number)
	first, n, scale := 0, 1, 1
	for k, extent := range slices.Backward(d.Shape) {
		first += at[k] * scale
		n *= shape[k]
		scale *= extent
	}
	c.address = d.layout.address + uint64(first)*uint64(d.Datatype.Size)
	c.size = uint32(n * d.Datatype.Size)
	return c, true
}

// entries reads count entries of an array, of size bytes each. The first of them has
// the number from. It adds the chunks of entries that are set.
func (r *indexReader) entries(c *cursor, o order, from uint64, count, size int) error {
	index := make([]uint64, len(r.Shape))
	for i := range count {
		address, n, mask := r.entry(c, size)
		if c.err != nil {
			return c.err
		}
		if address == undefined {
			continue
		}
		o.index(from+uint64(i), index)
		if err := r.add(index, address, n, mask); err != nil {
			return err
		}
	}
	return nil
}

// checkEntry refuses impossible sizes of entries.
func (r *indexReader) checkEntry(size int) error {
	if n := size - r.file.offset; n != 0 && (n < 5 || n > 12) {
		return corrupt("entries of %d bytes for chunks", size)
	}
	return nil
}

// fixedArray reads an index that is a fixed array: one block of entries, divided into
// pages if there are many.
func (r *indexReader) fixedArray(ctx context.Context) error {
	f := r.file
	c, err := f.checked(ctx, r.layout.address, 4+4+f.length+f.offset+4, "FAHD")
	if err != nil {
		return err
	}
	c.skip(1)
	size, pageBits := int(c.uint8()), int(c.uint8())
	count, block := c.size(), c.address()
	if c.err != nil || block == undefined {
		return c.err
	}
	if err := r.checkEntry(size); err != nil {
		return err
	}
	if count > uint64(f.size)/uint64(size) || pageBits > 32 {
		return corrupt("a fixed array of %d entries in pages of 2^%d", count, pageBits)
	}
	o := r.arrayOrder(false)
	prefix := 4 + 1 + 1 + f.offset
	n, page := int(count), 1<<pageBits
	if n <= page {
		c, err := f.checked(ctx, block, prefix+n*size+4, "FADB")
		if err != nil {
			return err
		}
		c.skip(1 + f.offset)
		return r.entries(c, o, 0, n, size)
	}
	pages := (n + page - 1) / page
	bitmap := (pages + 7) / 8
	if c, err = f.checked(ctx, block, prefix+bitmap+4, "FADB"); err != nil {
		return err
	}
	c.skip(1 + f.offset)
	set := c.take(bitmap)
	return r.pages(ctx, o, pagedBlock{
		address: block + uint64(prefix+bitmap+4), count: n, page: page, size: size, set: set,
	})
}

// pagedBlock is a block of entries in pages. A bit for each page says whether the page
// is in use. Bits are counted from the most significant bit of the first byte.
type pagedBlock struct {
	address     uint64 // of the first page
	first       uint64 // number of the first entry in the array
	count, page int    // entries in all, and in a page
	size        int    // bytes of an entry
	set         []byte
	bit         int // the bit of the first page
}

// pages reads the entries of a block in pages.
func (r *indexReader) pages(ctx context.Context, o order, b pagedBlock) error {
	for p := 0; p*b.page < b.count; p++ {
		if bit := b.bit + p; b.set[bit/8]>>(7-bit%8)&1 == 0 {
			continue
		}
		n := min(b.page, b.count-p*b.page)
		c, err := r.file.cursor(ctx, b.address+uint64(p)*uint64(b.page*b.size+4), n*b.size+4)
		if err != nil {
			return err
		}
		if err := c.verify(); err != nil {
			return err
		}
		if err := r.entries(c, o, b.first+uint64(p*b.page), n, b.size); err != nil {
			return err
		}
	}
	return nil
}
