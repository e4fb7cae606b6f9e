package standard

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// n5DefaultDefinition is the registered codec "n5_default". It stores blocks as the
// format N5 does in its default mode. A block is
//
//	uint16  mode, 0
//	uint16  number of dimensions
//	uint32  extent of each dimension, in the order of the array's
//
// followed by the elements. All words are big-endian, and the first dimension varies
// fastest. The chain in the configuration encodes the elements and may compress them.
//
// A block at the edge of an array may have extents of its own. If it has fewer elements
// than the chunk, the others are the fill value. If it has more, these are dropped.
// Blocks are always written in full.
//
// The codecs of the chain are looked up in r.
func n5DefaultDefinition(r *codecs.Registry) codecs.Definition {
	return codecs.Definition{
		Name: "n5_default", Kind: codecs.KindArrayToBytes,
		Summary: "blocks of the format N5",
		Fields: []codecs.Field{{
			Name: "codecs", Type: "array of two or three codecs",
			Doc: "transpose with all dimensions reversed, bytes with big-endian words, and at most one codec of bytes",
		}},
		Example: json.RawMessage(`{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}]}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Codecs json.RawMessage `json:"codecs"`
			}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Codecs == nil {
				return nil, codecs.Fieldf("codecs", "missing: want transpose, bytes and at most one codec of bytes")
			}
			var specs []codecs.Spec
			if err := json.Unmarshal(c.Codecs, &specs); err != nil {
				return nil, codecs.Fieldf("codecs", "%w", err)
			}
			if err := checkN5(r, specs); err != nil {
				return nil, err
			}
			return n5Codec{registry: r, specs: specs}, nil
		},
	}
}

// checkN5 checks that the chain is one that N5 can have.
func checkN5(r *codecs.Registry, specs []codecs.Spec) error {
	for i, want := range []string{TransposeName, BytesName} {
		if i >= len(specs) {
			return codecs.Fieldf("codecs", "%d codecs: want transpose, bytes and at most one codec of bytes", len(specs))
		}
		if d, err := r.Lookup(specs[i].Name); err == nil && d.Name != want {
			return codecs.Fieldf(fmt.Sprintf("codecs[%d]", i), "%s: want %s, as N5 blocks are stored", specs[i].Name, want)
		}
	}
	if len(specs) > 3 {
		return codecs.Fieldf("codecs[3]", "%s: N5 blocks have at most one codec behind bytes", specs[3].Name)
	}
	if err := r.Check(specs); err != nil {
		return codecs.Fieldf("codecs", "%w", err)
	}
	return nil
}

// n5Kept bounds the buffers that a bound codec keeps for its next use, in bytes.
const n5Kept = 64 << 20

type n5Codec struct {
	registry *codecs.Registry
	specs    []codecs.Spec
}

func (c n5Codec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	_, number := in.Type.(dtype.Numeric) // times are no numbers here, although numberOf accepts them
	if n := numberOf(in.Type); !number || !n.integer() && n != float32Number && n != float64Number {
		return nil, codecs.Fieldf("", "data type %s: N5 has integers of 8 to 64 bits, float32 and float64", in.Type.Name())
	}
	if len(in.Shape) > math.MaxUint16 {
		return nil, codecs.Fieldf("", "%d dimensions: N5 has at most %d", len(in.Shape), math.MaxUint16)
	}
	for i, n := range in.Shape {
		if n > math.MaxUint32 {
			return nil, codecs.Fieldf("", "%d elements along dimension %d: N5 has at most %d", n, i, math.MaxUint32)
		}
	}
	chain, err := c.registry.Bind(c.specs, in)
	if err != nil {
		return nil, codecs.Fieldf("codecs", "%w", err)
	}
	if err := checkN5Layout(chain.Specs()); err != nil {
		return nil, err
	}
	return &n5Bound{registry: c.registry, chain: chain, pool: &ndarray.Pool{Keep: n5Kept}}, nil
}

// checkN5Layout checks that the first dimension varies fastest and that words are
// big-endian.
func checkN5Layout(specs []codecs.Spec) error {
	var layout struct {
		Order  []int  `json:"order"`
		Endian string `json:"endian"`
	}
	for _, s := range specs[:2] {
		if s.Configuration == nil {
			continue // words of one byte have no order
		}
		if err := json.Unmarshal(s.Configuration, &layout); err != nil {
			return codecs.Fieldf("codecs", "%s: %w", s.Name, err)
		}
	}
	for i, from := range layout.Order {
		if from != len(layout.Order)-1-i {
			return codecs.Fieldf("codecs[0].configuration.order", "%v: want all dimensions reversed, as N5 blocks are stored", layout.Order)
		}
	}
	if layout.Endian == "little" {
		return codecs.Fieldf("codecs[1].configuration.endian", `"little": want "big", as N5 blocks are stored`)
	}
	return nil
}

type n5Bound struct {
	registry *codecs.Registry
	chain    *codecs.Chain
	pool     *ndarray.Pool
}

// Scratch implements [codecs.Scratching]: the memory of the inner chain.
func (b *n5Bound) Scratch() int { return b.chain.Memory() }

func (b *n5Bound) Spec() codecs.Spec {
	text, err := json.Marshal(map[string][]codecs.Spec{"codecs": b.chain.Specs()})
	if err != nil {
		panic(err) // specs of a bound chain always marshal
	}
	return codecs.Spec{Name: "n5_default", Configuration: text}
}

// header returns the number of bytes in front of a block's elements.
func (b *n5Bound) header() int { return 4 + 4*len(b.chain.Chunk().Shape) }

func (b *n5Bound) Size() codecs.Size {
	size := b.chain.Size()
	size.Max += b.header()
	size.Item = 0      // the header precedes the elements
	size.Fixed = false // blocks at the edge may be smaller
	return size
}

func (b *n5Bound) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	dst = grow(dst, b.header())
	dst = binary.BigEndian.AppendUint16(dst, 0)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(src.Shape)))
	for _, n := range src.Shape {
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	}
	return b.chain.AppendEncode(b.pool, dst, src)
}

// open returns the encoded elements of a block, and the chain for blocks of its shape.
func (b *n5Bound) open(src []byte) (*codecs.Chain, []byte, error) {
	shape, err := b.readHeader(src)
	if err != nil {
		return nil, nil, err
	}
	src = src[b.header():]
	if slices.Equal(shape, b.chain.Chunk().Shape) {
		return b.chain, src, nil
	}
	in := b.chain.Chunk()
	in.Shape = shape
	chain, err := b.registry.Bind(b.chain.Specs(), in)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: a block of shape %v: %w", codecs.ErrCorrupt, shape, err)
	}
	return chain, src, nil
}

func (b *n5Bound) Decode(dst ndarray.Array, src []byte) error {
	chain, src, err := b.open(src)
	if err != nil {
		return err
	}
	if chain == b.chain {
		return chain.Decode(b.pool, dst, src)
	}
	in := chain.Chunk()
	shape := in.Shape
	block := ndarray.New(in.Type, shape)
	if err := chain.Decode(b.pool, block, src); err != nil {
		return err
	}
	both := ndarray.Region{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	for i, n := range shape {
		both.Shape[i] = min(n, dst.Shape[i])
	}
	if fill := b.chain.Chunk().Fill; fill != nil {
		ndarray.Fill(dst, fill)
	} else {
		ndarray.Fill(dst, in.Type.Default())
	}
	ndarray.Copy(dst.Sub(both), block.Sub(both))
	return nil
}

// readHeader returns the shape of a block. Some writers pad blocks beyond the chunk.
// The chunk's size bounds what such a block may cost.
func (b *n5Bound) readHeader(src []byte) ([]int, error) {
	rank := len(b.chain.Chunk().Shape)
	if len(src) < b.header() {
		return nil, fmt.Errorf("%w: %d bytes, the header of an N5 block has %d", codecs.ErrCorrupt, len(src), b.header())
	}
	if mode := binary.BigEndian.Uint16(src); mode != 0 {
		return nil, fmt.Errorf("%w: an N5 block in mode %d: only the default mode, 0, holds arrays of numbers", codecs.ErrCorrupt, mode)
	}
	if n := int(binary.BigEndian.Uint16(src[2:])); n != rank {
		return nil, fmt.Errorf("%w: an N5 block of %d dimensions, the chunk has %d", codecs.ErrCorrupt, n, rank)
	}
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = int(binary.BigEndian.Uint32(src[4+4*i:]))
	}
	size, ok := ndarray.Bytes(b.chain.Chunk().Type, shape)
	limit, _ := ndarray.Bytes(b.chain.Chunk().Type, b.chain.Chunk().Shape)
	if !ok || size > limit {
		return nil, fmt.Errorf("%w: an N5 block of shape %v, the chunk has %v", codecs.ErrTooLarge, shape, b.chain.Chunk().Shape)
	}
	return shape, nil
}

// Verification implements [codecs.Verifier]. Blocks are small enough to be in memory.
func (b *n5Bound) Verification() codecs.Verification {
	return codecs.Verification{All: true, Checksum: true, Memory: b.chain.VerifyMemory(true)}
}

// Verify implements [codecs.Verifier]. It checks the header, and the elements as their
// chain does.
func (b *n5Bound) Verify(ctx context.Context, in codecs.Input) error {
	data, err := codecs.ReadAll(ctx, in)
	if err != nil {
		return err
	}
	chain, data, err := b.open(data)
	if err != nil {
		return err
	}
	return chain.Verify(ctx, codecs.InMemory(data))
}
