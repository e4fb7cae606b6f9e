package codecs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Encode returns the encoding of src, an array of the chain's data type and shape with
// any strides. The bytes lie in the returned buffer, which the caller releases. If the
// buffer is nil, the bytes lie in memory of their own or in src's memory.
func (c *Chain) Encode(pool *ndarray.Pool, src ndarray.Array) ([]byte, *ndarray.Buffer, error) {
	data, buffer, err := c.encode(pool, src, nil)
	return data, buffer, c.located(err)
}

// AppendEncode appends the encoding of src to dst. src is an array as for Encode. With
// an error, the result is nil.
func (c *Chain) AppendEncode(pool *ndarray.Pool, dst []byte, src ndarray.Array) ([]byte, error) {
	data, buffer, err := c.Encode(pool, src)
	if err != nil {
		return nil, err
	}
	dst = append(dst, data...)
	if buffer != nil {
		buffer.Release()
	}
	return dst, nil
}

// encode is Encode, but its errors name elements by their index in the array that the
// codec received. seen is that of EncodeSeen, or nil.
func (c *Chain) encode(pool *ndarray.Pool, src ndarray.Array, seen func(ndarray.Array)) ([]byte, *ndarray.Buffer, error) {
	var held *ndarray.Buffer // the memory of the current array or bytes; nil while they lie in src
	swap := func(b *ndarray.Buffer) {
		if held != nil {
			held.Release()
		}
		held = b
	}
	for i := 0; i < len(c.arrays); {
		p := c.passes[i]
		i = p.end
		if v, ok := c.arrays[p.first].(View); ok {
			src = v.EncodeView(src)
			continue
		}
		next, buffer := lendArray(pool, c.stages[p.end].Type, c.stages[p.end].Shape)
		err := c.encodePass(p, next, src)
		swap(buffer)
		if err != nil {
			swap(nil)
			return nil, nil, err
		}
		src = next
	}
	var data []byte
	aliased := c.store != nil
	alias, dense := c.bytes.(Alias)
	if aliased {
		data = src.Data
	} else if dense {
		data, aliased = alias.EncodeAlias(src)
	}
	if seen != nil && (aliased || !dense) {
		seen(src)
		seen = nil
	}
	sizes := c.sizes
	if sizes[0].Unbounded {
		sizes = c.sizesFrom(c.measure(src))
	}
	if !aliased {
		buffer, empty := c.lend(pool, sizes[0])
		out, err := c.bytes.AppendEncode(empty, src)
		swap(buffer)
		if err != nil {
			swap(nil)
			return nil, nil, c.fault(len(c.arrays), err)
		}
		data = out
		if seen != nil {
			seen(c.copied(src, alias, data))
		}
	}
	for i, b := range c.binary {
		buffer, empty := c.lend(pool, sizes[i+1])
		out, err := b.AppendEncode(empty, data)
		swap(buffer)
		if err != nil {
			swap(nil)
			return nil, nil, c.fault(len(c.arrays)+1+i, err)
		}
		data = out
	}
	return data, held, nil
}

// copied returns an array with the elements of src, whose encoding by alias is data. If data
// is a dense copy of src, it returns the array in data, which takes less time to read.
// Otherwise it returns src.
func (c *Chain) copied(src ndarray.Array, alias Alias, data []byte) ndarray.Array {
	if src.Heap != nil {
		return src
	}
	made, err := ndarray.View(src.Type, src.Shape, data)
	if err != nil {
		return src
	}
	if _, same := alias.EncodeAlias(made); !same {
		return src
	}
	return made
}

// located adds to an error about an element where the element is in the chunk. Codecs
// that move elements make the two places differ.
func (c *Chain) located(err error) error {
	at, ok := errors.AsType[*Error](err)
	if !ok || at.Index > len(c.arrays) {
		return err
	}
	if _, nested := errors.AsType[*Error](at.Err); nested {
		return err // an inner chain has located the element already
	}
	element, ok := errors.AsType[*ElementError](at.Err)
	if !ok || len(element.Index) != len(c.stages[at.Index].Shape) {
		return err
	}
	if index := c.original(at.Index, element.Index); !slices.Equal(index, element.Index) {
		return &Error{at.Index, at.Codec, fmt.Errorf("%w (element %v of the chunk)", at.Err, index)}
	}
	return err
}

// original returns the index in the chunk of an element of stage i.
func (c *Chain) original(i int, index []int) []int {
	for ; i > 0; i-- {
		shape := c.stages[i-1].Shape
		v, moves := c.arrays[i-1].(View)
		if !moves { // the codec keeps the place of each element in C order
			index = elements.Coordinates(shape, elements.Ordinal(c.stages[i].Shape, index))
			continue
		}
		// In this array of bytes, the address of an element is its number in C order.
		seen := v.EncodeView(ndarray.New(dtype.Uint8, shape))
		at := seen.Offset
		for k, n := range index {
			at += n * seen.Strides[k]
		}
		index = elements.Coordinates(shape, at)
	}
	return index
}

// Decode fills dst, an array of the chain's data type and shape with any strides, from
// an encoded chunk. Damage is ErrCorrupt or ErrTooLarge; the content of dst is then
// undefined.
func (c *Chain) Decode(pool *ndarray.Pool, dst ndarray.Array, data []byte) error {
	place := c.place(dst)
	tally := dst.Heap.Tally()
	defer tally.End()
	data, held, err := c.decodeBinary(pool, data, 0, nil, place, tally)
	if err == nil && len(place) > 0 && len(data) == len(place) && &data[0] == &place[0] {
		return nil // the bytes were decoded into place, and no buffer is held
	}
	var to target
	if err == nil {
		stage := len(c.arrays)
		if c.load != nil {
			stage = c.passes[stage-1].first
		}
		to = c.target(pool, dst, stage, nil)
		err = c.decodeBytes(to.view, data)
	}
	if held != nil {
		held.Release()
	}
	if err != nil {
		to.release()
		return err
	}
	return c.decodeArrays(pool, dst, to, nil)
}

// place returns the memory of dst if the bytes → bytes codecs can decode into it, and
// nil if the array → bytes codec has something to change.
func (c *Chain) place(dst ndarray.Array) []byte {
	alias, ok := c.bytes.(Alias)
	if !ok {
		return nil
	}
	for _, a := range c.arrays {
		v, ok := a.(View)
		if !ok {
			return nil
		}
		dst = v.DecodeView(dst)
	}
	memory, _ := alias.DecodeAlias(dst)
	return memory
}

// DecodePlace returns the memory of dst if an encoded chunk can be read into it, so
// that Decode has nothing left to do. It returns nil if decoding takes more than that.
func (c *Chain) DecodePlace(dst ndarray.Array) []byte {
	if len(c.binary) > 0 || !slices.Equal(dst.Shape, c.in.Shape) {
		return nil
	}
	return c.place(dst)
}

// decodeBinary undoes the bytes → bytes codecs from the last one down to number last.
// data lies in held, or in the caller's memory if held is nil; decodeBinary takes over
// held. The result lies in the returned buffer in the same way. If place is large
// enough, codec number 0 decodes into it. tally counts the buffers for data of
// unbounded size.
func (c *Chain) decodeBinary(pool *ndarray.Pool, data []byte, last int, held *ndarray.Buffer, place []byte, tally *ndarray.Tally) ([]byte, *ndarray.Buffer, error) {
	for i := len(c.binary) - 1; i >= last; i-- {
		var buffer *ndarray.Buffer
		empty := place[:0]
		var err error
		if i > 0 || len(place) < c.sizes[0].Max {
			buffer, empty, err = c.lendDecoded(pool, i, data, tally)
		}
		var out []byte
		if err == nil {
			out, err = c.binary[i].AppendDecode(empty, data)
		}
		if held != nil {
			held.Release()
		}
		held = buffer
		if err != nil {
			return nil, held, c.fault(len(c.arrays)+1+i, err)
		}
		data = out
	}
	return data, held, nil
}

// decodeArrays fills dst from an array of a later stage, which it takes over. boxes is
// the argument of target.
func (c *Chain) decodeArrays(pool *ndarray.Pool, dst ndarray.Array, from target, boxes []ndarray.Region) error {
	for from.stage > 0 {
		p := c.passes[from.stage-1]
		to := c.target(pool, dst, p.first, boxes)
		err := c.decodePass(p, to.view, from.base)
		from.release()
		from = to
		if err != nil {
			from.release()
			return err
		}
	}
	return nil
}

// target is the memory into which the array of some stage is decoded.
type target struct {
	view   ndarray.Array   // the array of that stage
	base   ndarray.Array   // the array at which view looks, of the same stage or an earlier one
	stage  int             // the stage of base; at 0, base is the caller's array
	buffer *ndarray.Buffer // nil at stage 0
	tally  *ndarray.Tally  // counts the buffer in the caller's heap
}

// target returns the memory for the array of stage i. If all codecs before stage i are
// views, this is a view of dst, otherwise a view of a lent array. If dst is a box of
// the chunk, boxes has the corresponding box of each stage. If dst is the whole chunk,
// boxes is nil.
func (c *Chain) target(pool *ndarray.Pool, dst ndarray.Array, i int, boxes []ndarray.Region) target {
	t := target{base: dst, stage: i}
	for t.stage > 0 {
		if _, ok := c.arrays[t.stage-1].(View); !ok {
			shape := c.stages[t.stage].Shape
			if boxes != nil {
				shape = boxes[t.stage].Shape
			}
			t.base, t.buffer = lendArray(pool, c.stages[t.stage].Type, shape)
			t.tally = t.base.Borrow(dst)
			break
		}
		t.stage--
	}
	t.view = t.base
	for _, a := range c.arrays[t.stage:i] {
		t.view = a.(View).DecodeView(t.view)
	}
	return t
}

func (t target) release() {
	if t.buffer != nil {
		t.buffer.Release()
		t.tally.End()
	}
}
