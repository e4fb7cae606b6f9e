package codecs

import (
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// plan groups the array → array codecs into passes. Elementwise codecs in front of a
// [Plain] codec, even a single one, also store and load the elements.
func (c *Chain) plan() {
	for i := 0; i < len(c.arrays); {
		end := i
		for end < len(c.arrays) {
			if _, ok := c.arrays[end].(Elementwise); !ok {
				break
			}
			end++
		}
		p := &pass{first: i, end: max(end, i+1)}
		if end-i > 1 {
			p.encode, p.decode = c.sequences(i, end, nil)
		}
		for ; i < p.end; i++ {
			c.passes = append(c.passes, p)
		}
		if plain, ok := c.bytes.(Plain); ok && end == len(c.arrays) && end > p.first {
			c.plain = plain
			c.store, c.load = c.sequences(p.first, end, plain)
		}
	}
}

// sequences returns the steps of codecs first to end-1. If plain is not nil, its
// storing and loading are steps, too.
func (c *Chain) sequences(first, end int, plain Plain) (encode, decode *sequence) {
	var forth, back []elementStep
	last := c.stages[end].Type
	if plain != nil {
		if kernel := plain.LoadKernel(); kernel != nil {
			back = append(back, elementStep{kernel: kernel, to: last})
		}
	}
	for i := first; i < end; i++ {
		e := c.arrays[i].(Elementwise)
		forth = append(forth, elementStep{e.EncodeKernel(), c.stages[i+1].Type, e, func(src ndarray.Array, at int) error {
			return &Error{i, c.specs[i].Name, e.EncodeError(src, at)}
		}})
	}
	for i := end - 1; i >= first; i-- {
		e := c.arrays[i].(Elementwise)
		back = append(back, elementStep{e.DecodeKernel(), c.stages[i].Type, e, func(src ndarray.Array, at int) error {
			return &Error{i, c.specs[i].Name, e.DecodeError(src, at)}
		}})
	}
	if plain != nil {
		if kernel := plain.StoreKernel(); kernel != nil {
			forth = append(forth, elementStep{kernel: kernel, to: last})
		}
	}
	return newSequence(c.stages[first].Type, forth, Joining.JoinEncode), newSequence(last, back, Joining.JoinDecode)
}

// encodePass fills dst, the array behind a pass, from src, the array in front of it.
func (c *Chain) encodePass(p *pass, dst, src ndarray.Array) error {
	switch {
	case c.store != nil && p.end == len(c.arrays):
		return c.store.run(dst, src)
	case p.encode != nil:
		return p.encode.run(dst, src)
	}
	return c.fault(p.first, c.arrays[p.first].Encode(dst, src))
}

// decodePass fills dst, the array in front of a pass, from src, the array behind it.
func (c *Chain) decodePass(p *pass, dst, src ndarray.Array) error {
	if p.decode != nil {
		return p.decode.run(dst, src)
	}
	return c.fault(p.first, c.arrays[p.first].Decode(dst, src))
}

// decodeBytes fills dst from data. dst is the array in front of the array → bytes
// codec, or, if the last pass also loads the elements, in front of that pass.
func (c *Chain) decodeBytes(dst ndarray.Array, data []byte) error {
	if c.load == nil {
		return c.fault(len(c.arrays), c.bytes.Decode(dst, data))
	}
	src, err := c.plain.Stored(data)
	if err != nil {
		return c.fault(len(c.arrays), err)
	}
	return c.load.run(dst, src)
}
