package verify

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// decoder decodes the objects of one array by its published document alone.
type decoder struct {
	meta  *zarr.Array
	chain *codecs.Chain
	box   []int         // shape of the boxes that are decoded at once, in elements
	bytes int           // of a box
	fill  ndarray.Array // one element: the fill value
}

// variable reports whether elements have no fixed size.
func (d *decoder) variable() bool { return d.meta.Type.Size() == 0 }

// memory returns the most bytes that decoding one object takes beside the object.
func (d *decoder) memory() int {
	return ndarray.Rounded(d.bytes) + d.chain.RegionMemory() + d.chain.Kept()
}

// index returns the coordinates of the chunk with a key below the array; false if the
// published grid has no such chunk, or the document cannot be used.
func (d *decoder) index(below string) ([]int, bool) {
	if d == nil || d.chain == nil {
		return nil, false
	}
	index, ok := d.meta.Keys.Parse(below)
	counts := d.meta.Grid.Count()
	if len(counts) == 0 && d.meta.Keys.Key(nil) == below {
		return []int{}, true
	}
	if !ok || len(index) != len(counts) {
		return nil, false
	}
	for k, n := range index {
		if n >= counts[k] {
			return nil, false
		}
	}
	return index, true
}

// room bounds the memory that elements of variable size take.
type room struct{ left int }

// Lend implements [ndarray.Account].
func (r *room) Lend(n int) ([]byte, error) {
	if err := r.Take(n); err != nil {
		return nil, err
	}
	return make([]byte, n), nil
}

// Take implements [ndarray.Account].
func (r *room) Take(n int) error {
	if n > r.left {
		return fmt.Errorf("%w: the elements take more than run.memory", codecs.ErrTooLarge)
	}
	r.left -= n
	return nil
}

// Give implements [ndarray.Account].
func (r *room) Give(n int) { r.left += n }

// Room implements [ndarray.Account].
func (r *room) Room() int { return r.left }

// decode decodes an object box by box, and calls f for each box. start is where the box
// begins in the object. Elements of variable size may take memory bytes.
func (d *decoder) decode(ctx context.Context, pool *ndarray.Pool, memory int, in codecs.Input, f func(box ndarray.Array, start []int) error) error {
	object, err := d.chain.Open(ctx, in)
	if err != nil {
		return err
	}
	buffer := pool.Get(d.bytes)
	defer buffer.Release()
	boxes := zarr.Grid{Shape: d.meta.Grid.Chunk, Chunk: d.box}
	for n := range boxes.Len() {
		r := boxes.Region(boxes.Index(n))
		size, _ := ndarray.Bytes(d.meta.Type, r.Shape)
		box, err := ndarray.View(d.meta.Type, r.Shape, buffer.Bytes[:size])
		if err != nil {
			return err
		}
		if box.Heap != nil {
			box.Heap.Account = &room{memory}
		}
		if err := object.DecodeRegion(ctx, pool, box, r.Start); err != nil {
			return err
		}
		if err := f(box, r.Start); err != nil {
			return err
		}
	}
	return nil
}
