package netcdf

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

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
		ndarray.Copy(dst, hdf5.Repeated(a.fill, dst.Shape, start))
	}
	if err := a.dataset.ReadRegion(ctx, dst.Sub(inside), start); err != nil {
		return fmt.Errorf("%s: array %q, region at %v of shape %v: %w", a.url, a.info.Path, start, dst.Shape, err)
	}
	return nil
}

// isChar reports whether the elements of a dataset have the form of NetCDF's char.
func isChar(d *hdf5.Dataset) bool {
	return d.Native.Element.Class == hdf5type.String && d.Native.Element.Size == 1
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

// ShareInfo implements [sources.Shared].
func (a *treeArray) ShareInfo(s *sources.Infos) { a.info = s.Share(a.info) }
