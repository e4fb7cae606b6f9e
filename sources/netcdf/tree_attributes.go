package netcdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// readAttributes returns the attributes of an object except bookkeeping. Findings
// report attributes that have no counterpart and are left out.
func (t *tree) readAttributes(ctx context.Context, all []hdf5.Attribute) (list []attribute, findings []cf.Finding, err error) {
	for i := range all {
		if isHidden(all[i].Name) {
			continue
		}
		a, err := t.readAttribute(ctx, &all[i])
		if errors.Is(err, errors.ErrUnsupported) {
			why := strings.TrimSuffix(err.Error(), ": "+errors.ErrUnsupported.Error())
			findings = append(findings, cf.Finding{Code: sources.LeftOut, Message: fmt.Sprintf("the attribute %s is left out: %s", all[i].Name, why)})
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		list = append(list, *a)
	}
	return list, findings, nil
}

// readAttribute returns an attribute in the terms of NetCDF. A single text of fixed
// length becomes characters, other texts become strings, and enumerations become
// integers. Compounds become objects of JSON, and sequences become lists. Values of several dimensions follow each other in C order.
//
// A single text of NetCDF may have zero bytes, which libnetcdf drops. A single text of HDF5 that zero
// bytes or spaces fill up keeps those in front of other bytes, as in h5py. Other texts end at the
// first zero byte, as in libnetcdf.
func (t *tree) readAttribute(ctx context.Context, h *hdf5.Attribute) (*attribute, error) {
	if h.Datatype.Class == hdf5type.Reference && t.source.skipReferences {
		return nil, fmt.Errorf("it is a reference, and source.references is skip: %w", errors.ErrUnsupported)
	}
	if h.Datatype.Nested() {
		object, err := h.JSON(ctx)
		return &attribute{name: h.Name, kind: objectKind, values: object}, err
	}
	values, native, err := h.Values(ctx)
	if err != nil {
		return nil, err
	}
	if values.Len() == 0 {
		values.Shape = []int{0} // the other lengths of an empty shape may be too large
	}
	a := &attribute{name: h.Name}
	if len(values.Shape) > 1 {
		a.shape = values.Shape
	}
	switch d := native.Element; {
	case d.Class == hdf5type.String || d.Class == hdf5type.Reference || d.Class == hdf5type.VariableLength && d.Text:
		a.kind = netcdftype.String
		single := values.Len() == 1 && len(h.Shape) == 0 && d.Class == hdf5type.String
		for item := range values.Items() {
			text, _, _ := bytes.Cut(item, []byte{0})
			if single {
				text = bytes.TrimRight(item, "\x00")
			}
			a.values = append(append(a.values, text...), 0)
		}
		if h.Null || single {
			a.kind, a.values, a.zeros = netcdftype.Char, a.values[:max(len(a.values)-1, 0)], !t.netCDF
			if t.netCDF {
				a.values = h.Raw()
			}
		}
		return a, nil
	case native.Type == dtype.BoolType:
		values.Type = dtype.Int8
	case native.Type == dtype.Float16:
		values = widened(values)
	}
	if a.kind, err = netcdftype.To(values.Type); err != nil {
		return nil, err
	}
	a.values = values.Data
	if swap := dtype.Swapper(values.Type, dtype.Big); swap != nil {
		swap.SwapInto(a.values, a.values)
	}
	return a, nil
}

// widened returns the values of an array of float16 as float32.
func widened(a ndarray.Array) ndarray.Array {
	wide := ndarray.New(dtype.Float32, a.Shape)
	if to, ok := ndarray.As[float32](wide); ok {
		dtype.Float16Layout.ToFloat32(to, a.Data)
	}
	return wide
}

// int32 returns value i of an attribute of kind Int.
func (a *attribute) int32(i int) int32 { return int32(binary.BigEndian.Uint32(a.values[4*i:])) }
