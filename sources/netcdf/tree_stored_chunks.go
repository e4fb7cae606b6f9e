package netcdf

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
	"github.com/zmigrate/zmigrate/zarr"
)

// describeCodecs sets the chain that stores the elements of a dataset, if its filters
// are codecs. If elements in the file have another form than in Zarr, there is a chain,
// too, but it does not make the same bytes.
func describeCodecs(info *sources.Info, d *hdf5.Dataset) {
	plain := d.Plain()
	list := []codecs.Spec{serializer(info.Type, d.Native.Order)}
	compressor := "" // the last one
	for _, f := range d.Filters {
		if f.ID == hdf5.FilterShuffle && !plain {
			continue // made for elements of another form
		}
		spec, ok := codecOf(f)
		if !ok {
			info.Obstacle = fmt.Sprintf("no codec of Zarr undoes %v", f)
			return
		}
		switch f.ID {
		case hdf5.FilterFletcher32:
		case hdf5.FilterShuffle:
			if compressor != "" && f.Parameters[0] > 1 {
				info.Obstacle = fmt.Sprintf("no codec of Zarr undoes %v behind %s, whose bytes need be no multiple of %d", f, compressor, f.Parameters[0])
				return
			}
		default:
			compressor = f.String()
		}
		list = append(list, spec)
	}
	info.Codecs = list
	switch {
	case d.ChunkShape == nil:
		info.Obstacle = "the dataset is not stored in chunks"
	case !plain:
		info.Obstacle = "the elements are not stored in the form in which Zarr stores " + info.Type.Name()
	}
}

// storedDataset is a treeArray that implements [sources.Stored].
type storedDataset struct {
	*treeArray
	file  *sources.OpenFile
	chain *codecs.Chain
}

// withObjects returns an array that offers the chunks of its dataset as objects, if the
// chain of Info's Codecs makes all of these chunks.
func (a *treeArray) withObjects(ctx context.Context, file *sources.OpenFile, known *codecs.Chains) (sources.Array, error) {
	if a.info.Obstacle != "" || a.info.Codecs == nil {
		return a, nil
	}
	fill := a.info.Fill
	if fill == nil {
		fill = a.info.Type.Default()
	}
	chain, err := known.Bind(a.info.Codecs, codecs.Chunk{Type: a.info.Type, Shape: a.info.Chunks, Fill: fill})
	if err != nil {
		a.info.Obstacle = fmt.Sprintf("its filters cannot be bound as codecs: %v", err)
		return a, nil
	}
	a.info.Codecs = chain.Specs()
	a.info.Obstacle, err = a.obstacle(ctx, chain)
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", a.url, a.info.Path, err)
	}
	if a.info.Obstacle != "" {
		return a, nil
	}
	return &storedDataset{a, file, chain}, nil
}

// obstacle names a chunk that the chain does not make, and says why. It is "" if the
// chain makes all chunks.
func (a *treeArray) obstacle(ctx context.Context, chain *codecs.Chain) (string, error) {
	d := a.dataset
	for k, extent := range d.Shape {
		if extent != a.info.Shape[k] {
			return "the dataset ends before its dimension does", nil
		}
	}
	n, chunks, err := d.StoredChunks(ctx)
	if err != nil {
		return "", err
	}
	all := 1
	for k, extent := range d.Shape {
		all *= (extent + d.ChunkShape[k] - 1) / d.ChunkShape[k]
	}
	if n < all {
		if other, err := a.fillsWithout(ctx, chain.Chunk().Fill); err != nil || other {
			return "chunks that were never written have another fill value than the array", err
		}
	}
	most := chain.Size().Max
	for c := range chunks {
		switch {
		case c.Skipped != 0:
			return fmt.Sprintf("the chunk at element %v did not go through %v", c.Start, d.Filters[bits.TrailingZeros32(c.Skipped)]), nil
		case c.Size > most:
			return fmt.Sprintf("the chunk at element %v has %d bytes, but the codecs make at most %d", c.Start, c.Size, most), nil
		}
	}
	return "", nil
}

// fillsWithout reports whether elements that were never written have a value other than
// value.
func (a *treeArray) fillsWithout(ctx context.Context, value dtype.Scalar) (bool, error) {
	fill, err := a.dataset.FillValue(ctx)
	if err != nil {
		return false, err
	}
	for item := range fill.Items() {
		if !bytes.Equal(item, value) {
			return true, nil
		}
	}
	return false, nil
}

// OpenStored implements [sources.Stored].
func (s *storedDataset) OpenStored(ctx context.Context, index []int) (codecs.Input, error) {
	c, ok, err := s.dataset.StoredChunk(ctx, index[:len(s.dataset.Shape)])
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: chunk %v: %w", s.url, s.info.Path, index, err)
	}
	if !ok {
		return nil, nil
	}
	return storedChunk{s.file, c}, nil
}

// VerifyStored implements [sources.Stored].
func (s *storedDataset) VerifyStored(ctx context.Context, index []int, in codecs.Input) error {
	err := s.chain.Verify(ctx, in)
	if err == nil {
		return nil
	}
	if s.decodes(ctx, index) { // nothing is damaged
		err = fmt.Errorf("%v; HDF5 programs read this chunk, but programs that read Zarr may not: with run.path: decode, all chunks are encoded anew", err) //nolint:errorlint // see above
	}
	return fmt.Errorf("%s: array %q: chunk %v: %w", s.url, s.info.Path, index, err)
}

// mostTried is the most bytes of the elements of a chunk that decodes reads.
const mostTried = 64 << 20

// decodes reports whether a chunk can be read as HDF5 reads it.
func (s *storedDataset) decodes(ctx context.Context, index []int) bool {
	box := zarr.Grid{Shape: s.info.Shape, Chunk: s.info.Chunks}.Region(index)
	if n, ok := ndarray.Bytes(s.info.Type, box.Shape); !ok || n > mostTried {
		return false
	}
	return s.ReadRegion(ctx, ndarray.New(s.info.Type, box.Shape), box.Start) == nil
}

// storedChunk is a chunk of a file as a [codecs.Input].
type storedChunk struct {
	file *sources.OpenFile
	hdf5.StoredChunk
}

func (c storedChunk) Size() int64 { return int64(c.StoredChunk.Size) }

func (c storedChunk) ReadAt(ctx context.Context, p []byte, off int64) error {
	return c.file.Store.ReadRange(ctx, c.file.Key, p, c.Offset+off)
}

// Locate implements [sources.Located].
func (c storedChunk) Locate() (url string, offset int64) { return c.file.URL, c.Offset }

// StoredRegions implements [sources.Sparse].
func (a *treeArray) StoredRegions(ctx context.Context, f func(ndarray.Region)) (dtype.Scalar, error) {
	d := a.dataset
	rank := len(d.Shape)
	if a.info.Type.Size() == 0 || d.ChunkShape == nil && d.Allocated() || !slices.Equal(a.info.Shape[:min(rank, len(a.info.Shape))], d.Shape) {
		return nil, nil // everything is stored, or elements behind the end of the dataset have another value
	}
	fill, err := d.FillValue(ctx)
	if err != nil {
		return nil, err
	}
	var rest dtype.Scalar
	for item := range fill.Items() {
		rest = slices.Clone(dtype.Scalar(item))
		break
	}
	if other, err := a.fillsWithout(ctx, rest); err != nil || other || rest == nil {
		return nil, err
	}
	if d.ChunkShape == nil {
		return rest, nil
	}
	_, chunks, err := d.StoredChunks(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", a.url, a.info.Path, err)
	}
	for c := range chunks {
		region := ndarray.Region{Start: slices.Concat(c.Start, make([]int, len(d.Native.Shape))), Shape: slices.Concat(d.ChunkShape, d.Native.Shape)}
		for k, extent := range d.Shape {
			region.Shape[k] = min(region.Shape[k], extent-region.Start[k])
		}
		f(region)
	}
	return rest, nil
}
