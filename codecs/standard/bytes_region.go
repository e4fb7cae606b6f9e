package standard

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// DecodeRegion implements [codecs.Ranged].
func (b *bytesBound) DecodeRegion(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, start []int, in codecs.Input) error {
	if in.Size() != int64(b.size) {
		return fmt.Errorf("%w: %d bytes, the chunk has %d", codecs.ErrCorrupt, in.Size(), b.size)
	}
	if dst.Len() == 0 {
		return nil
	}
	strides := ndarray.CStrides(b.typ.Size(), b.shape)
	at := 0
	for i, first := range start {
		at += first * strides[i]
	}
	if m, ok := in.(codecs.InMemory); ok {
		b.copyBox(dst, m[at:], strides)
	} else if err := b.decodeBox(ctx, pool, dst, at, strides, in); err != nil {
		return err
	}
	ndarray.ClearUnused(dst)
	return nil
}

// Leading implements [codecs.Leading].
func (b *bytesBound) Leading(start, shape []int) int {
	if slices.Contains(shape, 0) {
		return 0
	}
	strides := ndarray.CStrides(b.typ.Size(), b.shape)
	n := b.typ.Size()
	for i, first := range start {
		n += (first + shape[i] - 1) * strides[i]
	}
	return n
}

// decodeBox reads a box that begins at byte at. If the bytes between the elements are
// cheaper to read than further requests, it reads the box in one piece. Otherwise it
// reads slice by slice along the slowest dimension.
func (b *bytesBound) decodeBox(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, at int, strides []int, in codecs.Input) error {
	k, inner := len(dst.Shape), b.typ.Size() // inner is the distance from the first to the last byte of a slice along k
	for i, n := range slices.Backward(dst.Shape) {
		if n > 1 {
			if k < len(dst.Shape) {
				inner += (dst.Shape[k] - 1) * strides[k]
			}
			k = i
		}
	}
	if k == len(dst.Shape) { // the box is one element
		return b.readBox(ctx, pool, dst, at, inner, strides, in)
	}
	span := inner + (dst.Shape[k]-1)*strides[k]
	useless, gap := span-dst.Len()*b.typ.Size(), strides[k]-inner
	most, step := codecs.GapBytes(in), 1 // step is how many slices are read together
	switch {
	case useless <= most || gap <= most && span <= codecs.MaxRun:
		return b.readBox(ctx, pool, dst, at, span, strides, in)
	case gap <= most && inner < codecs.MaxRun:
		step += (codecs.MaxRun - inner) / strides[k]
	}
	r := ndarray.Region{Start: make([]int, len(dst.Shape)), Shape: slices.Clone(dst.Shape)}
	for i := 0; i < dst.Shape[k]; i += step {
		r.Start[k], r.Shape[k] = i, min(step, dst.Shape[k]-i)
		if err := b.decodeBox(ctx, pool, dst.Sub(r), at+i*strides[k], strides, in); err != nil {
			return err
		}
	}
	return nil
}

// readBox reads a box of span bytes that begins at byte at.
func (b *bytesBound) readBox(ctx context.Context, pool *ndarray.Pool, dst ndarray.Array, at, span int, strides []int, in codecs.Input) error {
	if place, ok := b.DecodeAlias(dst); ok && len(place) == span {
		return in.ReadAt(ctx, place, int64(at))
	}
	buffer := pool.Get(span)
	defer buffer.Release()
	if err := in.ReadAt(ctx, buffer.Bytes, int64(at)); err != nil {
		return err
	}
	b.copyBox(dst, buffer.Bytes, strides)
	return nil
}

// copyBox copies a box from stored bytes that begin with the box's first element.
func (b *bytesBound) copyBox(dst ndarray.Array, data []byte, strides []int) {
	src := ndarray.Array{Type: b.typ, Data: data, Shape: dst.Shape, Strides: strides}
	if b.swap != nil {
		ndarray.CopySwapped(dst, src, b.swap)
	} else {
		ndarray.Copy(dst, src)
	}
}
