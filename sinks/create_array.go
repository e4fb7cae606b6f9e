package sinks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// ArraySpec describes a new array. Type and Shape are required.
type ArraySpec struct {
	Type  dtype.Type
	Shape []int // elements along each dimension; an extent of 0 may grow, see Array.Append
	// Chunks is the shape of a chunk, or of an inner chunk if Shards is set. nil: chunks of
	// 1 to 8 MiB.
	Chunks []int
	// Shards is the shape of a shard, a stored object that holds many inner chunks. Its
	// extents are multiples of those of Chunks. nil: each chunk is an object of its own.
	Shards []int
	// Codecs is the codec chain of a chunk, or of an inner chunk, such as
	// codecs.Specs("bytes", "zstd:level=5"). nil: the array → bytes
	// codec that Type needs, and zstd at level 3.
	Codecs []codecs.Spec
	// FillValue is the value of elements that were never written, as Zarr v3 spells it in
	// JSON, such as -9999 or "NaN" in quotes. nil: the default of Type, which is zero.
	FillValue json.RawMessage
	// DimensionNames has a name for each dimension, "" for one without. nil: none has a
	// name.
	DimensionNames []string
	Attributes     zarr.Attributes
}

// CreateArray adds an array at a path below the root, such as "ocean/temperature". The
// path "" makes the whole hierarchy one array. Everything that can be refused without
// data is refused here. Nothing is written.
func (w *Writer) CreateArray(ctx context.Context, path string, spec ArraySpec) (*Array, error) {
	if err := w.usable(); err != nil {
		return nil, err
	}
	a := &Array{writer: w, path: path, objects: map[string]*object{}}
	if err := a.bind(spec); err != nil {
		return nil, fmt.Errorf("array %q: %w", path, err)
	}
	if err := w.vacant(ctx, path, "array"); err != nil {
		return nil, err
	}
	if err := w.add(a); err != nil {
		return nil, err
	}
	a.chunks = w.hierarchy.Array(path, Placement{})
	return a, nil
}

// bind decides everything about an array.
func (a *Array) bind(spec ArraySpec) error {
	if spec.Type == nil {
		return errors.New("the field Type is required, such as dtype.Float32")
	}
	if _, err := spec.Type.V3(); err != nil {
		return err
	}
	if _, ok := ndarray.Elements(spec.Shape); !ok {
		return fmt.Errorf("an array of shape %v: want extents of at least 0, and fewer elements", spec.Shape)
	}
	if n := len(spec.DimensionNames); n > 0 && n != len(spec.Shape) {
		return fmt.Errorf("there are %d dimension names, the array has %d dimensions", n, len(spec.Shape))
	}
	if err := checkAttributes(spec.Attributes); err != nil {
		return err
	}
	fill := spec.Type.Default()
	if spec.FillValue != nil {
		var err error
		if fill, err = dtype.ParseFill(spec.Type, dtype.V3, spec.FillValue); err != nil {
			return fmt.Errorf("fill value: %w", err)
		}
	}
	inner := spec.Chunks
	if inner == nil {
		if spec.Shards != nil && len(spec.Shards) != len(spec.Shape) || slices.ContainsFunc(spec.Shards, func(n int) bool { return n < 1 }) {
			return fmt.Errorf("shards %v: want %d extents of at least 1", spec.Shards, len(spec.Shape))
		}
		inner = zarr.AutoChunks(spec.Shape, spec.Shards, zarr.ItemBytes(spec.Type, 0))
	}
	a.shape, a.extent = slices.Clone(spec.Shape), slices.Clone(inner)
	if spec.Shards != nil {
		a.extent = slices.Clone(spec.Shards)
	}
	if err := a.grid().Check(); err != nil {
		return err
	}
	a.meta = zarr.Array{
		Type: spec.Type, Fill: fill,
		DimensionNames: slices.Clone(spec.DimensionNames), Attributes: slices.Clone(spec.Attributes),
	}
	specs := spec.Codecs
	if specs == nil {
		specs = standard.DefaultChain(spec.Type)
	}
	var err error
	if a.chain, err = a.writer.options.Codecs.Bind(specs, codecs.Chunk{Type: spec.Type, Shape: slices.Clone(inner), Fill: fill}); err != nil {
		return fmt.Errorf("codecs: %w", err)
	}
	if spec.Shards != nil {
		sharding, err := standard.Sharding(a.chain)
		if err != nil {
			return fmt.Errorf("shards: %w", err)
		}
		if a.chain, err = a.writer.options.Codecs.Bind([]codecs.Spec{sharding}, codecs.Chunk{Type: spec.Type, Shape: a.extent, Fill: fill}); err != nil {
			return fmt.Errorf("shards: %w", err)
		}
	}
	a.lookInside()
	return nil
}
