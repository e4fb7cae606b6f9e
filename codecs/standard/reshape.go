package standard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// reshapeDefinition is the registered codec "reshape". The encoded array has the same
// elements in the same C order, but other dimensions.
func reshapeDefinition() codecs.Definition {
	return codecs.Definition{
		Name: "reshape", Kind: codecs.KindArrayToArray,
		Summary: "gives the elements another shape",
		Fields: []codecs.Field{{
			Name: "shape", Type: "array with an entry for each dimension",
			Doc: "an extent; or a list of dimensions of the array, which become this dimension; or, once, -1 for the extent that remains",
		}},
		Example: json.RawMessage(`{"shape":[[0],[1],1]}`),
		Parse:   parseReshape,
	}
}

// extent is an entry of the shape: a number, or a list of dimensions.
type extent struct {
	size int   // -1 means what remains
	dims []int // nil for a number
}

func parseReshape(text json.RawMessage) (codecs.Codec, error) {
	var c struct {
		Shape json.RawMessage `json:"shape"`
	}
	if err := codecs.ReadConfiguration(text, &c); err != nil {
		return nil, err
	}
	if c.Shape == nil {
		return nil, codecs.Fieldf("shape", "missing: want an entry for each dimension")
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(c.Shape, &entries); err != nil || entries == nil {
		return nil, codecs.Fieldf("shape", "%.80s: want an array with an entry for each dimension", c.Shape)
	}
	shape := make([]extent, len(entries))
	remains, next := false, 0
	for i, entry := range entries {
		name := fmt.Sprintf("shape[%d]", i)
		e, err := parseExtent(entry)
		if err != nil {
			return nil, codecs.Fieldf(name, "%.60s: %w", entry, err)
		}
		if e.size < 0 && remains {
			return nil, codecs.Fieldf(name, "a second -1: only one extent can be left open")
		}
		remains = remains || e.size < 0
		for _, dim := range e.dims {
			if dim < next {
				return nil, codecs.Fieldf(name, "%.60s: dimensions must be in increasing order, because reshape transposes nothing", entry)
			}
			next = dim + 1
		}
		shape[i] = e
	}
	return reshapeCodec{shape: shape, text: slices.Clone(c.Shape)}, nil
}

var errExtent = errors.New("want an extent of at least 1, -1, or a list of dimensions")

func parseExtent(text json.RawMessage) (extent, error) {
	if text[0] != '[' {
		var size *int
		if json.Unmarshal(text, &size) != nil || size == nil || *size < -1 || *size == 0 {
			return extent{}, errExtent
		}
		return extent{size: *size}, nil
	}
	var entries []*int
	if json.Unmarshal(text, &entries) != nil {
		return extent{}, errExtent
	}
	dims := make([]int, len(entries))
	for i, dim := range entries {
		if dim == nil || *dim < 0 {
			return extent{}, errExtent
		}
		dims[i] = *dim
	}
	return extent{dims: dims}, nil
}

type reshapeCodec struct {
	shape []extent
	text  json.RawMessage
}

func (c reshapeCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	shape, err := c.encodedShape(in.Shape)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := json.Compact(&text, c.text); err != nil {
		return nil, codecs.Fieldf("shape", "%w", err)
	}
	spec := codecs.Spec{Name: "reshape", Configuration: fmt.Appendf(nil, `{"shape":%s}`, &text)}
	return bindReshape(spec, in, shape), nil
}

// encodedShape returns the encoded shape of an array of shape in.
func (c reshapeCodec) encodedShape(in []int) ([]int, error) {
	total, ok := ndarray.Elements(in)
	if !ok {
		return nil, codecs.Fieldf("", "a chunk of shape %v is too large", in)
	}
	shape, open := make([]int, len(c.shape)), -1
	for i, e := range c.shape {
		switch {
		case e.size < 0:
			shape[i], open = 1, i
		case e.dims == nil:
			shape[i] = e.size
		default:
			shape[i] = 1
			for _, dim := range e.dims {
				if dim >= len(in) {
					return nil, codecs.Fieldf(fmt.Sprintf("shape[%d]", i), "the chunk has %d dimensions, no dimension %d", len(in), dim)
				}
				shape[i] *= in[dim] // no overflow: at most the number of elements
			}
		}
	}
	have, ok := ndarray.Elements(shape)
	switch {
	case !ok:
		return nil, codecs.Fieldf("shape", "%v has more elements than %v, the chunk's shape", shape, in)
	case open >= 0 && (have == 0 || total%have != 0):
		return nil, codecs.Fieldf(fmt.Sprintf("shape[%d]", open), "no extent makes %v of the chunk's shape %v", c.text, in)
	case open >= 0:
		shape[open] = total / have
	case have != total:
		return nil, codecs.Fieldf("shape", "%v has %d elements, the chunk's shape %v has %d", shape, have, in, total)
	}
	return shape, c.aligned(in, shape)
}

// aligned checks that the dimensions of an entry cover the same elements as the encoded
// dimension that they form.
func (c reshapeCodec) aligned(in, out []int) error {
	for i, e := range c.shape {
		if len(e.dims) == 0 {
			continue
		}
		first, last := e.dims[0], e.dims[len(e.dims)-1]
		if !sameProduct(out[:i], in[:first]) || !sameProduct(out[i+1:], in[last+1:]) {
			return codecs.Fieldf(fmt.Sprintf("shape[%d]", i), "the elements along dimensions %v of %v are not those along dimension %d of %v", e.dims, in, i, out)
		}
	}
	return nil
}

func sameProduct(a, b []int) bool {
	m, _ := ndarray.Elements(a)
	n, _ := ndarray.Elements(b)
	return m == n
}

// bindReshape returns a codec that is a view if no dimensions are joined, and otherwise
// a codec that copies.
func bindReshape(spec codecs.Spec, in codecs.Chunk, shape []int) codecs.ArrayToArray {
	b := reshapeBound{spec: spec, in: in.Shape, out: in}
	b.out.Shape = shape
	if parts, ok := split(in.Shape, shape); ok {
		return &reshapeView{reshapeBound: b, parts: parts}
	}
	return &b
}

type reshapeBound struct {
	spec codecs.Spec
	in   []int
	out  codecs.Chunk
}

func (b *reshapeBound) Spec() codecs.Spec     { return b.spec }
func (b *reshapeBound) Encoded() codecs.Chunk { return b.out }

func (b *reshapeBound) Encode(dst, src ndarray.Array) error { return copyInOrder(dst, src) }
func (b *reshapeBound) Decode(dst, src ndarray.Array) error { return copyInOrder(dst, src) }

// copyInOrder copies elements between arrays of different shapes, in C order.
func copyInOrder(dst, src ndarray.Array) error {
	if dst.Heap != nil {
		next, stop := iter.Pull(src.Items())
		defer stop()
		return dst.SetItems(func() ([]byte, error) {
			item, _ := next() // there are as many as dst has
			return item, nil
		})
	}
	if data, ok := dst.Contiguous(); ok {
		ndarray.Copy(ndarray.Array{Type: src.Type, Data: data, Shape: src.Shape, Strides: ndarray.CStrides(src.Type.Size(), src.Shape)}, src)
		return nil
	}
	elements.CopyLine(dst, elements.Readable(src, make([]byte, scratchSize(src))))
	return nil
}

// part is a dimension that is a factor of dimension dim. Neighbours along the part are
// step elements apart along dim.
type part struct{ dim, step int }

// split finds, for every dimension of out, the dimension of in of which it is a part.
// It returns false if there is none. An extent of 1 could be a part of any dimension;
// its dim is -1.
func split(in, out []int) ([]part, bool) {
	parts := make([]part, len(out))
	dim, rest := -1, 1
	for i, n := range out {
		if n == 1 || slices.Contains(in, 0) {
			parts[i].dim = -1
			continue
		}
		for rest == 1 {
			dim++ // in bounds: the products are equal, so dimensions are left
			rest = in[dim]
		}
		if rest%n != 0 {
			return nil, false
		}
		rest /= n
		parts[i] = part{dim, rest}
	}
	return parts, true
}

// reshapeView is a reshape that only splits dimensions, and drops or adds dimensions of
// extent 1.
type reshapeView struct {
	reshapeBound
	parts []part
}

func (b *reshapeView) view(a ndarray.Array) ndarray.Array {
	strides := make([]int, len(b.parts))
	for i, p := range b.parts {
		strides[i] = ndarray.ItemSize(a.Type)
		if p.dim >= 0 {
			strides[i] = p.step * a.Strides[p.dim]
		}
	}
	a.Shape, a.Strides = b.out.Shape, strides
	return a
}

func (b *reshapeView) EncodeView(src ndarray.Array) ndarray.Array { return b.view(src) }
func (b *reshapeView) DecodeView(dst ndarray.Array) ndarray.Array { return b.view(dst) }

func (b *reshapeView) Encode(dst, src ndarray.Array) error {
	ndarray.Copy(dst, b.view(src))
	return nil
}

func (b *reshapeView) Decode(dst, src ndarray.Array) error {
	ndarray.Copy(b.view(dst), src)
	return nil
}

// Extents implements [codecs.Extents]. It does not know a suitable shape.
func (c reshapeCodec) Extents() []int { return nil }
