package hdf5

import (
	"context"
	"iter"
	"slices"
)

// StoredChunk tells where a chunk is in the file, and which filters it went through.
type StoredChunk struct {
	Start  []int // index of its first element
	Offset int64 // in the file
	Size   int   // bytes
	// Skipped has bit i set if the chunk did not go through Filters[i].
	Skipped uint32
}

// StoredChunk returns the chunk at an index of the grid of chunks. It returns false if
// the chunk is not in the file. The index lies within the dataset.
func (d *Dataset) StoredChunk(ctx context.Context, index []int) (StoredChunk, bool, error) {
	find, err := d.finder(ctx)
	if err != nil {
		return StoredChunk{}, false, err
	}
	number := 0
	for k, i := range index {
		number += i * d.grid.stride[k]
	}
	c, ok := find(number)
	if !ok {
		return StoredChunk{}, false, nil
	}
	if _, err := d.file.place(c.address, int(c.size)); err != nil {
		return StoredChunk{}, false, err
	}
	return d.stored(c), true, nil
}

// StoredChunks returns the number of chunks in the file, and the chunks in C order.
func (d *Dataset) StoredChunks(ctx context.Context) (int, iter.Seq[StoredChunk], error) {
	if d.layout.class == chunked && d.layout.index == indexImplicit && d.layout.address != undefined {
		return d.grid.all, func(yield func(StoredChunk) bool) {
			for number := range d.grid.all {
				if c, _ := d.computed(number); !yield(d.stored(c)) {
					return
				}
			}
		}, nil
	}
	x, err := d.index(ctx)
	return len(x), func(yield func(StoredChunk) bool) {
		for _, c := range x {
			if !yield(d.stored(c)) {
				return
			}
		}
	}, err
}

func (d *Dataset) stored(c chunk) StoredChunk {
	start, shape := d.box(c.number)
	every := uint32(1)<<len(d.Filters) - 1
	s := StoredChunk{Start: start, Offset: int64(d.file.base + c.address), Size: int(c.size), Skipped: c.mask & every}
	if d.layout.partialRaw && !slices.Equal(shape, d.piece) {
		s.Skipped = every
	}
	return s
}
