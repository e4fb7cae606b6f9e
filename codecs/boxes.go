package codecs

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Boxes decodes the stored chunks of a chain whole, in boxes that need little memory: a
// chunk at once or, in shards, runs of whole inner chunks. It is immutable and safe for
// concurrent use.
type Boxes struct {
	chain *Chain
	shape []int // of a box, in elements
	bytes int   // of a box
}

// boxBytes is the size up to which inner chunks of a shard are decoded together.
const boxBytes = 8 << 20

// NewBoxes chooses the boxes of a chain.
func NewBoxes(chain *Chain) *Boxes {
	b := &Boxes{chain: chain, shape: slices.Clone(chain.in.Shape)}
	if s, ok := chain.InnerChunks(); ok {
		b.shape = slices.Clone(s.shape)
		for k := len(b.shape) - 1; k >= 0; k-- {
			one, _ := ndarray.Bytes(chain.in.Type, b.shape)
			whole := chain.in.Shape[k]
			n := max(1, min(boxBytes/max(one, 1), (whole+b.shape[k]-1)/b.shape[k]))
			if b.shape[k] = min(b.shape[k]*n, whole); b.shape[k] < whole {
				break
			}
		}
	}
	b.bytes, _ = ndarray.Bytes(chain.in.Type, b.shape)
	return b
}

// Chain returns the chain.
func (b *Boxes) Chain() *Chain { return b.chain }

// Shape returns the shape of a box, in elements. Boxes at the ends of a chunk may be smaller.
// Do not modify the result.
func (b *Boxes) Shape() []int { return b.shape }

// Memory returns the most bytes that Decode takes beside the stored chunk, without those of
// elements of variable size.
func (b *Boxes) Memory() int {
	return ndarray.Rounded(b.bytes) + b.chain.RegionMemory() + b.chain.Kept()
}

// Decode decodes a stored chunk box by box, and calls f for each box. start is where the box
// begins in the chunk. f borrows the box. account, if not nil, bounds the memory of each box
// for elements of variable size.
func (b *Boxes) Decode(ctx context.Context, pool *ndarray.Pool, in Input, account func() ndarray.Account, f func(box ndarray.Array, start []int) error) error {
	object, err := b.chain.Open(ctx, in)
	if err != nil {
		return err
	}
	buffer := pool.Get(b.bytes)
	defer buffer.Release()
	whole := b.chain.in
	first, last := make([]int, len(whole.Shape)), make([]int, len(whole.Shape))
	for i, n := range whole.Shape {
		last[i] = (n - 1) / b.shape[i]
	}
	for index := slices.Clone(first); index != nil; index = ndarray.Next(index, first, last) {
		start, shape := make([]int, len(index)), make([]int, len(index))
		for i, n := range b.shape {
			start[i] = index[i] * n
			shape[i] = min(n, whole.Shape[i]-start[i])
		}
		size, _ := ndarray.Bytes(whole.Type, shape)
		box, err := ndarray.View(whole.Type, shape, buffer.Bytes[:size])
		if err != nil {
			return err
		}
		if box.Heap != nil && account != nil {
			box.Heap.Account = account()
		}
		if err := object.DecodeRegion(ctx, pool, box, start); err != nil {
			return err
		}
		if err := f(box, start); err != nil {
			return err
		}
	}
	return nil
}
