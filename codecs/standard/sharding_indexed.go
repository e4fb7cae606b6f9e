package standard

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// ShardingName is the name of the codec for shards.
const ShardingName = "sharding_indexed"

// shardingDefinition is the codec "sharding_indexed" of Zarr v3 core, version 1.0. It
// stores many inner chunks in one object. Each is encoded by itself, and an index says
// where each lies. Inner codecs are looked up in r.
func shardingDefinition(r *codecs.Registry) codecs.Definition {
	return codecs.Definition{
		Name: ShardingName, Kind: codecs.KindArrayToBytes, Container: true,
		Summary: "inner chunks, each encoded on its own, and an index of them",
		Fields: []codecs.Field{
			{Name: "chunk_shape", Type: "list of integers", Doc: "shape of an inner chunk; each extent divides the shard's"},
			{Name: "codecs", Type: "codec chain", Doc: "how inner chunks are encoded"},
			{Name: "index_codecs", Type: "codec chain", Default: `["bytes","crc32c"]`, Doc: "how the index is encoded; its size must be fixed"},
			{Name: "index_location", Type: `"start" or "end"`, Default: `"end"`, Doc: "where the index lies in the object"},
		},
		Example: json.RawMessage(`{"chunk_shape":[2,2],"codecs":["bytes"]}`),
		Parse:   func(text json.RawMessage) (codecs.Codec, error) { return parseSharding(r, text) },
	}
}

type shardingCodec struct {
	registry     *codecs.Registry // of the inner codecs
	shape        []int
	inner, index []codecs.Spec
	start        bool
}

func parseSharding(r *codecs.Registry, text json.RawMessage) (codecs.Codec, error) {
	var c struct {
		Shape    []*int        `json:"chunk_shape"`
		Codecs   []codecs.Spec `json:"codecs"`
		Index    []codecs.Spec `json:"index_codecs"`
		Location *string       `json:"index_location"`
	}
	if err := codecs.ReadConfiguration(text, &c); err != nil {
		return nil, err
	}
	s := &shardingCodec{registry: r, shape: []int{}, inner: c.Codecs, index: c.Index}
	if c.Shape == nil {
		return nil, codecs.Fieldf("chunk_shape", "is required")
	}
	for i, n := range c.Shape {
		if n == nil || *n < 1 {
			return nil, codecs.Fieldf(fmt.Sprintf("chunk_shape[%d]", i), "want an integer of at least 1")
		}
		s.shape = append(s.shape, *n)
	}
	if c.Codecs == nil {
		return nil, codecs.Fieldf("codecs", "is required")
	}
	if s.index == nil {
		s.index = []codecs.Spec{{Name: BytesName}, {Name: CRC32CName}}
	}
	switch {
	case c.Location == nil || *c.Location == "end":
	case *c.Location == "start":
		s.start = true
	default:
		return nil, codecs.Fieldf("index_location", `%.60q: want "start" or "end"`, *c.Location)
	}
	if err := r.Check(s.inner); err != nil {
		return nil, codecs.InField("codecs", err)
	}
	if err := r.Check(s.index); err != nil {
		return nil, codecs.InField("index_codecs", err)
	}
	return s, nil
}

// Extents implements [codecs.Extents].
func (c *shardingCodec) Extents() []int { return c.shape }

// BindArrayToBytes implements [codecs.ArrayToBytesCodec].
func (c *shardingCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	if len(c.shape) != len(in.Shape) {
		return nil, codecs.Fieldf("chunk_shape", "has %d dimensions, the shard has %d", len(c.shape), len(in.Shape))
	}
	n := 1
	for i, extent := range c.shape {
		if in.Shape[i]%extent != 0 || in.Shape[i] == 0 {
			return nil, codecs.Fieldf(fmt.Sprintf("chunk_shape[%d]", i), "%d does not divide the shard's extent of %d", extent, in.Shape[i])
		}
		n *= in.Shape[i] / extent // no overflow: at most the number of elements
	}
	if n > codecs.MaxInnerChunks {
		return nil, codecs.Fieldf("chunk_shape", "%d inner chunks are too many for one shard, at most %d: choose larger chunks or smaller shards", n, codecs.MaxInnerChunks)
	}
	inner, err := c.registry.Bind(c.inner, codecs.Chunk{Type: in.Type, Shape: c.shape, Fill: in.Fill})
	if err != nil {
		return nil, codecs.InField("codecs", err)
	}
	indexShape := make([]int, len(c.shape)+1)
	for i := range c.shape {
		indexShape[i] = in.Shape[i] / c.shape[i]
	}
	indexShape[len(c.shape)] = 2 // an offset and a length
	index, err := c.registry.Bind(c.index, codecs.Chunk{Type: dtype.Uint64, Shape: indexShape, Fill: dtype.Uint64.Default()})
	if err != nil {
		return nil, codecs.InField("index_codecs", err)
	}
	if !index.Size().Fixed {
		return nil, codecs.Fieldf("index_codecs", "the size of the index is not fixed: leave out codecs that compress")
	}
	b := &shardingBound{index: shardIndex{index, c.start}}
	if b.Shards, err = codecs.NewShards(in.Shape, inner, b.index); err != nil {
		return nil, codecs.InField("chunk_shape", err)
	}
	return b, nil
}

// Sharding returns the spec of shards whose inner chunks are encoded by a chain. A
// checksum covers the index, which is at the end. The spec has everything that the
// chain's codecs were given, even what does not belong in metadata.
func Sharding(inner *codecs.Chain) (codecs.Spec, error) {
	text, err := json.Marshal(map[string]any{"chunk_shape": append([]int{}, inner.Chunk().Shape...), "codecs": inner.Given()})
	return codecs.Spec{Name: ShardingName, Configuration: text}, err
}

// shardingBound is a bound sharding_indexed. [codecs.Shards] gives it most of its
// methods.
type shardingBound struct {
	*codecs.Shards
	index shardIndex
}

// Spec implements [codecs.ArrayToBytes].
func (b *shardingBound) Spec() codecs.Spec { return b.SpecWithInner(b.Inner().Specs()) }

// SpecWithInner implements [codecs.InnerNaming].
func (b *shardingBound) SpecWithInner(inner []codecs.Spec) codecs.Spec {
	location := "end"
	if b.index.start {
		location = "start"
	}
	text, err := json.Marshal(struct {
		Shape    []int         `json:"chunk_shape"`
		Codecs   []codecs.Spec `json:"codecs"`
		Index    []codecs.Spec `json:"index_codecs"`
		Location string        `json:"index_location"`
	}{append([]int{}, b.Inner().Chunk().Shape...), inner, b.index.chain.Specs(), location})
	if err != nil {
		panic(err) // specs that were parsed from JSON always marshal
	}
	return codecs.Spec{Name: ShardingName, Configuration: text}
}

// shardIndex stores offsets and lengths as an array of uint64. The last dimension holds
// the two numbers of an inner chunk.
type shardIndex struct {
	chain *codecs.Chain
	start bool
}

// Size implements [codecs.ShardIndex].
func (x shardIndex) Size() int { return x.chain.Size().Max }

// AtStart implements [codecs.ShardIndex].
func (x shardIndex) AtStart() bool { return x.start }

// Memory implements [codecs.ShardIndex].
func (x shardIndex) Memory() int { return 3 * x.chain.Memory() }

// Append implements [codecs.ShardIndex].
func (x shardIndex) Append(pool *ndarray.Pool, dst []byte, places []codecs.Place) ([]byte, error) {
	a := ndarray.New(dtype.Uint64, x.chain.Chunk().Shape)
	for i, p := range places {
		entry := a.Data[16*i:]
		binary.NativeEndian.PutUint64(entry, p.Offset)
		binary.NativeEndian.PutUint64(entry[8:], p.Length)
	}
	return x.chain.AppendEncode(pool, dst, a)
}

// Read implements [codecs.ShardIndex].
func (x shardIndex) Read(pool *ndarray.Pool, places []codecs.Place, index []byte) error {
	a := ndarray.New(dtype.Uint64, x.chain.Chunk().Shape)
	if err := x.chain.Decode(pool, a, index); err != nil {
		return err
	}
	for i := range places {
		entry := a.Data[16*i:]
		places[i] = codecs.Place{Offset: binary.NativeEndian.Uint64(entry), Length: binary.NativeEndian.Uint64(entry[8:])}
	}
	return nil
}
