package standard

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/codecs/zfp"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// zfpBound is zfp bound to a chunk, without the parts that depend on zfp's number type.
type zfpBound struct {
	zfpCodec
	in     codecs.Chunk
	shape  []int // the shape of zfp's field
	form   zfpForm
	params zfp.Params
	size   codecs.Size
}

func (b *zfpBound) Spec() codecs.Spec { return b.spec }

func (b *zfpBound) Size() codecs.Size { return b.size }

// lossless reports whether every element comes back unchanged.
func (b *zfpBound) lossless() bool {
	p := b.params
	return p.MinExp < zfp.NoMinExp && p.MaxBits >= zfp.NoMaxBits && p.MaxPrec >= 8*b.form.stored.Size()
}

// PadsNearest implements [codecs.NearestPadded]. An element that differs much from its
// neighbours reduces their precision.
func (b *zfpBound) PadsNearest() bool { return !b.lossless() }

// Scratch implements [codecs.Scratching]: a copy of strided or promoted elements, a
// stream that the encoder could not write in place, and the elements that are decoded
// to verify the bound.
func (b *zfpBound) Scratch() int {
	n, _ := ndarray.Bytes(b.form.stored, b.shape)
	most := n + b.size.Max + zfp.Slack
	if b.verify {
		most += 2 * n
	}
	return most
}

// zfpArrays is zfp for chunks whose elements are numbers of T, or are promoted to them.
type zfpArrays[T zfp.Scalar] struct {
	zfpBound
	streams sync.Pool // of *[]byte: memory for streams of a fixed size, and what zfp needs behind them
}

func bindZfp[T zfp.Scalar](b zfpBound) codecs.ArrayToBytes {
	if b.size.Fixed {
		return &zfpBlocks[T]{zfpArrays[T]{zfpBound: b}}
	}
	return &zfpArrays[T]{zfpBound: b}
}

func (b *zfpArrays[T]) options(strides []int) zfp.Options {
	return zfp.Options{Header: b.header, Strides: strides}
}

// AppendEncode implements [codecs.ArrayToBytes].
func (b *zfpArrays[T]) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	f, err := b.field(src)
	if err != nil {
		return dst, err
	}
	o := b.options(f.strides)
	o.Finite = !b.lossless() && !b.form.within
	if o.Finite && !b.form.float() { // zfp finds floats that are not finite while it encodes
		if err := b.refuse(f, src); err != nil {
			return dst, err
		}
	}
	out, err := b.encode(dst, f, o)
	if errors.Is(err, zfp.ErrNotFinite) {
		err = b.refuse(f, src)
	}
	if err != nil {
		return dst, err
	}
	if b.verify {
		err = b.prove(f, src, out[len(dst):])
	}
	return out, err
}

// encode appends the stream of a field. A buffer for a stream of fixed size has exactly that
// size, so zfp works in memory that is kept.
func (b *zfpArrays[T]) encode(dst []byte, f zfpField[T], o zfp.Options) ([]byte, error) {
	need := b.size.Max + zfp.Slack
	if !b.size.Fixed || cap(dst)-len(dst) >= need {
		return zfp.AppendEncode(dst, f.numbers, b.shape, b.params, o)
	}
	room, ok := b.streams.Get().(*[]byte)
	if !ok {
		memory := make([]byte, 0, need)
		room = &memory
	}
	defer b.streams.Put(room)
	out, err := zfp.AppendEncode(*room, f.numbers, b.shape, b.params, o)
	if err != nil {
		return dst, err
	}
	return append(dst, out...), nil
}

// refuse returns an error about the first number that the mode may change into any other one.
func (b *zfpArrays[T]) refuse(f zfpField[T], src ndarray.Array) error {
	at := f.unfit()
	if at < 0 {
		return nil
	}
	return fmt.Errorf("%w: %w of zfp's mode %s, which takes %s: mode reversible keeps all values",
		codecs.NewElementError(src, at), dtype.ErrOutOfRange, b.mode, b.form.limits())
}

// field returns the elements of src as zfp's numbers: in src's own memory, or in a copy. The
// field has no gaps if the bound is to be verified.
func (b *zfpArrays[T]) field(src ndarray.Array) (zfpField[T], error) {
	if b.form.promote == nil {
		if f, ok := zfpFieldIn[T](src); ok && (!b.verify || len(f.numbers) == src.Len()) {
			return f, nil
		}
	}
	f, a := b.blank(src.Shape)
	if b.form.promote == nil {
		ndarray.Copy(a, src)
	} else if at := b.form.promote.Run(a, src); at >= 0 {
		return f, fmt.Errorf("%w: %w of zfp, whose integers are signed: store values of at most %d, or another data type",
			codecs.NewElementError(src, at), dtype.ErrOutOfRange, b.form.most())
	}
	return f, nil
}

// blank returns a new array of zfp's numbers, and its memory.
func (b *zfpArrays[T]) blank(shape []int) (zfpField[T], ndarray.Array) {
	a := ndarray.New(b.form.stored, shape)
	f, _ := zfpFieldIn[T](a)
	return f, a
}

// Decode implements [codecs.ArrayToBytes]. A stream may end at the byte of its last
// bit. A library with stream words of 8 bits writes such streams.
func (b *zfpArrays[T]) Decode(dst ndarray.Array, src []byte) error {
	if len(src) > b.size.Max && !b.header {
		return fmt.Errorf("%w: %d bytes, the chunk has at most %d", codecs.ErrCorrupt, len(src), b.size.Max)
	}
	params := b.params
	if b.header {
		h, err := zfp.ParseHeader(src)
		if err != nil {
			return zfpError(err)
		}
		params = h.Params // readers go by the header, whatever the configuration says
		// Behind numcodecs.bitround, numcodecs stores floats as integers with the same bits.
		switch {
		case b.form.number == zfp.Float32 && b.form.demote == nil && h.Type == zfp.Int32:
			return decodeZfpBits[int32](dst, dtype.Int32, b.shape, src, params)
		case b.form.number == zfp.Float64 && h.Type == zfp.Int64:
			return decodeZfpBits[int64](dst, dtype.Int64, b.shape, src, params)
		}
	}
	decode := func(f zfpField[T]) error { return zfp.Decode(f.numbers, b.shape, src, params, b.options(f.strides)) }
	if b.form.demote == nil {
		if f, ok := zfpFieldIn[T](dst); ok {
			return zfpError(decode(f))
		}
	}
	return b.fill(dst, decode)
}

// decodeZfpBits decodes a stream of integers and gives their bits to the elements of dst. t is the data
// type of the integers.
func decodeZfpBits[T zfp.Scalar](dst ndarray.Array, t dtype.Type, shape []int, src []byte, params zfp.Params) error {
	a := ndarray.New(t, dst.Shape)
	f, _ := zfpFieldIn[T](a)
	if err := zfp.Decode(f.numbers, shape, src, params, zfp.Options{Header: true, Strides: f.strides}); err != nil {
		return zfpError(err)
	}
	ndarray.Copy(dst, a)
	return nil
}

// fill calls decode for a field without gaps. That is the memory of dst, or it is demoted or
// copied to dst.
func (b *zfpArrays[T]) fill(dst ndarray.Array, decode func(f zfpField[T]) error) error {
	if b.form.demote == nil {
		if f, ok := zfpFieldIn[T](dst); ok && len(f.numbers) == dst.Len() {
			return zfpError(decode(f))
		}
	}
	f, a := b.blank(dst.Shape)
	if err := decode(f); err != nil {
		return zfpError(err)
	}
	if b.form.demote == nil {
		ndarray.Copy(dst, a)
	} else {
		b.form.demote.Run(dst, a) // every number has a nearest element
	}
	return nil
}

// prove decodes a stream and returns an error about the first element that differs from
// src by more than the tolerance. want has the numbers of src, without gaps.
func (b *zfpArrays[T]) prove(want zfpField[T], src ndarray.Array, stream []byte) error {
	back := ndarray.New(b.in.Type, b.in.Shape)
	if err := b.Decode(back, stream); err != nil {
		return err
	}
	got, err := b.field(back)
	if err != nil {
		return err
	}
	for i, v := range want.numbers {
		if e := math.Abs(float64(v) - float64(got.numbers[i])); !(e <= b.tolerance) {
			return fmt.Errorf("%w, comes back as %s: the error of %g exceeds the tolerance of %g: data type %s has no more digits beside the largest values around it",
				codecs.NewElementError(src, i), b.in.Type.FormatScalar(dtype.V3, elements.Value(back, i)), e, b.tolerance, b.in.Type.Name())
		}
	}
	return nil
}

// zfpLimit returns the bound that magnitudes must stay below in lossy modes.
func zfpLimit[T zfp.Scalar]() (limit T) {
	switch p := any(&limit).(type) {
	case *int32:
		*p = 1 << 30
	case *int64:
		*p = 1 << 62
	case *float32:
		*p = float32(math.Inf(1))
	case *float64:
		*p = math.Inf(1)
	}
	return limit
}

// Losses implements [codecs.Lossy].
func (b *zfpArrays[T]) Losses() []codecs.Loss {
	if b.lossless() {
		return nil
	}
	const largest = "the error depends on the largest value of each block"
	unlimited := b.params.MaxBits >= zfp.NoMaxBits && b.params.MaxPrec >= 8*b.form.stored.Size()
	switch {
	case b.mode == "fixed_rate":
		return []codecs.Loss{{What: fmt.Sprintf("cut to %g bits for each value: %s", b.rate, largest)}}
	case b.mode == "fixed_precision":
		return []codecs.Loss{{What: fmt.Sprintf("cut to %d bit planes: %s", b.precision, largest)}}
	case !b.form.float() && unlimited:
		return []codecs.Loss{{What: "the lowest bits of integers may change"}}
	case unlimited && b.params.MinExp > zfp.NoMinExp:
		away := math.Ldexp(1, b.params.MinExp)
		if b.mode == "fixed_accuracy" {
			away = b.tolerance
		}
		what := "rounded by blocks"
		if !b.verify {
			what += " (errors may exceed the bound beside very large values; verify_bound: true makes that an error)"
		}
		return []codecs.Loss{{What: what, AtMost: away}}
	default:
		return []codecs.Loss{{What: "cut by the limits of the mode: " + largest}}
	}
}

// Stable implements [codecs.Stable].
func (b *zfpArrays[T]) Stable(any) bool { return b.lossless() }
