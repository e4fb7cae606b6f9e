package codecs

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	fastzstd "github.com/zmigrate/zmigrate/codecs/zstd"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Measured is an optional ability of an ArrayToBytes codec whose Size is unbounded:
// to bound the encoding of one array.
type Measured interface {
	// EncodedSize returns the most bytes that AppendEncode appends for src.
	EncodedSize(src ndarray.Array) int
}

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

// EncodedSize implements [Measured].
func (b *vlenBound) EncodedSize(src ndarray.Array) int {
	n := 4 + 4*b.n
	for item := range src.Items() {
		n += len(item)
	}
	return n
}

// EncodedSize implements [Measured].
func (s *Shards) EncodedSize(src ndarray.Array) int {
	n := s.IndexSize()
	for i := range s.n {
		sizes := s.inner.encodedSizes(src.Sub(s.Region(i)))
		n += sizes[len(sizes)-1].Max
	}
	return n
}

// measuredDecoder is a bytes → bytes codec that tells how long what it decodes to
// is, before there is memory for it. What it tells need not be true of damaged
// bytes.
type measuredDecoder interface {
	decodedLength(src []byte) (int, error)
}

// lendDecoded lends memory for what bytes → bytes codec i decodes src to, empty,
// and counts it. Where nothing bounds what comes out and the codec cannot tell,
// there is none: AppendDecode makes it.
func (c *Chain) lendDecoded(pool *ndarray.Pool, i int, src []byte, tally *ndarray.Tally) (*ndarray.Buffer, []byte, error) {
	b, ok := c.binary[i].(measuredDecoder)
	if !c.sizes[i].Unbounded || !ok {
		buffer, empty := c.lend(pool, c.sizes[i])
		return buffer, empty, nil
	}
	n, err := b.decodedLength(src)
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

// decodedLength implements [measuredDecoder]: what frames tell of themselves, else
// what they decode to.
func (b *zstdBound) decodedLength(src []byte) (int, error) {
	content, err := fastzstd.Frames(bufio.NewReader(bytes.NewReader(src)))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
	case content.Size > int64(b.in.Max) || content.Size>>17 > int64(len(src)/4): // a block is 128 KiB in four bytes at best
		return 0, fmt.Errorf("%w: zstd: %d bytes claim to be %d", ErrTooLarge, len(src), content.Size)
	case content.Size >= 0:
		return int(content.Size), nil
	}
	r, err := b.stream(src)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return lengthOf(r, b.in)
}

// decodedLength implements [measuredDecoder].
func (b *bloscBound) decodedLength(src []byte) (int, error) { return b.decodedSize(src) }

// decodedLength implements [measuredDecoder].
func (b *lz4Bound) decodedLength(src []byte) (int, error) {
	if len(src) < lz4Header {
		return 0, nil // refused when it is decoded
	}
	n := int(binary.LittleEndian.Uint32(src))
	return min(n, lz4Expansion*len(src)), nil
}

// decodedLength implements [measuredDecoder].
func (b *checksumBound) decodedLength(src []byte) (int, error) { return len(src), nil }

// decodedLength implements [measuredDecoder] by decoding everything once and
// keeping nothing: that takes time, but no memory.
func (b *streamBound) decodedLength(src []byte) (int, error) {
	old, _ := b.readers.Get().(io.Reader)
	r, err := b.reader(old, bytes.NewReader(src))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	defer b.readers.Put(r)
	return lengthOf(r, b.in)
}

// lengthOf counts what r gives, want at the most.
func lengthOf(r io.Reader, want Size) (int, error) {
	n, err := io.Copy(io.Discard, io.LimitReader(r, int64(want.Max)+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
	case n > int64(want.Max):
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, want.Max)
	}
	return int(n), nil
}
