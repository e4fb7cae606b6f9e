package codecs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Bind parses the specs and binds the chain to chunks like in. It refuses everything
// that can be refused without data. Errors are *Error, joined if there are several.
func (r *Registry) Bind(specs []Spec, in Chunk) (*Chain, error) {
	list, err := r.parse(specs)
	if err != nil {
		return nil, err
	}
	return bind(list, specs, in)
}

// bind binds codecs that were parsed from specs.
func bind(list []parsed, specs []Spec, in Chunk) (*Chain, error) {
	if n, ok := ndarray.Bytes(in.Type, in.Shape); !ok || n > MaxChunk {
		return nil, &Error{-1, "", fmt.Errorf("a chunk of shape %v is too large", in.Shape)}
	}
	c := &Chain{in: in, specs: slices.Clone(specs), list: list, stages: []Chunk{in}}
	for i, p := range list {
		err := c.bind(p)
		if err == nil && len(c.sizes) > 0 && c.Size().Max > MaxChunk {
			err = errors.New("the encoded chunk can be too large")
		}
		if err != nil {
			return nil, &Error{i, specs[i].Name, err}
		}
	}
	c.plan()
	c.innerChunks = c.findInnerChunks()
	c.verify = c.planVerify()
	c.full = c.completed()
	return c, nil
}

// bind appends one codec. The order of the kinds has been checked.
func (c *Chain) bind(p parsed) error {
	switch p.Kind {
	case KindArrayToArray:
		codec, ok := p.codec.(ArrayToArrayCodec)
		if !ok {
			return p.otherKind()
		}
		b, err := codec.BindArrayToArray(c.stages[len(c.stages)-1])
		if err != nil {
			return err
		}
		if one, ok := b.(OneWay); ok {
			b = one.Returning()
		}
		c.arrays, c.stages = append(c.arrays, b), append(c.stages, b.Encoded())
	case KindArrayToBytes:
		codec, ok := p.codec.(ArrayToBytesCodec)
		if !ok {
			return p.otherKind()
		}
		b, err := codec.BindArrayToBytes(c.stages[len(c.stages)-1])
		if err != nil {
			return err
		}
		c.bytes, c.sizes = b, []Size{b.Size()}
	default:
		codec, ok := p.codec.(BytesToBytesCodec)
		if !ok {
			return p.otherKind()
		}
		b, err := codec.BindBytesToBytes(c.sizes[len(c.sizes)-1])
		if err != nil {
			return err
		}
		size := b.Size()
		if c.Size().Unbounded {
			size.Fixed, size.Unbounded = false, true
		}
		c.binary, c.sizes = append(c.binary, b), append(c.sizes, size)
	}
	return nil
}

// completed returns the result of Specs.
func (c *Chain) completed() []Spec {
	stored := dtype.NoOrder
	if b, ok := c.bytes.(ByteOrdered); ok {
		stored = b.ByteOrder()
	}
	var specs []Spec
	received := stored // the byte order that the codec in front has named for its output
	for _, a := range c.arrays {
		spec, made := a.Spec(), stored
		if n, ok := a.(OrderNaming); ok {
			spec, made = n.SpecIn(received, stored)
		}
		specs, received = append(specs, spec), made
	}
	specs = append(specs, c.bytes.Spec())
	for _, b := range c.binary {
		specs = append(specs, b.Spec())
	}
	for i := range specs {
		specs[i].Name = c.specs[i].Name
	}
	return specs
}

// findInnerChunks returns the result of InnerChunks.
func (c *Chain) findInnerChunks() *Shards {
	s := c.container()
	if s == nil || len(c.binary) > 0 || !c.regional() || len(c.arrays) > 0 && s.inner.in.Fill == nil {
		return nil
	}
	if len(c.arrays) == 0 {
		return s
	}
	// Where a box comes to lie shows which dimension of the shard is which dimension of
	// the chunk.
	rank := len(c.in.Shape)
	r := ndarray.Region{Start: make([]int, rank), Shape: slices.Repeat([]int{1}, rank)}
	for i := range r.Start {
		r.Start[i] = i
	}
	seen := *s
	seen.order, seen.shape, seen.count = c.encodedRegion(r).Start, make([]int, rank), make([]int, rank)
	for i, from := range seen.order {
		if len(seen.order) != rank || from < 0 || from >= rank {
			return nil
		}
		seen.shape[from], seen.count[from] = s.shape[i], s.count[i]
	}
	for _, corner := range []int{0, s.n - 1} {
		got, want := c.encodedRegion(seen.Region(corner)), s.Region(seen.stored(corner))
		if !slices.Equal(got.Start, want.Start) || !slices.Equal(got.Shape, want.Shape) {
			return nil // boxes do not move as dimensions do
		}
	}
	specs := slices.Concat(c.specs[:len(c.arrays)], s.inner.specs)
	list := slices.Concat(c.list[:len(c.arrays)], s.inner.list)
	var err error
	if seen.inner, err = bind(list, specs, Chunk{c.in.Type, seen.shape, c.in.Fill}); err != nil {
		return nil // a codec needs the whole chunk
	}
	return &seen
}
