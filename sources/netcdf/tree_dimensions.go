package netcdf

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// describeScale reads the parts of a dataset that concern dimensions.
func (t *tree) describeScale(ctx context.Context, g *group, v *treeVariable, all []hdf5.Attribute) error {
	d := &treeDimension{name: v.name, id: -1}
	isScale := false
	for i := range all {
		h := &all[i]
		if !isHidden(h.Name) {
			continue
		}
		if h.Name == attrLists {
			var err error
			if v.lists, err = h.References(ctx); err != nil {
				return err
			}
			continue
		}
		a, err := t.readAttribute(ctx, h)
		if errors.Is(err, errors.ErrUnsupported) {
			continue // such as REFERENCE_LIST, a list of references
		}
		if err != nil {
			return err
		}
		switch h.Name {
		case attrClass:
			isScale = a.text() == classScale
		case attrName:
			d.alone = strings.HasPrefix(a.text(), onlyScale)
			t.netCDF = t.netCDF || d.alone
		case attrID:
			t.netCDF = true
			if ids := a.integers(); len(ids) > 0 {
				d.id = ids[0]
			}
		case attrCoordinates:
			t.netCDF = true
			v.ids = a.integers()
		}
	}
	if !isScale {
		return nil
	}
	if known := t.scales[v.at]; known != nil { // reached by another link before
		v.scale = known
		return nil
	}
	v.scale = d
	if len(v.shape) > 0 {
		d.length, d.unlimited = v.shape[0], v.limits[0] == hdf5.Unlimited
	}
	g.dims = append(g.dims, d)
	t.scales[v.at] = d
	return nil
}

// integers returns the values of an attribute of 32-bit integers, as NetCDF
// writes the numbers of dimensions.
func (a *attribute) integers() []int {
	if a.kind != netcdftype.Int {
		return nil
	}
	list := make([]int, a.len())
	for i := range list {
		list[i] = int(a.int32(i))
	}
	return list
}

// nameDimensions finds the dimensions of all variables at and below a group, as netCDF
// does. For variables without dimension scales it makes dimensions up, and numbers them
// by counting all dimensions of the file.
func (t *tree) nameDimensions(root *group) {
	next := 0
	byID := map[int]*treeDimension{}
	for _, g := range t.nodes {
		for _, d := range g.dims {
			if d.id >= 0 {
				byID[d.id] = d
			}
			next = max(next+1, d.id+1)
		}
	}
	t.nameGroup(root, byID, &next)
	t.lengthen()
}

func (t *tree) nameGroup(g *group, byID map[int]*treeDimension, next *int) {
	for _, child := range g.groups {
		t.nameGroup(child, byID, next)
	}
	for _, v := range g.vars {
		v.dims = make([]*treeDimension, len(v.shape))
		for k := range v.dims {
			switch {
			case k < len(v.ids):
				v.dims[k] = byID[v.ids[k]]
			case v.scale != nil && k == 0:
				v.dims[k] = v.scale
			case k < len(v.lists):
				// libnetcdf takes the last of several.
				for _, address := range slices.Backward(v.lists[k]) {
					if v.dims[k] = t.scales[hdf5.Place{File: v.at.File, Address: address}]; v.dims[k] != nil {
						break
					}
				}
			}
			if d := v.dims[k]; d == nil || d.length != v.shape[k] && !d.unlimited {
				v.dims[k] = g.madeUp(v.dims[:k], v.shape[k], v.limits[k] == hdf5.Unlimited, next)
				if d == nil && k < len(v.lists) && len(v.lists[k]) > 0 {
					v.findings = append(v.findings, cf.Finding{
						Code:    sources.Faulty,
						Message: fmt.Sprintf("dimension %d gets the name %s, because its scale cannot be read", k, v.dims[k].name),
						Hint:    "give it another name by dimension_names",
					})
				}
			}
		}
	}
}

// madeUp returns a made-up dimension of a group with the given length that the variable
// does not use yet. It adds a new one if there is none. libnetcdf takes each dimension of length 0
// for an unlimited one, so that a limited one of this length never fits.
func (g *group) madeUp(used []*treeDimension, length int, unlimited bool, next *int) *treeDimension {
	for _, d := range g.dims {
		if d.length == length && (d.unlimited || length == 0) == unlimited && !slices.Contains(used, d) {
			d.unlimited = unlimited
			return d
		}
	}
	d := &treeDimension{name: fmt.Sprintf("phony_dim_%d", *next), length: length, unlimited: unlimited, alone: true, id: -1}
	*next++
	g.dims = append(g.dims, d)
	return d
}

// lengthen gives each unlimited dimension the length of its longest variable. Shorter
// variables end earlier in the file, and go on with fill values; sequences go on with empty
// ones.
func (t *tree) lengthen() {
	longest := func(v *treeVariable) {
		for k, d := range v.dims {
			if d.unlimited {
				d.length = max(d.length, v.shape[k])
			}
		}
	}
	for _, v := range t.vars {
		longest(v)
	}
	for _, g := range t.nodes {
		if g.made != nil {
			longest(g.made)
		}
	}
	for _, g := range t.nodes {
		if a := find(g.attributes, sources.SequenceShape); g.made != nil && a != nil {
			if _, shape := g.made.names(); len(shape) > 0 {
				a.values = sources.ShapeText(shape)
			}
		}
	}
}
