package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/filters"
	"github.com/zmigrate/zmigrate/sources/zarr/n5"
	"github.com/zmigrate/zmigrate/zarr"
)

const (
	// longRun bounds the length of a read of shards: a read of longRun times the bytes
	// that cost as much as one more request. Beyond it, requests no longer matter.
	longRun = 32
	// mostParallel bounds the parts that one call reads at the same time from a remote
	// store, unless the options say otherwise. parallelBytes bounds the memory for these
	// parts, unless a single one needs more.
	mostParallel  = 8
	parallelBytes = 16 << 20
)

func (n *node) parseGroup() (zarr.Attributes, error) {
	switch {
	case n.err != nil:
		return nil, n.err
	case n.n5:
		return n5.Attributes(n.text)
	case n.format == dtype.V3:
		g, err := zarr.ParseGroup(n.text)
		if err != nil {
			return nil, err
		}
		return g.Attributes, nil
	case n.text != nil:
		if err := zarr.CheckGroupV2(n.text); err != nil {
			return nil, fmt.Errorf("%s: %w", zarr.GroupKeyV2, err)
		}
	}
	attributes, err := zarr.ParseAttributesV2(n.attributes)
	if err != nil {
		err = fmt.Errorf("%s: %w", zarr.AttributesKeyV2, err)
	}
	return attributes, err
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
	s.nameByAxes(a.info)
	return a, nil
}

// kindOf returns the kind and the attributes of an array. It parses only the attributes if
// the document of an earlier array was the same otherwise.
func (s *source) kindOf(n *node) (*kind, zarr.Attributes, error) {
	switch {
	case n.err != nil:
		return nil, nil, n.err
	case n.n5:
		return s.kindOfN5(n)
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
	meta, err := d.ForeignArray(s.types)
	if err != nil {
		return nil, nil, err
	}
	meta.Codecs = s.serialized(meta.Codecs)
	k, err := s.newKind(&zarr.ArrayV2{Array: *meta})
	if err != nil {
		return nil, nil, err
	}
	s.kinds.put(document, k)
	return k, meta.Attributes, nil
}

// serialized returns the codecs of an array with an array → bytes codec. Zarr v3 demands
// one, but zarrita.js writes documents without, and the elements of their chunks are
// little-endian.
func (s *source) serialized(specs []codecs.Spec) []codecs.Spec {
	at := len(specs)
	for i, spec := range specs {
		d, err := s.codecs.Lookup(spec.Name)
		if err != nil || d.Kind == codecs.KindArrayToBytes {
			return specs
		}
		if d.Kind == codecs.KindBytesToBytes {
			at = min(at, i)
		}
	}
	return slices.Insert(slices.Clone(specs), at, codecs.Spec{Name: standard.BytesName, Configuration: []byte(`{"endian":"little"}`)})
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
	meta, err := zarr.ParseArrayV2(n.text, n.attributes, s.types, s.decoders)
	if err == nil {
		err = filters.Check(meta.Codecs, len(meta.Grid.Shape))
	}
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

// kindOfN5 is kindOf for the document of an array of N5.
func (s *source) kindOfN5(n *node) (*kind, zarr.Attributes, error) {
	meta, err := n5.Parse(n.text, s.types, s.codecs)
	if err != nil {
		return nil, nil, err
	}
	k, err := s.newKind(&zarr.ArrayV2{Array: meta.Array})
	if err != nil {
		return nil, nil, err
	}
	k.n5, k.partly, k.common.AnyRegion = meta, false, false
	k.common.FillFrom = "N5, in which a block that is not stored holds zeros"
	if meta.LZ4 {
		k.common.Memory += k.parallel * 2 * k.mostStored(k.chain) // the block, and what it becomes
	}
	return k, meta.Attributes, nil
}

// mostStored returns the most bytes that the object of a chunk may have.
func (k *kind) mostStored(chain *codecs.Chain) int {
	switch {
	case k.n5 == nil:
		return chain.Size().Max
	case k.n5.LZ4:
		return n5.MostLZ4(chain.Size().Max, len(k.grid.Shape))
	}
	return chain.Size().Max + 4 // the number of elements, in mode 1
}

// block returns a block of N5 as the chain decodes it.
func (k *kind) block(data []byte) ([]byte, error) {
	elements := 1
	for _, n := range k.grid.Chunk {
		elements *= n
	}
	return n5.Block(data, len(k.grid.Chunk), k.common.Type.Size(), elements, k.n5.LZ4)
}

// newKind returns the kind of an array with these metadata, in the terms of v3.
func (s *source) newKind(meta *zarr.ArrayV2) (*kind, error) {
	if _, err := meta.Type.V3(); err != nil { // such as a record of v2 with several elements in a field
		return nil, fmt.Errorf("dtype: %w", err)
	}
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
	if meta.FillNumber {
		info.FormerFill = dtype.Scalar{} // earlier versions took 0 for the empty text
		info.Notes = append(info.Notes, fmt.Sprintf("the fill value of the source is the number %s, which nobody may have chosen: chunks that are not stored are read as the text %q, as in zarr-python 3", meta.Fill, meta.Fill))
	}
	if meta.Mixed {
		for _, by := range []dtype.Ordered{dtype.Swapper(meta.Type, dtype.Little), dtype.Swapper(meta.Type, dtype.Mixed)} {
			if by != nil {
				k.reorder = append(k.reorder, by)
			}
		}
	}
	var err error
	in := codecs.Chunk{Type: meta.Type, Shape: meta.Grid.Chunk, Fill: k.fill}
	k.chain, err = s.chains.Bind(meta.Codecs, in)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("%w: rewrite the array without this codec, such as with zarr-python", err)
	}
	if err != nil {
		return nil, err
	}
	if specs, changed := k.chain.Preferred(); changed {
		if k.chain, err = s.chains.Bind(specs, in); err != nil {
			return nil, err
		}
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
	if s.options.Parallel > 0 && meta.Type.Size() > 0 {
		k.parallel = s.options.Parallel
	}
	if _, sharded := k.chain.Shards(); sharded && k.parallel > 1 && k.grid.Runs == nil {
		k.box = codecs.NewBoxes(k.chain).Shape()
	}
	info.Memory = k.parallel * each
	k.partly = !slices.Equal(k.chain.Granularity(), meta.Grid.Chunk) && k.chain.Size().Max > s.store.GapBytes()
	_, plain := k.chain.Layer(meta.Grid.Chunk)
	info.AnyRegion = plain && k.partly && k.grid.Runs == nil && s.store.Local()
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

// ReadRegion implements [sources.Array].
func (a *array) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(a.Info(), dst, start); err != nil {
		return err
	}
	if slices.Contains(dst.Shape, 0) {
		return nil
	}
	rest := a.newParts(dst.Shape, start)
	return sources.InParallelUpTo(ctx, a.parallel, min(a.parallel, rest.atLeast()), func(ctx context.Context, _ int) error {
		for p := rest.take(); p != nil; p = rest.take() {
			if err := a.readPart(ctx, p, dst.Sub(p.at)); err != nil {
				return a.wrong(p.index, err)
			}
		}
		return nil
	})
}

// wrong returns an error about a chunk, which names its object.
func (a *array) wrong(index []int, err error) error {
	return &sources.ArrayError{Source: a.source.store.URL(), Path: a.path, Err: fmt.Errorf("chunk %v, %s: %w", index, a.key(index), err)}
}

// readPart fills dst with a part of a chunk.
func (a *array) readPart(ctx context.Context, p *part, dst ndarray.Array) error {
	found, err := a.decode(ctx, p, dst)
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

// decode is readPart for a stored chunk. It returns false if the chunk is not stored.
func (a *array) decode(ctx context.Context, p *part, dst ndarray.Array) (bool, error) {
	index := p.index
	key, s := a.key(index), a.source
	chain, err := a.chainOf(index)
	if err != nil {
		return false, err
	}
	if p.inParts {
		return a.decodeInParts(ctx, chain, p, dst)
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
		most := min(int64(a.mostStored(chain)), int64(tally.Room()))
		var version string
		var err error
		data, version, err = a.readObject(ctx, index, key, most, room)
		if errors.Is(err, store.ErrTooLarge) && most < int64(a.mostStored(chain)) {
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
	if errors.Is(err, store.ErrTooLarge) && chain.HasSpace() {
		return a.decodeInParts(ctx, chain, p, dst)
	}
	if err == nil && !found {
		err = a.checkMissing(index)
	}
	if err != nil || !found {
		return false, err
	}
	if a.n5 != nil {
		if data, err = a.block(data); err != nil {
			return false, err
		}
	}
	return true, chain.DecodeRegion(ctx, a.pool, dst, p.start, codecs.InMemory(data))
}

// decodeInParts is decode without the rest of the chunk.
func (a *array) decodeInParts(ctx context.Context, chain *codecs.Chain, p *part, dst ndarray.Array) (bool, error) {
	index, key, s := p.index, a.key(p.index), a.source
	object, err := s.opened.get(ctx, chain, key, func(version string) error { return a.checkVersion(index, version) })
	if err == nil && object == nil {
		err = a.checkMissing(index)
	}
	if err != nil || object == nil {
		return false, err
	}
	if p.ofAll {
		if err := s.store.Check(ctx, key); err != nil {
			return false, err
		}
	}
	return true, object.DecodeRegion(ctx, a.pool, dst, p.start)
}

// readObject reads the object of a chunk, as [store.Store.ReadInto] does.
func (a *array) readObject(ctx context.Context, index []int, key string, most int64, room func(int) []byte) ([]byte, string, error) {
	if t := a.source.together; t != nil {
		of := chunksOf{a.path, a.grid.Len(), func(number int) string { return a.key(a.grid.Index(number)) }}
		if data, ok := t.read(ctx, of, a.grid.Number(index), most, room); ok {
			return data, "", nil
		}
	}
	return a.source.store.ReadInto(ctx, key, most, room)
}
