package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// decoder decodes the objects of one array by its published document alone.
type decoder struct {
	meta  *zarr.Array
	chain *codecs.Chain // nil: no reader can use the document
	view
	// behind are views of the elements behind so many array → array codecs; made when one is
	// needed. A nil view cannot be made.
	behind map[uint8]*view
}

// view is the chain of an array, or its last part.
type view struct {
	codecs *codecs.Chain
	box    []int         // shape of the boxes that are decoded at once, in elements
	bytes  int           // of a box
	fill   ndarray.Array // one element: the fill value
}

// boxBytes is the size up to which inner chunks of a shard are decoded together.
const boxBytes = 8 << 20

// newView makes a view of a chain. Boxes are whole chunks or, in shards, runs of whole inner
// chunks.
func newView(chain *codecs.Chain) *view {
	whole := chain.Chunk()
	v := &view{codecs: chain, fill: whole.Single(), box: slices.Clone(whole.Shape)}
	if s, ok := chain.InnerChunks(); ok {
		v.box = slices.Clone(s.Inner().Chunk().Shape)
		for k := len(v.box) - 1; k >= 0; k-- {
			one, _ := ndarray.Bytes(whole.Type, v.box)
			n := max(1, min(boxBytes/max(one, 1), (whole.Shape[k]+v.box[k]-1)/v.box[k]))
			if v.box[k] = min(v.box[k]*n, whole.Shape[k]); v.box[k] < whole.Shape[k] {
				break
			}
		}
	}
	v.bytes, _ = ndarray.Bytes(whole.Type, v.box)
	return v
}

// variable reports whether elements have no fixed size.
func (v *view) variable() bool { return v.codecs.Chunk().Type.Size() == 0 }

// memory returns the most bytes that decoding one object takes beside the object.
func (v *view) memory() int {
	return ndarray.Rounded(v.bytes) + v.codecs.RegionMemory() + v.codecs.Kept()
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
func (v *view) decode(ctx context.Context, pool *ndarray.Pool, memory int, in codecs.Input, f func(box ndarray.Array, start []int) error) error {
	object, err := v.codecs.Open(ctx, in)
	if err != nil {
		return err
	}
	buffer := pool.Get(v.bytes)
	defer buffer.Release()
	whole := v.codecs.Chunk()
	boxes := zarr.Grid{Shape: whole.Shape, Chunk: v.box}
	for n := range boxes.Len() {
		r := boxes.Region(boxes.Index(n))
		size, _ := ndarray.Bytes(whole.Type, r.Shape)
		box, err := ndarray.View(whole.Type, r.Shape, buffer.Bytes[:size])
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
