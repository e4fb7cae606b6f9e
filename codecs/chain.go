package codecs

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Chain is a list of codecs bound as a whole to one kind of chunk: what turns
// an array into a stored object and back. It is immutable and safe for
// concurrent use.
type Chain struct {
	in     Chunk
	names  []string // as the specs had them: a codec keeps the alias it was read by
	arrays []ArrayToArray
	stages []Chunk // stages[i] is what arrays[i] receives; the last is what bytes receives
	bytes  ArrayToBytes
	binary []BytesToBytes
	sizes  []Size // sizes[i] is what binary[i] receives; the last is the chain's
}

// maxChunk bounds the bytes of a chunk at every stage: more than any machine
// has, and small enough that no sum of sizes overflows.
const maxChunk = 1 << 44

// Check reads every configuration and checks the order of the kinds, without
// knowing what the chain will be bound to: all that can be said offline. All
// faults are reported, joined, each an *Error.
func (r *Registry) Check(specs []Spec) error {
	_, err := r.parse(specs)
	return err
}

// maxDepth bounds chains within chains, of shards and the like, which take time
// and memory at each level.
const maxDepth = 8

// deep reports whether JSON of the specs is nested more than so many chains may
// need, three levels each and some for values.
func deep(specs []Spec) bool {
	for _, s := range specs {
		depth := 0
		for _, c := range s.Configuration {
			switch c {
			case '{', '[':
				if depth++; depth > 3*maxDepth+6 {
					return true
				}
			case '}', ']':
				depth--
			}
		}
	}
	return false
}

// parsed is a codec with its definition.
type parsed struct {
	Definition
	codec Codec
}

// otherKind is the error about a definition whose parser makes codecs of
// another kind than it says.
func (p parsed) otherKind() error {
	return fmt.Errorf("the definition of %s says %s, its parser makes %T", p.Name, p.Kind, p.codec)
}

func (r *Registry) parse(specs []Spec) ([]parsed, error) {
	var faults []error
	if deep(specs) {
		return nil, &Error{-1, "", fmt.Errorf("chains within each other are nested more than %d deep", maxDepth)}
	}
	list := make([]parsed, len(specs))
	for i, s := range specs {
		d, err := r.Lookup(s.Name)
		if err == nil {
			list[i].Definition = d
			list[i].codec, err = d.Parse(s.Configuration)
		}
		if err != nil {
			faults = append(faults, &Error{i, s.Name, err})
		}
	}
	if err := checkKinds(list); err != nil {
		faults = append(faults, err)
	}
	return list, errors.Join(faults...)
}

// checkKinds demands array → array codecs, then one array → bytes codec, then
// bytes → bytes codecs. Unknown codecs (kind 0) could be anything.
func checkKinds(list []parsed) error {
	serializer, unknown := -1, false
	for i, p := range list {
		switch {
		case p.Kind == 0:
			unknown = true
		case p.Kind == KindArrayToBytes && serializer >= 0:
			return &Error{i, p.Name, fmt.Errorf("a second array → bytes codec: %s in front already makes bytes", list[serializer].Name)}
		case p.Kind == KindArrayToBytes:
			serializer = i
		case p.Kind == KindArrayToArray && serializer >= 0:
			return &Error{i, p.Name, fmt.Errorf("an array → array codec cannot follow %s, which makes bytes: put it in front", list[serializer].Name)}
		case p.Kind == KindBytesToBytes && serializer < 0 && !unknown:
			return &Error{i, p.Name, errors.New(`a bytes → bytes codec needs an array → bytes codec in front: add "bytes" before it`)}
		}
	}
	if serializer < 0 && !unknown {
		return &Error{-1, "", errors.New(`no array → bytes codec: add "bytes"`)}
	}
	return nil
}

// Bind reads the specs and binds the chain to chunks like in. Everything that
// can be refused without data is refused here; errors are *Error, joined where
// there are several.
func (r *Registry) Bind(specs []Spec, in Chunk) (*Chain, error) {
	list, err := r.parse(specs)
	if err != nil {
		return nil, err
	}
	return bind(list, specs, in)
}

// bind binds codecs that were read from specs.
func bind(list []parsed, specs []Spec, in Chunk) (*Chain, error) {
	if n, ok := ndarray.Bytes(in.Type, in.Shape); !ok || n > maxChunk {
		return nil, &Error{-1, "", fmt.Errorf("a chunk of shape %v is too large", in.Shape)}
	}
	c := &Chain{in: in, stages: []Chunk{in}}
	for i, p := range list {
		c.names = append(c.names, specs[i].Name)
		err := c.bind(p)
		if err == nil && len(c.sizes) > 0 && c.Size().Max > maxChunk {
			err = errors.New("the encoded chunk can be too large")
		}
		if err != nil {
			return nil, &Error{i, specs[i].Name, err}
		}
	}
	return c, nil
}

// bind appends one codec; the order of kinds was checked.
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

// Specs returns the complete configurations, as they are written to metadata:
// each codec under the name that it was given by.
func (c *Chain) Specs() []Spec {
	var specs []Spec
	for _, a := range c.arrays {
		specs = append(specs, a.Spec())
	}
	specs = append(specs, c.bytes.Spec())
	for _, b := range c.binary {
		specs = append(specs, b.Spec())
	}
	for i := range specs {
		specs[i].Name = c.names[i]
	}
	if b, ok := c.bytes.(*bytesBound); ok && b.order == dtype.Big {
		for i, a := range c.arrays {
			if _, ok := a.(numpySpelled); ok {
				specs[i].Configuration = bytes.ReplaceAll(specs[i].Configuration, []byte(`:"<`), []byte(`:">`))
			}
		}
	}
	return specs
}

// numpySpelled is a codec that names types as NumPy does, with a byte order.
// zarr-python takes it for the order of the bytes, and so it has to be that of
// the bytes codec.
type numpySpelled interface{ numpySpelled() }

// Chunk returns what the chain is bound to.
func (c *Chain) Chunk() Chunk { return c.in }

// Size returns what is known of the size of an encoded chunk.
func (c *Chain) Size() Size { return c.sizes[len(c.sizes)-1] }

// Memory returns the most bytes of buffers that one Encode or Decode holds at
// the same time, the encoded chunk included and the decoded one not. A plan
// reserves them before it starts a chunk. What has no bound, the bytes of
// elements of variable size, is not in it.
func (c *Chain) Memory() int {
	most, held := 0, 0
	step := func(n int) {
		n = ndarray.Rounded(n)
		most, held = max(most, held+n), n
	}
	for i, a := range c.arrays {
		if _, ok := a.(View); !ok {
			n, _ := ndarray.Bytes(c.stages[i+1].Type, c.stages[i+1].Shape)
			step(n)
		}
	}
	for _, s := range c.sizes {
		if !s.Unbounded {
			step(s.Max)
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

func scratchOf(codec any) int {
	if s, ok := codec.(scratcher); ok {
		return s.scratch()
	}
	return 0
}

// Encode returns the encoding of src, an array like those bound to with any
// strides. The bytes are either in the returned buffer, which the caller
// releases, or, when the buffer is nil, in memory of their own or in src's.
func (c *Chain) Encode(pool *ndarray.Pool, src ndarray.Array) ([]byte, *ndarray.Buffer, error) {
	var held *ndarray.Buffer // what the current array or bytes lie in; nil: src
	swap := func(b *ndarray.Buffer) {
		if held != nil {
			held.Release()
		}
		held = b
	}
	for i, a := range c.arrays {
		if v, ok := a.(View); ok {
			src = v.EncodeView(src)
			continue
		}
		next, buffer := c.intermediate(pool, i+1)
		err := a.Encode(next, src)
		swap(buffer)
		if err != nil {
			swap(nil)
			return nil, nil, &Error{i, a.Spec().Name, err}
		}
		src = next
	}
	var data []byte
	alias, aliased := c.bytes.(Alias)
	if aliased {
		data, aliased = alias.EncodeAlias(src)
	}
	if !aliased {
		buffer, empty := c.lend(pool, 0)
		out, err := c.bytes.AppendEncode(empty, src)
		swap(buffer)
		if err != nil {
			swap(nil)
			return nil, nil, &Error{len(c.arrays), c.bytes.Spec().Name, err}
		}
		data = out
	}
	for i, b := range c.binary {
		buffer, empty := c.lend(pool, i+1)
		out, err := b.AppendEncode(empty, data)
		swap(buffer)
		if err != nil {
			swap(nil)
			return nil, nil, &Error{len(c.arrays) + 1 + i, b.Spec().Name, err}
		}
		data = out
	}
	return data, held, nil
}

// lend returns memory for encoded bytes of sizes[i], empty; there is no buffer
// for those without a bound, which are appended to nothing.
func (c *Chain) lend(pool *ndarray.Pool, i int) (*ndarray.Buffer, []byte) {
	if c.sizes[i].Unbounded {
		return nil, nil
	}
	buffer := pool.Get(c.sizes[i].Max)
	return buffer, buffer.Bytes[:0]
}

// scratcher is a codec that holds more memory than its output while it works.
type scratcher interface{ scratch() int }

// intermediate lends an array for the output of arrays[i-1].
func (c *Chain) intermediate(pool *ndarray.Pool, i int) (ndarray.Array, *ndarray.Buffer) {
	return lendArray(pool, c.stages[i].Type, c.stages[i].Shape)
}

// Decode fills dst, an array like those bound to with any strides, from an
// encoded chunk. Damage is ErrCorrupt or ErrTooLarge; dst is then undefined.
func (c *Chain) Decode(pool *ndarray.Pool, dst ndarray.Array, data []byte) error {
	data, held, err := c.decodeBinary(pool, data, 0, nil)
	swap := func(b *ndarray.Buffer) {
		if held != nil {
			held.Release()
		}
		held = b
	}
	defer func() { swap(nil) }()
	if err != nil {
		return err
	}
	to := c.target(pool, dst, len(c.arrays))
	err = c.bytes.Decode(to.view, data)
	swap(to.buffer)
	if err != nil {
		return &Error{len(c.arrays), c.bytes.Spec().Name, err}
	}
	for to.stage > 0 {
		from, i := to.base, to.stage-1
		to = c.target(pool, dst, i)
		err := c.arrays[i].Decode(to.view, from)
		swap(to.buffer)
		if err != nil {
			return &Error{i, c.arrays[i].Spec().Name, err}
		}
	}
	return nil
}

// decodeBinary undoes the bytes → bytes codecs from the last one to number
// last. data lie in held, which it takes over, or in the caller's memory where
// that is nil, and so do the bytes that it returns.
func (c *Chain) decodeBinary(pool *ndarray.Pool, data []byte, last int, held *ndarray.Buffer) ([]byte, *ndarray.Buffer, error) {
	for i := len(c.binary) - 1; i >= last; i-- {
		buffer, empty := c.lend(pool, i)
		out, err := c.binary[i].AppendDecode(empty, data)
		if held != nil {
			held.Release()
		}
		held = buffer
		if err != nil {
			return nil, held, &Error{len(c.arrays) + 1 + i, c.names[len(c.arrays)+1+i], err}
		}
		data = out
	}
	return data, held, nil
}

// target is where an array of some stage is decoded to.
type target struct {
	view   ndarray.Array // the array, as seen at its stage
	base   ndarray.Array // the array of a stage further back that view looks at
	stage  int           // of base; 0: base is what the caller wants filled
	buffer *ndarray.Buffer
}

// target returns the memory for the array of stage i, what arrays[i] receives
// when it encodes: a view of dst where all codecs before are views, else one
// of a lent array.
func (c *Chain) target(pool *ndarray.Pool, dst ndarray.Array, i int) target {
	t := target{base: dst, stage: i}
	for t.stage > 0 {
		if _, ok := c.arrays[t.stage-1].(View); !ok {
			t.base, t.buffer = c.intermediate(pool, t.stage)
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
