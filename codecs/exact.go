package codecs

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Exact says where in the chain elements are such that they come back from the encoding
// bit for bit: behind the first n array → array codecs. n is 0 for a lossless chain. If some
// array → array codecs lose something, n is the number of all of them.
//
// ok is false if there is no such place, because a later codec loses something. If n is not
// 0, ok is also false in two cases: [Chain.EncodeSeen] does not see the elements in their
// places; or the fill value has no encoding behind these codecs.
//
// In a chain of shards the codecs of the inner chunks are meant.
func (c *Chain) Exact() (n int, ok bool) {
	if s, sharded := c.InnerChunks(); sharded {
		n, ok = s.inner.Exact()
		_, alone := c.Shards()
		return n, ok && (n == 0 || alone)
	}
	for i, codec := range c.bound() {
		lossy := c.list[i].Lossy != ""
		if l, able := codec.(Lossy); able {
			lossy = len(l.Losses()) > 0
		}
		switch {
		case lossy && i >= len(c.arrays):
			return 0, false
		case lossy:
			n = len(c.arrays)
		}
	}
	for _, codec := range c.arrays[:n] {
		if _, elementwise := codec.(Elementwise); !elementwise {
			return 0, false
		}
	}
	return n, n == 0 || c.stages[n].Fill != nil && (c.store == nil || c.plain.StoreKernel() == nil)
}

// EncodeSeen is [Chain.Encode], and calls seen with the array that the array → bytes codec
// receives, or with a dense copy. seen may read the array until it returns.
func (c *Chain) EncodeSeen(pool *ndarray.Pool, src ndarray.Array, seen func(ndarray.Array)) ([]byte, *ndarray.Buffer, error) {
	data, buffer, err := c.encode(pool, src, seen)
	return data, buffer, c.located(err)
}

// Behind returns the chain of the codecs behind the first n, which are array → array codecs.
// In a chain of shards the codecs of the inner chunks are meant.
func (c *Chain) Behind(n int, bind func([]Spec, Chunk) (*Chain, error)) (*Chain, error) {
	if n == 0 {
		return c, nil
	}
	s, ok := c.Shards()
	if !ok && n <= len(c.arrays) {
		return bind(c.full[n:], c.stages[n])
	}
	if !ok || n > len(s.inner.arrays) {
		return nil, fmt.Errorf("the chain has no %d array → array codecs", n)
	}
	inner := s.inner
	in := inner.stages[n]
	in.Shape = c.in.Shape
	return bind(c.WithInner(inner.full[n:]), in)
}
