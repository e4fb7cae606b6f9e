package netcdf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
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
	o, err := t.hdf5.Object(ctx, v.address)
	if err != nil {
		return nil, err
	}
	d, err := o.Dataset(ctx)
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
	a, err := t.place(info, d, fill)
	if chunked, ok := a.(*treeArray); ok && t.kept != nil && t.kept(v.path) {
		return chunked.withObjects(ctx, t.file, t.chains)
	}
	return a, err
}

// isChar reports whether the elements of a dataset have the form of NetCDF's char.
func isChar(d *hdf5.Dataset) bool {
	return d.Native.Element.Class == hdf5type.String && d.Native.Element.Size == 1
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
		o, err := t.hdf5.Object(ctx, v.address)
		var dataset *hdf5.Dataset
		if err == nil {
			dataset, err = o.Dataset(ctx)
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

// elementBehind returns the element that readers see after the end of a dataset, in the
// type of its variable.
func elementBehind(ctx context.Context, d *hdf5.Dataset, t dtype.Type) (ndarray.Array, error) {
	fill, err := d.FillValue(ctx)
	if value := defaultFill(t); !d.FillDefined && !isChar(d) && value != nil && err == nil {
		fill = ndarray.New(t, d.Native.Shape)
		ndarray.Fill(fill, value)
	}
	fill.Type = t
	return fill, err
}

// defaultFill returns the value that NetCDF reads after the end of a variable that is
// shorter than its dimension and has no fill value. It is nil for types without such a
// value.
func defaultFill(t dtype.Type) dtype.Scalar {
	external, err := netcdftype.To(t)
	if err != nil {
		return nil
	}
	text, ok := map[netcdftype.Type]string{
		netcdftype.Byte: "-127", netcdftype.Short: "-32767", netcdftype.Int: "-2147483647", netcdftype.Int64: "-9223372036854775806",
		netcdftype.UByte: "255", netcdftype.UShort: "65535", netcdftype.UInt: "4294967295", netcdftype.UInt64: "18446744073709551614",
		netcdftype.Float: "9.969209968386869e36", netcdftype.Double: "9.969209968386869e36",
	}[external]
	if !ok {
		return nil
	}
	value, err := t.ParseScalar(dtype.V3, json.RawMessage(text))
	if err != nil {
		panic(err) // the text is a constant
	}
	return value
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
func (t *tree) place(info *sources.Info, d *hdf5.Dataset, fill ndarray.Array) (sources.Array, error) {
	f := t.file
	describeCodecs(info, d)
	offset, ok := d.Contiguous()
	if ok && d.Plain() && slices.Equal(info.Shape, slices.Concat(d.Shape, d.Native.Shape)) {
		order := d.Native.Order
		if order == dtype.NoOrder {
			order = dtype.Native
		}
		return sources.NewStrided(info, sources.Place{
			Files: f.Store, Key: f.Key, URL: f.URL, Size: f.Size, Order: order,
			Offset: offset, Strides: ndarray.CStrides(d.Native.Element.Size, info.Shape), Scratch: t.scratch,
		})
	}
	if d.ChunkShape != nil {
		info.Chunks = slices.Concat(d.ChunkShape, d.Native.Shape)
	}
	info.LongRun = longRun * f.Store.GapBytes()
	info.Memory = d.Memory()
	return &treeArray{info: info, dataset: d, fill: fill, url: f.URL}, nil
}

// treeArray implements [sources.Array] for a dataset of HDF5.
type treeArray struct {
	info    *sources.Info
	dataset *hdf5.Dataset
	fill    ndarray.Array // one element, as readers see it after the end of the dataset
	url     string
}

func (a *treeArray) Info() *sources.Info { return a.info }

// ReadRegion implements [sources.Array].
func (a *treeArray) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(a.info, dst, start); err != nil {
		return err
	}
	if slices.Contains(dst.Shape, 0) {
		return nil
	}
	inside := ndarray.Region{Start: make([]int, len(start)), Shape: slices.Clone(dst.Shape)}
	for k, extent := range a.dataset.Shape {
		inside.Shape[k] = max(min(dst.Shape[k], extent-start[k]), 0)
	}
	if !slices.Equal(inside.Shape, dst.Shape) {
		// The dataset ends before the dimension does.
		same := a.fill
		same.Shape = dst.Shape
		same.Strides = slices.Concat(make([]int, len(a.dataset.Shape)), a.fill.Strides)
		within := ndarray.Region{Start: slices.Clone(start), Shape: dst.Shape}
		clear(within.Start[:len(a.dataset.Shape)])
		ndarray.Copy(dst, same.Sub(within))
	}
	if err := a.dataset.ReadRegion(ctx, dst.Sub(inside), start); err != nil {
		return fmt.Errorf("%s: array %q, region at %v of shape %v: %w", a.url, a.info.Path, start, dst.Shape, err)
	}
	return nil
}
