package codecs

import (
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// maxKept bounds the buffers that a bound codec keeps for its next use, in bytes.
const maxKept = 64 << 20

// lend returns an empty slice with room for bytes of a size, and its buffer. For an
// unbounded size both are nil.
func (c *Chain) lend(pool *ndarray.Pool, size Size) (*ndarray.Buffer, []byte) {
	if size.Unbounded {
		return nil, nil
	}
	buffer := pool.Get(size.Max)
	return buffer, buffer.Bytes[:0]
}

// lendArray lends an array of a shape within a chunk from the pool.
func lendArray(pool *ndarray.Pool, t dtype.Type, shape []int) (ndarray.Array, *ndarray.Buffer) {
	a, buffer, err := pool.Array(t, shape)
	if err != nil {
		panic(err) // binding has accepted the shape
	}
	return a, buffer
}

// Memory returns the most bytes of buffers that one Encode or Decode holds at the same
// time. The encoded chunk is included, the decoded chunk is not. A plan reserves this
// memory before it starts a chunk. The bytes of elements of variable size are not
// included, because they have no bound: see MemoryOf.
func (c *Chain) Memory() int { return c.memory(c.sizes) }

// memory is Memory for encodings of the given sizes.
func (c *Chain) memory(sizes []Size) int {
	most, held := c.arraysMemory(c.store != nil)
	for _, s := range sizes {
		if !s.Unbounded {
			n := ndarray.Rounded(s.Max)
			most, held = max(most, held+n), n
		}
	}
	own := 0
	for _, a := range c.arrays {
		own = max(own, scratchOf(a))
	}
	own = max(own, scratchOf(c.bytes))
	for _, b := range c.binary {
		own = max(own, scratchOf(b))
	}
	return most + own
}

// arraysMemory returns the most bytes that arrays between the codecs take at the same
// time, and the bytes of the last of these arrays. There is no array within a pass.
// There is none behind the last pass if that pass makes the stored bytes.
func (c *Chain) arraysMemory(makesBytes bool) (most, last int) {
	for i, a := range c.arrays {
		_, view := a.(View)
		if end := c.passes[i].end; view || end > i+1 || end == len(c.arrays) && makesBytes {
			continue
		}
		n, _ := ndarray.Bytes(c.stages[i+1].Type, c.stages[i+1].Shape)
		n = ndarray.Rounded(n)
		most, last = max(most, last+n), n
	}
	return most, last
}

// scratchOf returns the Scratch of a codec, or 0 for a codec without that trait.
func scratchOf(codec any) int {
	if s, ok := codec.(Scratching); ok {
		return s.Scratch()
	}
	return 0
}
