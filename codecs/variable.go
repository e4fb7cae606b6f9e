package codecs

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// MemoryOf is Memory for one array, src, with the buffers that the bytes of its
// elements take where they have no size of their own.
func (c *Chain) MemoryOf(src ndarray.Array) int {
	return c.memory(c.encodedSizes(src))
}

// SizeOf returns the most bytes that the encoding of src has.
func (c *Chain) SizeOf(src ndarray.Array) int {
	sizes := c.encodedSizes(src)
	return sizes[len(sizes)-1].Max
}

// encodedSizes returns the sizes of what the array → bytes codec makes of src, and
// each bytes → bytes codec behind it. They are those of the chain unless these are
// unbounded.
func (c *Chain) encodedSizes(src ndarray.Array) []Size {
	if !c.sizes[0].Unbounded {
		return c.sizes
	}
	for _, a := range c.arrays {
		if v, ok := a.(View); ok { // others keep elements of variable size as they are
			src = v.EncodeView(src)
		}
	}
	return c.sizesFrom(c.measure(src))
}

// measure bounds what the array → bytes codec makes of src.
func (c *Chain) measure(src ndarray.Array) int {
	if m, ok := c.bytes.(Measured); ok {
		return m.EncodedSize(src)
	}
	n := src.Len() * ndarray.ItemSize(src.Type)
	for item := range src.Items() {
		n += len(item)
	}
	return n
}

// sizesFrom returns the sizes of the encodings of n bytes, these first.
func (c *Chain) sizesFrom(n int) []Size {
	sizes := []Size{{Max: n}}
	first := len(c.list) - len(c.binary)
	for i, p := range c.list[first:] {
		in := Size{Max: n, Unbounded: true, Item: c.sizes[i].Item}
		b, err := p.codec.(BytesToBytesCodec).BindBytesToBytes(in)
		if err != nil {
			panic(err) // it was bound to more
		}
		n = b.Size().Max
		sizes = append(sizes, Size{Max: n})
	}
	return sizes
}

// lendDecoded lends memory for what bytes → bytes codec i decodes src to, empty,
// and counts it. Where nothing bounds what comes out and the codec cannot tell,
// there is none: AppendDecode makes it.
func (c *Chain) lendDecoded(pool *ndarray.Pool, i int, src []byte, tally *ndarray.Tally) (*ndarray.Buffer, []byte, error) {
	b, ok := c.binary[i].(DecodedSized)
	if !c.sizes[i].Unbounded || !ok {
		buffer, empty := c.lend(pool, c.sizes[i])
		return buffer, empty, nil
	}
	n, err := b.DecodedLength(src)
	switch {
	case err != nil:
		return nil, nil, err
	case n > c.sizes[i].Max:
		return nil, nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, n, c.sizes[i].Max)
	}
	if err := tally.Take(ndarray.Rounded(n)); err != nil {
		return nil, nil, err
	}
	buffer := pool.Get(n)
	return buffer, buffer.Bytes[:0], nil
}
