package codecs

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Chain is a list of codecs, bound as a whole to chunks of one description. It turns an
// array into a stored object and back. It is immutable and safe for concurrent use.
type Chain struct {
	in          Chunk
	specs       []Spec   // as given; a codec keeps the alias that it was given by
	full        []Spec   // complete: the result of Specs
	list        []parsed // the parsed codecs
	arrays      []ArrayToArray
	stages      []Chunk // stages[i] is what arrays[i] receives; the last is what bytes receives
	passes      []*pass // passes[i] is the pass to which arrays[i] belongs
	bytes       ArrayToBytes
	binary      []BytesToBytes
	sizes       []Size     // sizes[i] is what binary[i] receives; the last is the chain's
	innerChunks *Shards    // the result of InnerChunks
	verify      verifyPlan // how Verify examines a chunk
	// If bytes is a Plain codec, these are the last pass together with storing and
	// loading the elements. Else they are nil.
	store, load *sequence
	plain       Plain // bytes, if it is a Plain codec with such a pass
}

// pass is what a chain does with an array in one go: one array → array codec, or
// several neighbouring elementwise codecs.
type pass struct {
	first, end int // codecs first to end-1 of the chain
	// The steps of the neighbours in each direction, or nil for a single codec.
	encode, decode *sequence
}

// verifyPlan is how Verify examines a chunk.
type verifyPlan struct {
	last int           // index of the bytes → bytes codec that Verify ends with; -1: the array → bytes codec
	end  Verification  // the verification of that codec
	pool *ndarray.Pool // of buffers for what the codecs behind it decode to
}

// Shards is the layout of inner chunks in a shard. A [Container] embeds it. With it,
// the Container has all methods of an [ArrayToBytes] codec except Spec, and all traits
// that follow from those of the inner chain. Shards is immutable and safe for
// concurrent use.
type Shards struct {
	inner *Chain
	index ShardIndex
	shape []int // shape of an inner chunk
	count []int // number of inner chunks along each dimension
	n     int   // number of inner chunks
	// order is set if codecs in front of the container permute the dimensions. The
	// Shards then describe the chunk in front of those codecs: dimension i of the stored
	// shard is dimension order[i] of that chunk.
	order []int
	pool  *ndarray.Pool
}

// Container is the trait of an [ArrayToBytes] codec whose encoding consists of inner
// chunks and an index. A chain of its own encodes each inner chunk. Inner chunks can be
// read, written and verified separately. A codec that embeds [Shards] has this trait
// and all others that follow from it.
type Container interface {
	// Layout returns the layout of the inner chunks in the encoding.
	Layout() *Shards
}

// InnerNaming is the trait of a [Container] whose configuration names the codecs of its
// inner chunks.
type InnerNaming interface {
	// SpecWithInner returns Spec with other codecs for the inner chunks.
	SpecWithInner(inner []Spec) Spec
}

// MaxChunk bounds the bytes of a chunk at every stage. It is more than any machine has,
// and small enough that no sum of sizes overflows.
const MaxChunk = 1 << 44

// Specs returns the complete configurations, as metadata state them. Each codec keeps
// the name that it was given by. The result is shared; do not modify it.
func (c *Chain) Specs() []Spec { return slices.Clip(c.full) }

// Given returns the configurations as they were given. They may contain what does not
// belong in metadata.
func (c *Chain) Given() []Spec { return slices.Clone(c.specs) }

// Chunk describes the chunks that the chain is bound to.
func (c *Chain) Chunk() Chunk { return c.in }

// Stages returns the number of array → array codecs.
func (c *Chain) Stages() int { return len(c.arrays) }

// Stage describes the array behind the first n codecs, all of which are array → array.
func (c *Chain) Stage(n int) Chunk { return c.stages[n] }

// Size returns the size of an encoded chunk.
func (c *Chain) Size() Size { return c.sizes[len(c.sizes)-1] }

// PadsNearest reports whether chunks that reach beyond the array are best padded with
// the elements at the array's edge. The fill value would reduce the precision of the
// elements beside it, and no reader looks at the padding.
func (c *Chain) PadsNearest() bool {
	p, ok := c.bytes.(NearestPadded)
	return ok && p.PadsNearest()
}

// container returns the layout of the shards that the array → bytes codec makes, or nil
// if that codec is no container.
func (c *Chain) container() *Shards {
	if s, ok := c.bytes.(Container); ok {
		return s.Layout()
	}
	return nil
}

// bound returns the bound codecs in the order of the chain.
func (c *Chain) bound() []any {
	list := make([]any, 0, len(c.specs))
	for _, a := range c.arrays {
		list = append(list, a)
	}
	list = append(list, c.bytes)
	for _, b := range c.binary {
		list = append(list, b)
	}
	return list
}

// fault returns err as an error about codec i, or nil if err is nil.
func (c *Chain) fault(i int, err error) error {
	if err == nil {
		return nil
	}
	return &Error{i, c.specs[i].Name, err}
}

// regional reports whether all array → array codecs can decode boxes.
func (c *Chain) regional() bool {
	for _, a := range c.arrays {
		if _, ok := a.(Regional); !ok {
			return false
		}
	}
	return true
}

// encodedRegion returns the box that a box of the chunk becomes in front of the array →
// bytes codec.
func (c *Chain) encodedRegion(r ndarray.Region) ndarray.Region {
	for _, a := range c.arrays {
		r = a.(Regional).EncodedRegion(r)
	}
	return r
}

// tooLarge returns the error about an object of more bytes than a chunk can have.
func (c *Chain) tooLarge(size int64) error {
	return fmt.Errorf("%w: the object has %d bytes, a chunk of shape %v at most %d", ErrTooLarge, size, c.in.Shape, c.Size().Max)
}
