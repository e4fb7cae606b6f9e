package netcdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// longRun bounds the length of a read of chunks: a read of longRun times the bytes that
// cost as much as one more request. Beyond it, requests no longer matter.
const longRun = 32

// open implements contents.
func (t *tree) open(ctx context.Context, path string) (sources.Array, error) {
	a, err := t.openVariable(ctx, t.byPath[path])
	if err != nil {
		return nil, fmt.Errorf("%s: variable %q: %w", t.file.URL, path, err)
	}
	return a, nil
}

func (t *tree) openVariable(ctx context.Context, v *treeVariable) (sources.Array, error) {
	if v.err != nil {
		return nil, v.err
	}
	o, err := v.at.Object(ctx)
	if err != nil {
		return nil, err
	}
	if v.sequences != nil {
		return t.openSequences(ctx, v, o)
	}
	d, err := fieldOf(ctx, o, v.member)
	if err == nil && d.Native.Element.Class == hdf5type.Reference {
		err = checkReferences(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	info := &sources.Info{
		Path: v.path, Type: d.Native.Type, Attributes: attributesJSON(v.attributes),
		Notes: slices.Clone(d.Native.Notes), Remote: !t.file.Store.Local(),
		Findings: slices.Concat(v.findings, textFindings(v.attributes)),
	}
	info.DimensionNames, info.Shape = v.names()
	info.Shape = append(info.Shape, d.Native.Shape...)
	for _, dim := range v.dims {
		if dim.unlimited {
			info.Unlimited = append(info.Unlimited, dim.name)
		}
	}
	if d.Null {
		info.Shape = []int{0}
		note(info, "the dataset has no elements and no shape (a null dataspace): it becomes an array of no elements")
	}
	if info.DimensionNames != nil {
		info.DimensionNames = append(info.DimensionNames, make([]string, len(d.Native.Shape))...)
	}
	for _, label := range d.Native.Enum {
		if info.Labels == nil {
			info.Labels = map[string]string{}
		}
		info.Labels[string(info.Type.FormatScalar(dtype.V3, label.Value))] = label.Name
	}
	char := t.netCDF && isChar(d)
	if char {
		info.Type, info.Notes = dtype.Uint8, nil
		info.Characters = sources.SingleCharacters
		if n := len(v.dims); n > 0 {
			texts, err := t.ofTexts(ctx, v.dims[n-1])
			if err != nil {
				return nil, err
			}
			if texts {
				info.Characters = sources.LastDimension
			}
		}
	}
	if missing := d.Missing(); missing != "" {
		info.Findings = append(info.Findings, cf.Finding{
			Code:    sources.MissingSources,
			Message: "sources of the virtual dataset are not there, so their elements have the fill value: " + missing,
			Hint:    "if that is wrong, put these files beside the file",
		})
	}
	if _, ok := ndarray.Bytes(info.Type, info.Shape); !ok {
		return nil, fmt.Errorf("shape %v is too large for any file", info.Shape)
	}
	fill, err := elementBehind(ctx, d, info.Type)
	if err != nil {
		return nil, err
	}
	setFill(info, v.attributes, char)
	if info.Fill == nil && d.FillDefined {
		setStoredFill(info, fill)
	}
	a, err := t.place(info, d, fill, t.fileOf(v))
	if chunked, ok := a.(*treeArray); ok && t.kept != nil && t.kept(v.path) {
		return chunked.withObjects(ctx, t.fileOf(v), t.chains)
	}
	return a, err
}

// fieldOf opens a dataset, or a member of its elements.
func fieldOf(ctx context.Context, o *hdf5.Object, member []string) (*hdf5.Dataset, error) {
	if member != nil {
		return o.Field(ctx, member)
	}
	return o.Dataset(ctx)
}

// mostReferences bounds the references of a dataset.
const mostReferences = 1 << 20

// checkReferences resolves all references of a dataset, so that one that leads nowhere is an
// error before anything is written.
func checkReferences(ctx context.Context, d *hdf5.Dataset) error {
	shape := slices.Concat(d.Shape, d.Native.Shape)
	if n, ok := ndarray.Elements(shape); !ok || n > mostReferences {
		return fmt.Errorf("more than %d references: %w", mostReferences, errors.ErrUnsupported)
	}
	all := ndarray.New(d.Native.Type, shape)
	all.Heap.Discard()
	return d.ReadRegion(ctx, all, make([]int, len(shape)))
}

// ofTexts reports whether the characters along a dimension are those of texts: whether all
// variables that have the dimension are characters, and have it last. xarray uses the same
// rule.
func (t *tree) ofTexts(ctx context.Context, d *treeDimension) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known {
		return d.texts, nil
	}
	texts := d.alone && !d.unlimited
	for _, v := range t.vars {
		at := slices.Index(v.dims, d)
		if !texts || at < 0 {
			continue
		}
		o, err := v.at.Object(ctx)
		var dataset *hdf5.Dataset
		if err == nil {
			dataset, err = fieldOf(ctx, o, v.member)
		}
		switch {
		case sources.Unsupported(err) || errors.Is(err, hdf5.ErrCorrupt):
			texts = false
		case err != nil:
			return false, err
		default:
			texts = at == len(v.dims)-1 && isChar(dataset)
		}
	}
	d.known, d.texts = true, texts
	return texts, nil
}

// setStoredFill sets the fill value of a variable to that of the dataset.
func setStoredFill(info *sources.Info, fill ndarray.Array) {
	for item := range fill.Items() {
		if info.Fill != nil && !bytes.Equal(info.Fill, item) {
			info.Fill, info.FillFrom = nil, ""
			note(info, "the fill value of the HDF5 dataset is an array of different elements and is not used as fill value")
			return
		}
		info.Fill, info.FillFrom = slices.Clone(dtype.Scalar(item)), "HDF5 dataset"
	}
}

// place returns the array that reads a dataset.
func (t *tree) place(info *sources.Info, d *hdf5.Dataset, fill ndarray.Array, f *sources.OpenFile) (sources.Array, error) {
	describeCodecs(info, d)
	offset, ok := d.Contiguous()
	if ok && d.Plain() && slices.Equal(info.Shape, slices.Concat(d.Shape, d.Native.Shape)) {
		order := d.Native.Order
		if order == dtype.NoOrder {
			order = dtype.Native
		}
		place := sources.Place{
			Files: f.Store, Key: f.Key, URL: f.URL, Size: f.Size, Order: order,
			Offset: offset, Strides: ndarray.CStrides(d.Native.Element.Size, info.Shape), Scratch: t.scratch,
		}
		if t.pieces != nil {
			info.Obstacle = ""
			return t.pieces.Cut(info, place)
		}
		return sources.NewStrided(info, place)
	}
	if d.ChunkShape != nil {
		info.Chunks = slices.Concat(d.ChunkShape, d.Native.Shape)
	}
	info.LongRun = longRun * f.Store.GapBytes()
	info.Memory = d.Memory()
	return &treeArray{info: info, dataset: d, fill: fill, url: f.URL}, nil
}
