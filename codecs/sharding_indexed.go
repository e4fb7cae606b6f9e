package codecs

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// shardingDefinition is the codec "sharding_indexed" of Zarr v3 core, version
// 1.0: many inner chunks in one object, each encoded on its own, and an index
// that says where they are. Inner codecs are looked up in r.
func shardingDefinition(r *Registry) Definition {
	return Definition{
		Name: "sharding_indexed", Kind: KindArrayToBytes,
		Summary: "inner chunks, each encoded on its own, and an index of them",
		Fields: []Field{
			{Name: "chunk_shape", Type: "list of integers", Doc: "shape of an inner chunk; each extent divides the shard's"},
			{Name: "codecs", Type: "codec chain", Doc: "how inner chunks are encoded"},
			{Name: "index_codecs", Type: "codec chain", Default: `["bytes","crc32c"]`, Doc: "how the index is encoded; its size must be fixed"},
			{Name: "index_location", Type: `"start" or "end"`, Default: `"end"`, Doc: "where the index lies in the object"},
		},
		Example: json.RawMessage(`{"chunk_shape":[2,2],"codecs":["bytes"]}`),
		Parse:   func(text json.RawMessage) (Codec, error) { return parseSharding(r, text) },
	}
}

type shardingCodec struct {
	shape   []int
	inner   []parsed
	specs   []Spec // of inner
	index   []parsed
	indexes []Spec // of index
	start   bool
}

func parseSharding(r *Registry, text json.RawMessage) (Codec, error) {
	var c struct {
		Shape    []*int  `json:"chunk_shape"`
		Codecs   []Spec  `json:"codecs"`
		Index    []Spec  `json:"index_codecs"`
		Location *string `json:"index_location"`
	}
	if err := configuration(text, &c); err != nil {
		return nil, err
	}
	s := &shardingCodec{specs: c.Codecs, indexes: c.Index}
	if c.Shape == nil {
		return nil, field("chunk_shape", "is required")
	}
	for i, n := range c.Shape {
		if n == nil || *n < 1 {
			return nil, field(fmt.Sprintf("chunk_shape[%d]", i), "want an integer of at least 1")
		}
		s.shape = append(s.shape, *n)
	}
	if c.Codecs == nil {
		return nil, field("codecs", "is required")
	}
	if s.indexes == nil {
		s.indexes = []Spec{{Name: "bytes"}, {Name: "crc32c"}}
	}
	switch {
	case c.Location == nil || *c.Location == "end":
	case *c.Location == "start":
		s.start = true
	default:
		return nil, field("index_location", `%.60q: want "start" or "end"`, *c.Location)
	}
	var err error
	if s.inner, err = r.parse(s.specs); err != nil {
		return nil, &FieldError{"codecs", err}
	}
	if s.index, err = r.parse(s.indexes); err != nil {
		return nil, &FieldError{"index_codecs", err}
	}
	return s, nil
}

// BindArrayToBytes implements [ArrayToBytesCodec].
func (c *shardingCodec) BindArrayToBytes(in Chunk) (ArrayToBytes, error) {
	if len(c.shape) != len(in.Shape) {
		return nil, field("chunk_shape", "has %d dimensions, the shard has %d", len(c.shape), len(in.Shape))
	}
	s := &Shards{start: c.start, shape: c.shape, count: make([]int, len(c.shape)), n: 1}
	for i, n := range c.shape {
		if in.Shape[i]%n != 0 || in.Shape[i] == 0 {
			return nil, field(fmt.Sprintf("chunk_shape[%d]", i), "%d does not divide the shard's extent of %d", n, in.Shape[i])
		}
		s.count[i] = in.Shape[i] / n
		s.n *= s.count[i] // at most the shard's elements
	}
	if s.n > maxParts {
		return nil, field("chunk_shape", "%d inner chunks are too many for one shard, at most %d: choose larger chunks or smaller shards", s.n, maxParts)
	}
	var err error
	if s.inner, err = bind(c.inner, c.specs, Chunk{in.Type, c.shape, in.Fill}); err != nil {
		return nil, &FieldError{"codecs", err}
	}
	indexShape := append(append([]int{}, s.count...), 2)
	if s.index, err = bind(c.index, c.indexes, Chunk{dtype.Uint64, indexShape, dtype.Uint64.Default()}); err != nil {
		return nil, &FieldError{"index_codecs", err}
	}
	if size := s.index.Size(); !size.Fixed {
		return nil, field("index_codecs", "the size of the index is not fixed: leave out codecs that compress")
	}
	if inner := s.inner.Size(); !inner.Unbounded && inner.Max > (maxChunk-s.index.Size().Max)/s.n {
		return nil, field("chunk_shape", "the shard can be too large")
	}
	s.pool = &ndarray.Pool{Keep: min(s.scratch()*runtime.GOMAXPROCS(0), maxKept)}
	return s, nil
}

// Sharding returns the spec of shards whose inner chunks are encoded by a
// chain, with a checksum over the index at the end. It has all that the chain's
// codecs were given, what is not for metadata included.
func Sharding(inner *Chain) (Spec, error) {
	text, err := json.Marshal(map[string]any{"chunk_shape": append([]int{}, inner.Chunk().Shape...), "codecs": inner.specs})
	return Spec{Name: "sharding_indexed", Configuration: text}, err
}

// maxParts bounds the inner chunks of a shard, whose index is read and written
// as a whole.
const maxParts = 1 << 22

// maxKept bounds the buffers that a bound codec keeps for its next use.
const maxKept = 64 << 20

// Shards is the bound codec sharding_indexed: how the inner chunks of a shard
// lie in it. It is immutable and safe for concurrent use.
type Shards struct {
	inner, index *Chain
	shape        []int // of an inner chunk
	count        []int // inner chunks along each dimension
	n            int   // inner chunks
	start        bool  // the index lies in front
	// order, if it is not nil, says that the shard is seen through codecs that
	// permute its dimensions: dimension i of the shard as it is stored is
	// dimension order[i].
	order []int
	pool  *ndarray.Pool
}

// Shards returns the codec sharding_indexed when the chain is nothing else, so
// that inner chunks can be encoded apart from each other.
func (c *Chain) Shards() (*Shards, bool) {
	s, ok := c.bytes.(*Shards)
	return s, ok && len(c.arrays) == 0 && len(c.binary) == 0
}

// Parted returns the shards that the chain makes as they are seen in front of
// it, so that inner chunks can be encoded apart from each other: their chain
// begins with the array → array codecs of this one, where each of these codecs
// can do a box without the rest. It is false for chains that make no shards, or
// whose shards can only be made whole.
func (c *Chain) Parted() (*Shards, bool) { return c.parted, c.parted != nil }

// part finds what Parted returns.
func (c *Chain) part() *Shards {
	s, ok := c.bytes.(*Shards)
	if !ok || len(c.binary) > 0 || !c.regional() || len(c.arrays) > 0 && s.inner.in.Fill == nil {
		return nil
	}
	if len(c.arrays) == 0 {
		return s
	}
	// Which dimension of the shard is which one of the array shows in where a
	// box comes to lie.
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
			return nil // boxes go other ways than dimensions
		}
	}
	specs := slices.Concat(c.specs[:len(c.arrays)], s.inner.specs)
	list := slices.Concat(c.list[:len(c.arrays)], s.inner.list)
	var err error
	if seen.inner, err = bind(list, specs, Chunk{c.in.Type, seen.shape, c.in.Fill}); err != nil {
		return nil // some codec wants the whole
	}
	return &seen
}

// encodedRegion is the box of what the array → bytes codec receives that a box
// of the chunk becomes.
func (c *Chain) encodedRegion(r ndarray.Region) ndarray.Region {
	for _, a := range c.arrays {
		r = a.(Regional).EncodedRegion(r)
	}
	return r
}

// Inner is the chain of an inner chunk.
func (s *Shards) Inner() *Chain { return s.inner }

// Count is the number of inner chunks along each dimension; not to be
// modified. Their order is C order.
func (s *Shards) Count() []int { return s.count }

// coordinates of inner chunk number i.
func (s *Shards) coordinates(i int) []int {
	at := make([]int, len(s.count))
	for k := len(at) - 1; k >= 0; k-- {
		at[k] = i % s.count[k]
		i /= s.count[k]
	}
	return at
}

// Region is the box of inner chunk number i within the shard, in elements.
func (s *Shards) Region(i int) ndarray.Region {
	at := s.coordinates(i)
	for k := range at {
		at[k] *= s.shape[k]
	}
	return ndarray.Region{Start: at, Shape: s.shape}
}

// Spec implements [ArrayToBytes].
func (s *Shards) Spec() Spec {
	location := "end"
	if s.start {
		location = "start"
	}
	text, err := json.Marshal(struct {
		Shape    []int  `json:"chunk_shape"`
		Codecs   []Spec `json:"codecs"`
		Index    []Spec `json:"index_codecs"`
		Location string `json:"index_location"`
	}{append([]int{}, s.shape...), s.inner.Specs(), s.index.Specs(), location})
	if err != nil {
		panic(err) // specs that were read from JSON
	}
	return Spec{Name: "sharding_indexed", Configuration: text}
}

// Size implements [ArrayToBytes].
func (s *Shards) Size() Size {
	inner := s.inner.Size()
	if inner.Unbounded {
		return Size{Max: maxVariable, Unbounded: true}
	}
	return Size{Max: s.n*inner.Max + s.IndexSize()}
}

// scratch is what one inner chunk, or the index, takes on its way.
func (s *Shards) scratch() int { return max(s.inner.Memory(), 3*s.index.Memory()) }

// AppendEncode implements [ArrayToBytes]: inner chunks in C order, without gaps
// and without those that hold only the fill value.
func (s *Shards) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	begin := len(dst)
	if s.start {
		dst = append(dst, make([]byte, s.IndexSize())...)
	}
	places := make([]Place, s.n)
	for i := range places {
		part := src.Sub(s.Region(i))
		if ndarray.Uniform(part, s.inner.Chunk().Fill) {
			places[i] = Absent
			continue
		}
		at := len(dst)
		var err error
		if dst, err = s.inner.AppendEncode(s.pool, dst, part); err != nil {
			return nil, fmt.Errorf("inner chunk %v: %w", s.coordinates(i), err)
		}
		places[i] = Place{uint64(at - begin), uint64(len(dst) - at)}
	}
	if !s.start {
		return s.AppendIndex(dst, places)
	}
	_, err := s.AppendIndex(dst[:begin], places)
	return dst, err
}

// Decode implements [ArrayToBytes].
func (s *Shards) Decode(dst ndarray.Array, src []byte) error {
	index, err := s.findIndex(src)
	if err != nil {
		return err
	}
	places, err := s.ReadIndex(index, int64(len(src)))
	if err != nil {
		return err
	}
	for i, p := range places {
		part := dst.Sub(s.Region(i))
		if p == Absent {
			if err := s.fillPart(i, part); err != nil {
				return err
			}
			continue
		}
		if err := s.inner.Decode(s.pool, part, src[p.Offset:p.Offset+p.Length]); err != nil {
			return fmt.Errorf("inner chunk %v: %w", s.coordinates(i), err)
		}
	}
	return nil
}

// fillPart sets inner chunk number i, or a part of it, which is not stored.
func (s *Shards) fillPart(i int, part ndarray.Array) error {
	fill := s.inner.Chunk().Fill
	if fill == nil {
		return fmt.Errorf("%w: inner chunk %v is not stored, and the fill value has no encoding that could stand for it", ErrCorrupt, s.coordinates(i))
	}
	ndarray.Fill(part, fill)
	return nil
}
