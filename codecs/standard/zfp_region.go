package standard

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/zfp"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// zfpBlocks is zfp with blocks of one size. The place of each block in the stream is
// known, so that the blocks of a box are decoded without the others.
type zfpBlocks[T zfp.Scalar] struct{ zfpArrays[T] }

// zfpSide is the number of elements of a block along each dimension.
const zfpSide = 4

// DecodeRegion implements [codecs.Ranged].
func (b *zfpBlocks[T]) DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in codecs.Input) error {
	if in.Size() > int64(b.size.Max) {
		return fmt.Errorf("%w: %d bytes, the chunk has %d", codecs.ErrCorrupt, in.Size(), b.size.Max)
	}
	_, end, err := zfp.RegionBytes(make([]int, len(b.shape)), b.shape, b.shape, b.form.number, b.params)
	if err != nil {
		return err
	}
	if in.Size() < int64(end) {
		return fmt.Errorf("%w: %d bytes, the chunk's blocks have %d", codecs.ErrCorrupt, in.Size(), end)
	}
	if dst.Len() == 0 {
		return nil
	}
	if len(start) == 0 { // a 0-D chunk is a field of one element
		start, dst.Shape, dst.Strides = []int{0}, []int{1}, []int{dst.Type.Size()}
	}
	return b.decodeBox(ctx, pool, dst, start, in)
}

// decodeBox decodes the blocks of a box. If the bytes between the blocks are cheaper to
// read than further requests, it reads the box in one piece. Otherwise it reads row by
// row of blocks along the slowest dimension.
func (b *zfpBlocks[T]) decodeBox(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in codecs.Input) error {
	from, to, err := zfp.RegionBytes(start, dst.Shape, b.shape, b.form.number, b.params)
	if err != nil {
		return err
	}
	size, _ := b.params.BlockBits(b.form.number)
	blocks, slowest := 1, -1
	for i, n := range dst.Shape {
		rows := (start[i]+n-1)/zfpSide - start[i]/zfpSide + 1
		if blocks *= rows; rows > 1 && slowest < 0 {
			slowest = i
		}
	}
	if useless := to - from - blocks*size/8; slowest < 0 || slowest == len(start)-1 || useless <= codecs.GapBytes(in) {
		return b.readBox(ctx, pool, dst, start, from, to, in)
	}
	part := ndarray.Region{Start: make([]int, len(start)), Shape: slices.Clone(dst.Shape)}
	first := slices.Clone(start)
	end := start[slowest] + dst.Shape[slowest]
	for at := start[slowest]; at < end; at = first[slowest] + part.Shape[slowest] {
		first[slowest], part.Start[slowest] = at, at-start[slowest]
		part.Shape[slowest] = min(end, at/zfpSide*zfpSide+zfpSide) - at
		if err := b.decodeBox(ctx, pool, dst.Sub(part), first, in); err != nil {
			return err
		}
	}
	return nil
}

// readBox decodes a box from the bytes of its blocks.
func (b *zfpBlocks[T]) readBox(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, from, to int, in codecs.Input) error {
	var stream []byte
	if m, ok := in.(codecs.InMemory); ok {
		stream = m[from:to]
	} else {
		buffer := pool.Get(to - from)
		defer buffer.Release()
		if err := in.ReadAt(ctx, buffer.Bytes, int64(from)); err != nil {
			return err
		}
		stream = buffer.Bytes
	}
	return b.fill(dst, func(f zfpField[T]) error {
		return zfp.DecodeRegion(f.numbers, start, dst.Shape, b.shape, stream, b.params)
	})
}
