package codecs

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// MemoryOf is Memory for one array, src. Elements of variable size have no bound in
// Memory; MemoryOf includes the buffers for the bytes of src's elements.
func (c *Chain) MemoryOf(src ndarray.Array) int {
	return c.memory(c.encodedSizes(src))
}

// SizeOf returns the most bytes that the encoding of src can have.
func (c *Chain) SizeOf(src ndarray.Array) int {
	sizes := c.encodedSizes(src)
	return sizes[len(sizes)-1].Max
}

// encodedSizes returns the sizes of src behind the array → bytes codec and behind each
// bytes → bytes codec. They are the chain's sizes, unless those are unbounded.
func (c *Chain) encodedSizes(src ndarray.Array) []Size {
	if !c.sizes[0].Unbounded {
		return c.sizes
	}
	for _, a := range c.arrays {
		if v, ok := a.(View); ok { // other codecs do not change elements of variable size
			src = v.EncodeView(src)
		}
	}
	return c.sizesFrom(c.measure(src))
}

// measure returns an upper bound of the bytes that the array → bytes codec makes of
// src.
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

// sizesFrom returns the sizes of n bytes as the bytes → bytes codecs encode them. The
// first size is n itself.
func (c *Chain) sizesFrom(n int) []Size {
	sizes := []Size{{Max: n}}
	first := len(c.list) - len(c.binary)
	for i, p := range c.list[first:] {
		in := Size{Max: n, Unbounded: true, Item: c.sizes[i].Item}
		b, err := p.codec.(BytesToBytesCodec).BindBytesToBytes(in)
		if err != nil {
			panic(err) // the codec was bound to more bytes before
		}
		n = b.Size().Max
		sizes = append(sizes, Size{Max: n})
	}
	return sizes
}

// lendDecoded lends an empty buffer for what bytes → bytes codec i decodes src to, and
// counts its bytes. If the size is unbounded and the codec cannot tell it, there is no
// buffer, and AppendDecode allocates.
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
