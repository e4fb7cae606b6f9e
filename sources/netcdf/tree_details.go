package netcdf

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// details implements contents.
func (t *tree) details(ctx context.Context, path string) ([]sources.Detail, error) {
	d := &t.described
	d.once.Do(func() { d.err = t.describeLinks(ctx) })
	if d.err != nil {
		return nil, d.err
	}
	var list []sources.Detail
	if text := d.links[path]; text != "" {
		list = append(list, sources.Detail{Name: "link", Text: text})
	}
	if v := t.byPath[path]; v != nil {
		more, err := t.variableDetails(ctx, v)
		return append(list, more...), err
	}
	g := d.groups[path]
	if g == nil {
		return list, nil
	}
	if g.made != nil {
		if names, _ := g.made.names(); names != nil {
			list = append(list, sources.Detail{Name: "stored dimensions", Text: strings.Join(names, ", ")})
		}
		more, err := t.variableDetails(ctx, g.made)
		return append(list, more...), err
	}
	if path == "" {
		list = append(list, sources.Detail{Name: "format", Text: fmt.Sprintf("HDF5, superblock of version %d", t.hdf5.Version())})
	}
	var dims []string
	inOrder := slices.SortedStableFunc(slices.Values(g.dims), func(a, b *treeDimension) int {
		return cmp.Compare(uint(a.id), uint(b.id)) // dimensions without a number come last
	})
	for _, dim := range inOrder {
		dims = append(dims, dimensionText(dim.name, dim.length, dim.unlimited))
	}
	if dims != nil {
		list = append(list, sources.Detail{Name: "dimensions", Text: strings.Join(dims, ", ")})
	}
	list = append(list, d.others[path]...)
	o, err := g.at.Object(ctx)
	if err != nil {
		return list, err
	}
	attributes, err := t.attributeDetails(ctx, g.at.File, o, g.attributes, true)
	return append(list, attributes...), err
}

// describeLinks reads all links again, for their kinds and for the committed datatypes.
func (t *tree) describeLinks(ctx context.Context) error {
	d := &t.described
	d.groups, d.links, d.others = map[string]*group{}, map[string]string{}, map[string][]sources.Detail{}
	for _, g := range t.nodes {
		d.groups[g.path] = g
	}
	first := map[hdf5.Place]string{t.nodes[0].at: "/"} // the first path of each object
	again := map[*group]bool{}                         // groups that are listed at another path as well
	for _, g := range t.nodes {
		if g.made != nil || g.unlisted {
			continue
		}
		again[g] = g.parent != nil && again[g.parent] || d.links[g.path] != ""
		o, err := g.at.Object(ctx)
		if err != nil {
			return err
		}
		links, err := o.Links(ctx)
		if err != nil {
			return err
		}
		for _, l := range links {
			at := path.Join(g.path, strings.TrimPrefix(l.Name, notCoordinate))
			text := linkText(l)
			if known := first[hdf5.Place{File: g.at.File, Address: l.Address}]; l.Kind == hdf5.HardLink && !again[g] && known != "" {
				text = "hard, to the same object as " + known
			} else if l.Kind == hdf5.HardLink && !again[g] {
				first[hdf5.Place{File: g.at.File, Address: l.Address}] = "/" + at
			}
			if text != "" {
				d.links[at] = text
			}
			if t.byPath[at] != nil || d.groups[path.Join(g.path, l.Name)] != nil {
				continue
			}
			if err := t.describeOther(ctx, g, l, text); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil {
				d.others[g.path] = append(d.others[g.path], sources.Detail{Name: "link " + l.Name, Text: "cannot be read: " + err.Error()})
			}
		}
	}
	return nil
}

// describeOther describes a link to an object that is neither a variable nor a group.
// text says what is special about the link.
func (t *tree) describeOther(ctx context.Context, g *group, l hdf5.Link, text string) error {
	d := &t.described
	at, err := g.at.File.Follow(ctx, g.at.Address, l)
	if err != nil {
		return err
	}
	o, err := at.Object(ctx)
	if err != nil {
		return err
	}
	name := "type "
	switch o.Kind() {
	case hdf5.GroupObject: // a group above this one
		name = "link "
	case hdf5.DatatypeObject:
		stored, err := o.Datatype(ctx)
		if err != nil {
			return fmt.Errorf("datatype %q: %w", l.Name, err)
		}
		classes := []hdf5type.Class{hdf5type.Enumeration, hdf5type.Compound, hdf5type.Opaque, hdf5type.VariableLength}
		d.types = append(d.types, namedType{
			path: path.Join(g.path, l.Name), at: at, text: stored.String(),
			user: slices.Contains(classes, stored.Class) && !stored.Text,
		})
		if text != "" {
			text = " (link: " + text + ")"
		}
		text = stored.String() + text
	default: // a dimension without a variable
		return nil
	}
	d.others[g.path] = append(d.others[g.path], sources.Detail{Name: name + l.Name, Text: text})
	return nil
}

// linkText says what is special about a link. It is "" for a hard link.
func linkText(l hdf5.Link) string {
	switch l.Kind {
	case hdf5.HardLink:
		return ""
	case hdf5.SoftLink:
		return "soft, to " + l.Target
	case hdf5.ExternalLink:
		return fmt.Sprintf("external, to %s in %s", l.Target, l.File)
	default:
		return "user-defined"
	}
}

// typeText describes a datatype. It returns its name, too, if the datatype is committed
// at the address, or equals a committed type that the user defined.
func (t *tree) typeText(d *hdf5type.Datatype, at hdf5.Place) (name, text string) {
	text = d.String()
	for _, n := range t.described.types {
		if n.at == at || at.Address == 0 && n.user && n.text == text {
			return "/" + n.path, text
		}
	}
	return "", text
}

// variableDetails describes a dataset: its creation properties in the words of the
// library. Of a dataset that cannot be opened it also describes shape and attributes.
func (t *tree) variableDetails(ctx context.Context, v *treeVariable) ([]sources.Detail, error) {
	if v.at.File == nil { // a link that leads to no object
		return nil, ctx.Err()
	}
	o, err := v.at.Object(ctx)
	if err != nil || o.Kind() != hdf5.DatasetObject {
		return nil, ctx.Err() // the context ended, which is why the array cannot be opened
	}
	p, err := o.Properties(ctx)
	if err != nil {
		return nil, err
	}
	name, text := t.typeText(p.Datatype, hdf5.Place{File: v.at.File, Address: p.Committed})
	if name != "" {
		text = name + ": " + text
	}
	list := []sources.Detail{{Name: "stored type", Text: text}}
	opened, refused := t.openVariable(ctx, v)
	switch {
	case p.Null:
		list = append(list, sources.Detail{Name: "stored shape", Text: "none: a null dataspace"})
	case refused != nil || !slices.Equal(p.Shape, v.lengths()):
		list = append(list, sources.Detail{Name: "stored shape", Text: times(p.Shape)})
	}
	if !slices.Equal(p.Shape, p.MaxShape) {
		list = append(list, sources.Detail{Name: "can grow to", Text: times(p.MaxShape)})
	}
	list = append(list, sources.Detail{Name: "layout", Text: p.Layout})
	if refused != nil && p.ChunkShape != nil {
		list = append(list, sources.Detail{Name: "chunks", Text: times(p.ChunkShape)})
	}
	if p.Filters != nil {
		filters := make([]string, len(p.Filters))
		for i, f := range p.Filters {
			filters[i] = f.String()
			if f.Parameters != nil {
				filters[i] += fmt.Sprint(" ", f.Parameters)
			}
		}
		list = append(list, sources.Detail{Name: "filters", Text: strings.Join(filters, ", ")})
	}
	if p.Fill != nil {
		text, err := v.at.File.Text(ctx, p.Datatype, p.Fill)
		if err != nil {
			return list, err
		}
		if refused != nil || text != fillText(opened.Info()) {
			list = append(list, sources.Detail{Name: "stored fill", Text: text})
		}
	}
	attributes, err := t.attributeDetails(ctx, v.at.File, o, v.attributes, refused == nil)
	return append(list, attributes...), err
}

// fillText returns the fill value of an array in the form of a dataset's fill value.
func fillText(info *sources.Info) string {
	if info.Fill == nil {
		return ""
	}
	return strings.Trim(string(info.Type.FormatScalar(dtype.V3, info.Fill)), `"`)
}

// lengths returns the extents of the dimensions of a variable.
func (v *treeVariable) lengths() []int {
	_, shape := v.names()
	return shape
}

// times writes extents, or "scalar" if there are none.
func times(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	parts := make([]string, len(shape))
	for k, n := range shape {
		if parts[k] = fmt.Sprint(n); n == hdf5.Unlimited {
			parts[k] = "unlimited"
		}
	}
	return strings.Join(parts, " × ")
}

// attributeDetails lists the attributes of an object with their types and shapes. A
// committed type is listed by its name. If shown is false, or if the attributes of the
// target lack a value or have another form of it, the value is listed, too. Bookkeeping
// takes one line.
func (t *tree) attributeDetails(ctx context.Context, in *hdf5.File, o *hdf5.Object, known []attribute, shown bool) (list []sources.Detail, err error) {
	all, err := o.Attributes(ctx)
	if err != nil {
		return nil, err
	}
	var hidden []string
	for i := range all {
		a := &all[i]
		name, text := t.typeText(a.Datatype, hdf5.Place{File: in, Address: a.Committed})
		if name != "" {
			text = name
		}
		switch {
		case a.Null:
			text += ", null"
		case len(a.Shape) > 0:
			text += " " + strings.ReplaceAll(fmt.Sprint(a.Shape), " ", " × ")
		}
		if isHidden(a.Name) {
			hidden = append(hidden, a.Name+": "+text)
			continue
		}
		if !shown || a.Name == attrFill || a.Datatype.Class == hdf5type.Enumeration || a.Datatype.Nested() || find(known, a.Name) == nil {
			value, err := a.Text(ctx)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				value = fmt.Sprintf("(cannot be read: %v)", err)
			}
			text += " = " + value
		}
		list = append(list, sources.Detail{Name: a.Name, Text: text, Attribute: true})
	}
	if hidden != nil {
		list = append(list, sources.Detail{Name: "bookkeeping", Text: strings.Join(hidden, "; ")})
	}
	return list, nil
}
