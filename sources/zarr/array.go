package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

const (
	// wholeShard is the size up to which a shard is read by one request when all of it
	// is wanted.
	wholeShard = 4 << 20
	// longRun bounds the length of a read of shards: a read of longRun times the bytes
	// that cost as much as one more request. Beyond it, requests no longer matter.
	longRun = 32
	// mostParallel bounds the chunks that one call reads at the same time from a remote
	// store. parallelBytes bounds the memory for these chunks, unless a single one
	// needs more.
	mostParallel  = 8
	parallelBytes = 16 << 20
)

// array implements [sources.Array].
type array struct {
	source     *source
	path       string
	attributes zarr.Attributes
	remarks    *remarks      // about this array alone; nil: none
	info       *sources.Info // nil: Info computes it from the kind and the fields above
	*kind
}

// kind is what arrays share if their documents differ only in attributes. It is immutable.
type kind struct {
	common sources.Info // without path, attributes and findings
	grid   zarr.Grid
	keys   zarr.KeyEncoding
	chain  *codecs.Chain // of chunks with the shape grid.Chunk
	fill   dtype.Scalar  // of chunks that are not stored
	// reorder converts decoded elements to the host's order, step by step. It is set
	// for records of v2 whose fields have different byte orders.
	reorder []dtype.Ordered
	partly  bool // the chain can decode a region from less than a whole chunk
	named   bool // a v2 array whose dimensions have names
	// parallel is the number of chunks of a region that are read at once.
	parallel int
	// pool has the buffers for decoding. For elements of variable size it keeps no idle
	// memory, because nobody has reserved that memory.
	pool *ndarray.Pool
}

// decodedBy gives the array a kind of its own, with another chain and the fill value of
// that chain's elements.
func (a *array) decodedBy(chain *codecs.Chain, fill dtype.Scalar) {
	own := *a.kind
	own.chain, own.fill = chain, fill
	a.kind = &own
}

func (n *node) parseGroup() (zarr.Attributes, error) {
	switch {
	case n.err != nil:
		return nil, n.err
	case n.format == dtype.V3:
		g, err := zarr.ParseGroup(n.text)
		if err != nil {
			return nil, err
		}
		return g.Attributes, nil
	case n.text != nil:
		if err := zarr.CheckGroupV2(n.text); err != nil {
			return nil, err
		}
	}
	return zarr.ParseAttributesV2(n.attributes)
}

// mostKinds is how many kinds are remembered. If there are more, all of them are forgotten,
// because arrays of so many kinds share little.
const mostKinds = 1024

// kinds remembers kinds by what their documents say. It is safe for concurrent use.
type kinds struct {
	mu    sync.Mutex
	known map[string]*kind
}

func (k *kinds) get(document string) *kind {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known[document]
}

func (k *kinds) put(document string, made *kind) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) == mostKinds {
		k.known = map[string]*kind{}
	}
	k.known[document] = made
}

// describe returns the array that a node describes.
func (s *source) describe(name string, n *node) (*array, error) {
	k, attributes, err := s.kindOf(n)
	if err != nil {
		return nil, err
	}
	a := &array{source: s, path: name, attributes: attributes, kind: k}
	a.info = a.Info()
	a.info.Findings = n.findings()
	return a, nil
}

// shorten saves memory: the array no longer keeps what its kind also says. The array is not
// changed after that.
func (a *array) shorten() {
	own := a.info
	if own.Packing != nil || own.Obstacle != "" {
		return
	}
	a.info, a.attributes = nil, own.Attributes
	if own.Findings != nil || len(own.Notes) != len(a.common.Notes) {
		a.remarks = a.source.remarks.shared(own)
	}
}

// remarks are the findings and notes of an array that its kind does not have.
type remarks struct {
	findings []cf.Finding
	notes    []string // with those of the kind
}

// lastRemarks remembers the remarks of one array, because the next array mostly has the
// same ones. It is safe for concurrent use.
type lastRemarks struct {
	mu   sync.Mutex
	last *remarks
}

// shared returns the remarks of an array. If they equal the remarks of the array before, it
// returns those.
func (l *lastRemarks) shared(info *sources.Info) *remarks {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || !slices.Equal(l.last.findings, info.Findings) || !slices.Equal(l.last.notes, info.Notes) {
		l.last = &remarks{info.Findings, info.Notes}
	}
	return l.last
}

// kindOf returns the kind and the attributes of an array. It parses only the attributes if
// the document of an earlier array was the same otherwise.
func (s *source) kindOf(n *node) (*kind, zarr.Attributes, error) {
	switch {
	case n.err != nil:
		return nil, nil, n.err
	case n.format == dtype.V2:
		return s.kindOfV2(n)
	}
	d, err := zarr.OpenArray(n.text)
	if err != nil {
		return nil, nil, err
	}
	document := d.Kind()
	if k := s.kinds.get(document); k != nil {
		attributes, err := d.Attributes()
		return k, attributes, err
	}
	meta, err := d.Array(s.types)
	if err != nil {
		return nil, nil, err
	}
	k, err := s.newKind(&zarr.ArrayV2{Array: *meta})
	if err != nil {
		return nil, nil, err
	}
	s.kinds.put(document, k)
	return k, meta.Attributes, nil
}

// kindOfV2 is kindOf for the two documents of an array of v2. The kind includes the names
// of the dimensions, which are an attribute.
func (s *source) kindOfV2(n *node) (*kind, zarr.Attributes, error) {
	attributes, err := zarr.ParseAttributesV2(n.attributes)
	document := string(n.text) + string(attributes.Get(zarr.DimensionsAttribute))
	if k := s.kinds.get(document); k != nil && err == nil {
		if k.named {
			attributes = attributes.With(zarr.DimensionsAttribute, nil)
		}
		return k, attributes, nil
	}
	meta, err := zarr.ParseArrayV2(n.text, n.attributes, s.types, s.codecs)
	if err != nil {
		return nil, nil, err
	}
	k, err := s.newKind(meta)
	if err != nil {
		return nil, nil, err
	}
	s.kinds.put(document, k)
	return k, meta.Attributes, nil
}

// newKind returns the kind of an array with these metadata, in the terms of v3.
func (s *source) newKind(meta *zarr.ArrayV2) (*kind, error) {
	k := &kind{grid: meta.Grid, keys: meta.Keys, fill: meta.Fill, named: meta.Named}
	k.common = sources.Info{
		Type: meta.Type, Shape: meta.Grid.Shape, DimensionNames: meta.DimensionNames,
		Fill: meta.Fill, Chunks: meta.Grid.Chunk, Remote: !s.store.Local(),
	}
	info := &k.common
	if t, ok := meta.Type.(dtype.Record); ok && k.fill == nil {
		// zarr-python reads zeros, even if the default value of a field's type is not zero.
		k.fill = make(dtype.Scalar, t.Size())
		info.Fill, info.FillFrom = k.fill, "fill_value of null, which for records stands for zeros"
	} else if k.fill == nil {
		k.fill = meta.Type.Default()
		info.Notes = append(info.Notes, "the fill value is null: chunks that are not stored are read as the default value of the data type")
	} else {
		info.FillFrom = "fill_value"
	}
	if meta.Mixed {
		for _, by := range []dtype.Ordered{dtype.Swapper(meta.Type, dtype.Little), dtype.Swapper(meta.Type, dtype.Mixed)} {
			if by != nil {
				k.reorder = append(k.reorder, by)
			}
		}
	}
	var err error
	k.chain, err = s.chains.Bind(meta.Codecs, codecs.Chunk{Type: meta.Type, Shape: meta.Grid.Chunk, Fill: k.fill})
	if err != nil {
		return nil, err
	}
	info.Codecs = k.chain.Specs()
	if layout, ok := k.chain.Shards(); ok {
		info.Chunks, info.Shards = layout.Inner().Chunk().Shape, meta.Grid.Chunk
		info.LongRun = longRun * s.store.GapBytes()
	}
	if k.grid.Runs != nil {
		if err := s.describeUneven(k); err != nil {
			return nil, err
		}
	}
	k.parallel, k.pool = 1, s.pool
	if meta.Type.Size() == 0 {
		k.pool = &ndarray.Pool{}
	}
	each := max(k.chain.RegionMemory()+3*k.chain.Kept(), 1) // an index is in memory three times while it is read
	if info.Remote && meta.Type.Size() > 0 {                // elements of variable size share a heap
		k.parallel = min(max(parallelBytes/each, 1), mostParallel)
	}
	info.Memory = k.parallel * each
	k.partly = !slices.Equal(k.chain.Granularity(), meta.Grid.Chunk) && k.chain.Size().Max > s.store.GapBytes()
	info.Notes = slices.Clip(info.Notes) // so that arrays that append notes copy the list
	return k, nil
}

// Info implements [sources.Array].
func (a *array) Info() *sources.Info {
	if a.info != nil {
		return a.info
	}
	info := a.common
	info.Path, info.Attributes = a.path, a.attributes
	if a.remarks != nil {
		info.Findings, info.Notes = a.remarks.findings, a.remarks.notes
	}
	return &info
}

// key returns the key of a chunk in the store.
func (a *array) key(index []int) string { return path.Join(a.path, a.keys.Key(index)) }

// ReadRegion implements [sources.Array].
func (a *array) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(a.Info(), dst, start); err != nil {
		return err
	}
	if slices.Contains(dst.Shape, 0) {
		return nil
	}
	first, last := make([]int, len(start)), make([]int, len(start)) // chunks that the region meets
	count := 1
	for k, at := range start {
		first[k], last[k] = a.grid.Find(k, at), a.grid.Find(k, at+dst.Shape[k]-1)
		count *= last[k] - first[k] + 1 // at most the region's elements
	}
	var mu sync.Mutex
	index := slices.Clone(first)
	take := func() []int { // returns the next chunk to read, or nil after the last one
		mu.Lock()
		defer mu.Unlock()
		taken := slices.Clone(index)
		if index != nil {
			index = ndarray.Next(index, first, last)
		}
		return taken
	}
	return sources.InParallel(ctx, min(a.parallel, count), func(ctx context.Context, _ int) error {
		for index := take(); index != nil; index = take() {
			if err := a.readPart(ctx, index, dst, start); err != nil {
				return fmt.Errorf("%s: array %q: chunk %v, %s: %w", a.source.store.URL(), a.path, index, a.key(index), err)
			}
		}
		return nil
	})
}

// readPart fills the part of a region that a chunk holds.
func (a *array) readPart(ctx context.Context, index []int, dst ndarray.Array, start []int) error {
	within := make([]int, len(start)) // where the region begins in the chunk
	part := ndarray.Region{Start: make([]int, len(start)), Shape: make([]int, len(start))}
	for k, i := range index {
		begin, extent := a.grid.Span(k, i)
		from := max(begin, start[k])
		to := min(begin+extent, start[k]+dst.Shape[k])
		within[k], part.Start[k], part.Shape[k] = from-begin, from-start[k], to-from
	}
	return a.readChunk(ctx, index, dst.Sub(part), within)
}

// readChunk fills dst with the elements of a chunk from start on.
func (a *array) readChunk(ctx context.Context, index []int, dst ndarray.Array, start []int) error {
	found, err := a.decode(ctx, index, dst, start)
	switch {
	case err != nil:
		return err
	case !found && a.source.allChunks:
		return ErrMissingChunk
	case !found:
		ndarray.Fill(dst, a.fill)
		return nil
	}
	for _, by := range a.reorder {
		ndarray.Swap(dst, by)
	}
	return nil
}

// decode is readChunk for a stored chunk. It returns false if the chunk is not stored.
func (a *array) decode(ctx context.Context, index []int, dst ndarray.Array, start []int) (bool, error) {
	key, s := a.key(index), a.source
	chain, err := a.chainOf(index)
	if err != nil {
		return false, err
	}
	if a.inParts(index, dst.Shape) {
		object, err := s.opened.get(ctx, chain, key, func(version string) error { return a.checkVersion(index, version) })
		if err == nil && object == nil {
			err = a.checkMissing(index)
		}
		if err != nil || object == nil {
			return false, err
		}
		if a.isAll(index, dst.Shape) {
			if err := s.store.Check(ctx, key); err != nil {
				return false, err
			}
		}
		return true, object.DecodeRegion(ctx, a.pool, dst, start)
	}
	var buffer *ndarray.Buffer
	place := chain.DecodePlace(dst)
	tally := dst.Heap.Tally() // pays for an object whose size nothing bounds
	defer tally.End()
	room := func(size int) []byte {
		if size == len(place) {
			return place
		}
		if buffer != nil {
			buffer.Release()
		}
		tally.End()
		_ = tally.Take(ndarray.Rounded(size)) // ReadInto was bounded by this room, or the run is ending
		buffer = a.pool.Get(size)
		return buffer.Bytes
	}
	var data []byte
	found, err := s.presence.read(ctx, key, func() error {
		most := min(int64(chain.Size().Max), int64(tally.Room()))
		var version string
		var err error
		data, version, err = s.store.ReadInto(ctx, key, most, room)
		if errors.Is(err, store.ErrTooLarge) && most < int64(chain.Size().Max) {
			err = cmp.Or(tally.Take(int(most)+1), err)
		}
		if err != nil {
			return err
		}
		return a.checkVersion(index, version)
	})
	if buffer != nil {
		defer buffer.Release()
	}
	if err == nil && !found {
		err = a.checkMissing(index)
	}
	if err != nil || !found {
		return false, err
	}
	return true, chain.DecodeRegion(ctx, a.pool, dst, start, codecs.InMemory(data))
}

// inParts reports whether a region of a chunk is read without the rest of the chunk.
// All of a shard is read in parts, too, if the shard is large.
func (a *array) inParts(index, shape []int) bool {
	if !a.partly {
		return false
	}
	_, sharded := a.chain.Shards()
	return !a.isAll(index, shape) || sharded && a.chain.Size().Max > wholeShard
}

// isAll reports whether a region of this shape covers the chunk, as far as the chunk
// lies within the array.
func (a *array) isAll(index, shape []int) bool {
	return slices.Equal(shape, a.grid.Region(index).Shape)
}
