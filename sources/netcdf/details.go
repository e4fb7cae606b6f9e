package netcdf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// details implements contents.
func (c *classicFile) details(_ context.Context, path string) ([]sources.Detail, error) {
	if v := c.header.byName[path]; v != nil {
		return []sources.Detail{{Name: "stored type", Text: v.kind.String()}}, nil
	}
	dims := make([]string, len(c.header.dims))
	for i, d := range c.header.dims {
		dims[i] = dimensionText(d.name, d.length, d.record)
	}
	return []sources.Detail{
		{Name: "format", Text: fmt.Sprintf("NetCDF classic, CDF-%d", c.header.version)},
		{Name: "dimensions", Text: strings.Join(dims, ", ")},
	}, nil
}

func dimensionText(name string, length int, unlimited bool) string {
	text := fmt.Sprintf("%s = %d", name, length)
	if unlimited {
		text += " (unlimited)"
	}
	return text
}

// details implements contents.
func (t *tree) details(ctx context.Context, path string) ([]sources.Detail, error) {
	if v := t.byPath[path]; v != nil {
		return t.variableDetails(ctx, v)
	}
	at := slices.IndexFunc(t.nodes, func(g *group) bool { return g.path == path })
	if at < 0 {
		return nil, nil
	}
	var list []sources.Detail
	if path == "" {
		list = append(list, sources.Detail{Name: "format", Text: fmt.Sprintf("HDF5, superblock of version %d", t.hdf5.Version())})
	}
	var dims []string
	inOrder := slices.SortedStableFunc(slices.Values(t.nodes[at].dims), func(a, b *treeDimension) int {
		return cmp.Compare(uint(a.id), uint(b.id)) // those without a number last
	})
	for _, d := range inOrder {
		dims = append(dims, dimensionText(d.name, d.length, d.unlimited))
	}
	if dims != nil {
		list = append(list, sources.Detail{Name: "dimensions", Text: strings.Join(dims, ", ")})
	}
	types, err := t.typeDetails(ctx, t.nodes[at])
	return append(list, types...), err
}

// typeDetails lists the committed datatypes of a group, the types of users in
// NetCDF-4.
func (t *tree) typeDetails(ctx context.Context, g *group) (list []sources.Detail, err error) {
	o, err := t.hdf5.Object(ctx, g.address)
	if err != nil {
		return nil, err
	}
	links, err := o.Links(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		if l.Kind != hdf5.HardLink {
			continue
		}
		o, err := t.hdf5.Object(ctx, l.Address)
		if err != nil || o.Kind() != hdf5.DatatypeObject {
			continue // what cannot be read is listed among the variables
		}
		d, err := o.Datatype(ctx)
		if err != nil {
			return nil, fmt.Errorf("datatype %q: %w", l.Name, err)
		}
		list = append(list, sources.Detail{Name: "type " + l.Name, Text: d.String()})
	}
	return list, nil
}

// variableDetails describes a dataset: what the library calls its creation
// properties. Of one that cannot be read it tells the type, if that is known.
func (t *tree) variableDetails(ctx context.Context, v *treeVariable) ([]sources.Detail, error) {
	if v.err != nil {
		return nil, nil
	}
	o, err := t.hdf5.Object(ctx, v.address)
	if err != nil {
		return nil, err
	}
	stored, err := o.Datatype(ctx)
	if err != nil {
		return nil, err
	}
	list := []sources.Detail{{Name: "stored type", Text: stored.String()}}
	d, err := o.Dataset(ctx)
	if err != nil {
		return list, nil // which says why the array cannot be opened
	}
	list = append(list, sources.Detail{Name: "layout", Text: d.Layout()})
	if !slices.Equal(d.Shape, d.MaxShape) {
		most := make([]string, len(d.MaxShape))
		for k, n := range d.MaxShape {
			if most[k] = fmt.Sprint(n); n == hdf5.Unlimited {
				most[k] = "unlimited"
			}
		}
		list = append(list, sources.Detail{Name: "can grow to", Text: strings.Join(most, " × ")})
	}
	if d.Filters != nil {
		filters := make([]string, len(d.Filters))
		for i, f := range d.Filters {
			filters[i] = f.String()
			if f.Parameters != nil {
				filters[i] += fmt.Sprint(" ", f.Parameters)
			}
		}
		list = append(list, sources.Detail{Name: "filters", Text: strings.Join(filters, ", ")})
	}
	return list, nil
}
