package codecs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
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

// MaxChunk bounds the bytes of a chunk at every stage. It is more than any machine has,
// and small enough that no sum of sizes overflows.
const MaxChunk = 1 << 44

// Check parses every configuration and checks the order of the kinds: everything that
// can be checked without a chunk. It reports all faults, joined, each as an *Error.
func (r *Registry) Check(specs []Spec) error {
	_, err := r.parse(specs)
	return err
}

// maxDepth bounds how deep chains are nested in chains, as in shards of shards. Each
// level takes time and memory.
const maxDepth = 8

// deep reports whether the JSON of the specs is nested deeper than maxDepth chains can
// need: three levels for each chain, and some for values.
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

// parsed is a parsed codec with its definition.
type parsed struct {
	Definition
	codec Codec
}

// otherKind returns the error about a definition whose parser makes codecs of another
// kind than the definition states.
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
	if err := checkKinds(list, r.addUsual()); err != nil {
		faults = append(faults, err)
	}
	return list, errors.Join(faults...)
}

// checkKinds demands array → array codecs, then one array → bytes codec, then bytes →
// bytes codecs. An unknown codec (kind 0) could be of any kind. hint says what to do if
// there is no array → bytes codec.
func checkKinds(list []parsed, hint string) error {
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
			return &Error{i, p.Name, fmt.Errorf("a bytes → bytes codec needs an array → bytes codec in front: %s before it", hint)}
		}
	}
	if serializer < 0 && !unknown {
		return &Error{-1, "", fmt.Errorf("no array → bytes codec: %s", hint)}
	}
	return nil
}

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

// Specs returns the complete configurations, as metadata state them. Each codec keeps
// the name that it was given by. The result is shared; do not modify it.
func (c *Chain) Specs() []Spec { return slices.Clip(c.full) }

// Given returns the configurations as they were given. They may contain what does not
// belong in metadata.
func (c *Chain) Given() []Spec { return slices.Clone(c.specs) }

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

// Chunk describes the chunks that the chain is bound to.
func (c *Chain) Chunk() Chunk { return c.in }

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

func scratchOf(codec any) int {
	if s, ok := codec.(Scratching); ok {
		return s.Scratch()
	}
	return 0
}
