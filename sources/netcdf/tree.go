package netcdf

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// maxAgain bounds the groups that are listed at further paths. A few groups that link
// to each other can have more paths than anybody could read.
const maxAgain = 1 << 16

// readTree reads the groups and the variables of an HDF5 file. beginning is the
// beginning of the file.
func (s *source) readTree(ctx context.Context, f *sources.OpenFile, beginning []byte) (*tree, error) {
	r := &storeReader{f, beginning}
	home := &home{file: f}
	opened, err := s.openHDF5(ctx, r, &neighbours{s, home, f})
	if err != nil {
		if !hdf5.Is(beginning) {
			err = fmt.Errorf("not a NetCDF file: %s", s.drivers.WhatIs(beginning))
		}
		return nil, fmt.Errorf("%s: %w", f.URL, err)
	}
	home.hdf5 = opened
	t := &tree{file: f, hdf5: opened, source: s, scratch: s.scratch, kept: s.kept, pieces: s.pieces, chains: s.chains, byPath: map[string]*treeVariable{}, known: map[hdf5.Place]bool{}, scales: map[hdf5.Place]*treeDimension{}}
	root := &group{at: hdf5.Place{File: opened, Address: opened.Root()}}
	if err := t.readGroup(ctx, root); err != nil {
		return nil, fmt.Errorf("%s: %w", f.URL, err)
	}
	t.nameDimensions(root)
	r.beginning, t.known = nil, nil
	return t, nil
}

// readGroup reads a group and everything below it. Below the root, a group whose metadata are
// damaged harms no other.
func (t *tree) readGroup(ctx context.Context, g *group) error {
	if t.nodes = append(t.nodes, g); len(t.nodes)+len(t.vars) > maxNodes {
		return fmt.Errorf("the file has more than %d groups and variables", maxNodes)
	}
	if t.known[g.at] {
		if t.again++; t.again > maxAgain {
			return fmt.Errorf("group %q: links lead to groups by more than %d other paths", g.path, maxAgain)
		}
	}
	t.known[g.at] = true
	links, err := t.readHeader(ctx, g)
	if err != nil {
		err = fmt.Errorf("group %q: %w", g.path, err)
		if g.parent == nil && errors.Is(err, hdf5.ErrCorrupt) {
			err = fmt.Errorf("%w; a file without its root group is not read: take an undamaged copy, or copy the arrays that other programs read to another file", err)
		}
		return err
	}
	var ahead []uint64
	for _, l := range links {
		if l.Kind == hdf5.HardLink {
			ahead = append(ahead, l.Address)
		}
	}
	if err := g.at.File.Expect(ctx, ahead); err != nil {
		return err
	}
	for _, l := range links {
		if err := t.readLink(ctx, g, l); err != nil {
			return fmt.Errorf("%q: %w", path.Join(g.path, l.Name), err)
		}
	}
	for _, child := range g.groups {
		if err := t.readGroup(ctx, child); err != nil {
			return err
		}
	}
	return nil
}

// readHeader reads the attributes of a group, and returns its links. If that fails below the root,
// because the group is damaged, the group has the error.
func (t *tree) readHeader(ctx context.Context, g *group) ([]hdf5.Link, error) {
	o, err := g.at.Object(ctx)
	if err != nil {
		return nil, err
	}
	all, err := o.Attributes(ctx)
	if err == nil {
		t.netCDF = t.netCDF || g.parent == nil && slices.ContainsFunc(all, func(a hdf5.Attribute) bool { return isMark(a.Name) })
		g.attributes, g.findings, err = t.readAttributes(ctx, all)
	}
	if g.err = err; err != nil && !g.spares(err) {
		return nil, err
	}
	links, err := o.Links(ctx)
	if err != nil {
		if g.err, g.unlisted = err, true; !g.spares(err) {
			return nil, err
		}
	}
	return links, nil
}

// spares reports whether an error about a group leaves the rest of the file readable.
func (g *group) spares(err error) bool {
	return g.parent != nil && (errors.Is(err, hdf5.ErrCorrupt) || errors.Is(err, errors.ErrUnsupported))
}

// readLink reads the object to which a link of a group leads, perhaps in another file. A
// link that leads nowhere, or to a file that may not be read, becomes a variable that
// cannot be opened.
func (t *tree) readLink(ctx context.Context, g *group, l hdf5.Link) error {
	v := &treeVariable{path: path.Join(g.path, strings.TrimPrefix(l.Name, notCoordinate)), name: l.Name}
	var o *hdf5.Object
	v.at, v.err = g.at.File.Follow(ctx, g.at.Address, l)
	switch {
	case v.err == nil:
		o, v.err = v.at.Object(ctx)
	case errors.Is(v.err, hdf5.ErrNoObject) && !errors.Is(v.err, errors.ErrUnsupported):
		v.err = fmt.Errorf("%w: %w", sources.ErrNoArray, v.err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := checkName(l.Name); err != nil {
		return err
	}
	if v.err == nil && o.Kind() == hdf5.GroupObject {
		for above := g; above != nil; above = above.parent {
			if above.at == v.at {
				return nil // a circle
			}
		}
		g.groups = append(g.groups, &group{path: path.Join(g.path, l.Name), parent: g, at: v.at})
		return nil
	}
	if v.err == nil && o.Kind() == hdf5.DatatypeObject {
		return nil
	}
	if v.err == nil {
		v.err = t.describe(ctx, g, v, o)
	}
	if v.scale != nil && v.scale.alone {
		return nil
	}
	if v.err == nil {
		split, err := t.split(ctx, g, v, o)
		if err != nil || split {
			return err
		}
		v.err = t.refused(ctx, o)
	}
	return t.add(g, v)
}

// describe reads the attributes and the extents of a dataset.
func (t *tree) describe(ctx context.Context, g *group, v *treeVariable, o *hdf5.Object) error {
	var err error
	if v.shape, v.limits, err = o.Extents(ctx); err != nil {
		return err
	}
	all, err := o.Attributes(ctx)
	if err != nil {
		return err
	}
	if v.attributes, v.findings, err = t.readAttributes(ctx, all); err != nil {
		return err
	}
	return t.describeScale(ctx, g, v, all)
}

func (t *tree) groups() []sources.Group {
	list := make([]sources.Group, len(t.nodes))
	for i, g := range t.nodes {
		list[i] = sources.Group{Path: g.path, Attributes: attributesJSON(g.attributes), Findings: slices.Concat(g.findings, textFindings(g.attributes))}
		if g.err != nil {
			list[i].Err, list[i].Unlisted = fmt.Errorf("%s: %w", t.file.URL, g.err), g.unlisted
		}
	}
	return list
}

func (t *tree) paths() []string {
	list := make([]string, len(t.vars))
	for i, v := range t.vars {
		list[i] = v.path
	}
	return list
}

func (t *tree) stated(path string) ([]attribute, bool) {
	v := t.byPath[path]
	if v == nil {
		return nil, false
	}
	return v.attributes, true
}
