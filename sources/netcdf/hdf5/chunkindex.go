package hdf5

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// chunk tells where a chunk of a dataset is.
type chunk struct {
	number  int // in the grid of the dataset, in C order
	address uint64
	size    uint32 // bytes
	mask    uint32 // bit i: the chunk did not go through filter i
}

const chunkBytes = 24 // bytes of memory for a chunk

// grid numbers the chunks of a dataset.
type grid struct {
	count  []int // number of chunks along each dimension, at the present extents
	stride []int // steps of the chunk number along each dimension, in C order
	all    int
}

func newGrid(shape, chunk []int) grid {
	g := grid{count: make([]int, len(shape)), stride: make([]int, len(shape)), all: 1}
	for k := len(shape) - 1; k >= 0; k-- {
		if shape[k] > 0 {
			g.count[k] = (shape[k]-1)/chunk[k] + 1
		}
		g.stride[k] = g.all
		g.all *= g.count[k]
	}
	return g
}

// number returns the number of the chunk at an index of the grid. It returns false for
// an index outside of the grid.
func (g grid) number(index []uint64) (int, bool) {
	n := 0
	for k, i := range index {
		if i >= uint64(g.count[k]) {
			return 0, false
		}
		n += int(i) * g.stride[k]
	}
	return n, true
}

// chunkIndex lists the chunks of a dataset that are in the file, in the order
// of their numbers.
type chunkIndex []chunk

// find returns the chunk with a number. It returns false if the chunk is not in the
// file.
func (x chunkIndex) find(number int) (chunk, bool) {
	i, ok := slices.BinarySearchFunc(x, number, func(c chunk, n int) int { return cmp.Compare(c.number, n) })
	if !ok {
		return chunk{}, false
	}
	return x[i], true
}

// finder returns a function that finds a chunk by its number and returns false for a
// chunk that is not in the file.
func (d *Dataset) finder(ctx context.Context) (func(number int) (chunk, bool), error) {
	if d.layout.class != chunked || d.layout.index == indexImplicit {
		return d.computed, nil
	}
	x, err := d.index(ctx)
	return x.find, err
}

// index returns the index of the chunks. It is read once, and kept while the cache has
// room.
func (d *Dataset) index(ctx context.Context) (chunkIndex, error) {
	key := cacheKey{d.file, d.address}
	if x, ok := d.file.shared.indexes.get(key).(chunkIndex); ok {
		return x, nil
	}
	d.reading.Lock() // others who need the index wait
	defer d.reading.Unlock()
	if x, ok := d.file.shared.indexes.get(key).(chunkIndex); ok {
		return x, nil
	}
	x, err := d.readIndex(ctx)
	if err != nil {
		return nil, fmt.Errorf("chunk index: %w", err)
	}
	d.file.shared.indexes.put(key, x, chunkBytes*len(x))
	return x, nil
}

// readIndex reads the index of the chunks.
func (d *Dataset) readIndex(ctx context.Context) (chunkIndex, error) {
	if d.layout.address == undefined || d.grid.all == 0 {
		return chunkIndex{}, nil
	}
	r := &indexReader{Dataset: d, x: chunkIndex{}}
	var err error
	switch d.layout.index {
	case indexBTree1:
		err = r.btree1(ctx)
	case indexSingle:
		size := uint64(d.chunkSize)
		if d.layout.filtered {
			size = d.layout.filteredSize
		}
		err = r.add(make([]uint64, len(d.Shape)), d.layout.address, size, d.layout.mask)
	case indexFixedArray:
		err = r.fixedArray(ctx)
	case indexExtensibleArray:
		err = r.extensibleArray(ctx)
	case indexBTree2:
		err = r.btree2(ctx)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(r.x, func(a, b chunk) int { return cmp.Compare(a.number, b.number) })
	for i := 1; i < len(r.x); i++ {
		if r.x[i].number == r.x[i-1].number {
			return nil, corrupt("chunk %d is listed twice", r.x[i].number)
		}
	}
	return slices.Clip(r.x), nil
}

// indexReader collects the chunks of a dataset.
type indexReader struct {
	*Dataset
	x chunkIndex
}

// add adds the chunk at an index of the grid. It drops chunks outside of the dataset,
// which may have shrunk.
func (r *indexReader) add(index []uint64, address, size uint64, mask uint32) error {
	number, ok := r.grid.number(index)
	if !ok || address == undefined {
		return nil
	}
	if most := uint64(mostStored(r.chunkSize)); size > most {
		return corrupt("chunk %v has %d bytes, but a chunk of this shape has at most %d", index, size, most)
	}
	if r.filters == nil && size != uint64(r.chunkSize) {
		return corrupt("chunk %v has %d bytes without any filter, want %d", index, size, r.chunkSize)
	}
	if _, err := r.file.place(address, int(size)); err != nil {
		return fmt.Errorf("chunk %v: %w", index, err)
	}
	r.x = append(r.x, chunk{number, address, uint32(size), mask})
	return nil
}

// btree1 reads an index that is a B-tree of version 1. A key has the size of its chunk
// in the file, the mask of filters, and the chunk's first element.
func (r *indexReader) btree1(ctx context.Context) error {
	rank := len(r.Shape)
	index := make([]uint64, rank)
	t := &btree1{file: r.file, kind: 1, key: 4 + 4 + 8*(rank+1), do: func(key []byte, address uint64) error {
		c := &cursor{data: key}
		size, mask := uint64(c.uint32()), c.uint32()
		for k := range index {
			at, extent := c.uint64(), uint64(r.ChunkShape[k])
			if at%extent != 0 {
				return corrupt("a chunk begins at element %d of dimension %d, chunks are %d long", at, k, extent)
			}
			index[k] = at / extent
		}
		return r.add(index, address, size, mask)
	}}
	return t.walk(ctx, r.layout.address)
}

// btree2 reads an index that is a B-tree of version 2.
func (r *indexReader) btree2(ctx context.Context) error {
	rank, offset := len(r.Shape), r.file.offset
	index := make([]uint64, rank)
	return r.file.btree2(ctx, r.layout.address, func(record []byte) error {
		c := &cursor{data: record, widths: r.file.widths}
		entry := len(record) - 8*rank
		address, size, mask := r.entry(c, entry)
		if c.err != nil || entry < offset {
			return corrupt("records of %d bytes for chunks of %d dimensions", len(record), rank)
		}
		for k := range index {
			index[k] = c.uint64()
		}
		return r.add(index, address, size, mask)
	})
}

// entry reads the place of a chunk from n bytes: an address alone, or an address, the
// size after the filters and the mask of the filters that are left out.
func (r *indexReader) entry(c *cursor, n int) (address, size uint64, mask uint32) {
	address = c.address()
	if n == r.file.offset {
		return address, uint64(r.chunkSize), 0
	}
	width := n - r.file.offset - 4
	if c.err == nil && (width < 1 || width > 8) {
		c.err = corrupt("entries of %d bytes for chunks", n)
	}
	if c.err != nil {
		return 0, 0, 0
	}
	return address, c.uint(width), c.uint32()
}
