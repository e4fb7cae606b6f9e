package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources"
)

// ragged returns a problem for each array whose number of rows would not be that
// of its neighbours. A nil growth has none.
func (g *growth) ragged(ctx context.Context, p *Plan) (Problems, error) {
	if g == nil {
		return nil, nil
	}
	var ps Problems
	first := map[string]*PlannedArray{} // of each scope
	planned, grows := map[string]bool{}, false
	for i := range p.Arrays {
		a := &p.Arrays[i]
		planned[a.Target] = true
		grows = grows || a.there.axis >= 0
		if a.Append == nil {
			continue
		}
		scope := p.scope(a.there)
		other := first[scope]
		if other == nil {
			first[scope] = a
			continue
		}
		_, field := p.Job.Options(a.Source)
		for _, c := range []struct {
			where     string
			has, want int
		}{{"the target", a.Append.Rows, other.Append.Rows}, {"the source", a.Append.New, other.Append.New}} {
			if c.has != c.want {
				ps = append(ps, p.Job.Problem(field, fmt.Sprintf("array %q has %d rows along %s in %s, array %q has %d", a.Target, c.has, g.dim, c.where, other.Target, c.want),
					"arrays that share a dimension have to be of one length"))
			}
		}
	}
	if !grows && len(p.Arrays) > 0 {
		ps = append(ps, p.Job.Problem("target.existing", fmt.Sprintf("no array has the dimension %q to append along", g.dim), "target.append: NAME"))
	}
	left, err := g.leftOut(ctx, planned, first)
	for _, name := range left {
		ps = append(ps, p.Job.Problem("source", fmt.Sprintf("array %q of the target has the dimension %q and would stay behind: the job has no such array", name, g.dim),
			"every array that has the dimension has to grow with the others"))
	}
	return ps, err
}

// scope is the group whose coordinate an array has, or its own group where there
// is none.
func (p *Plan) scope(t *there) string {
	for group := t.group(); ; group = (&there{path: group}).group() {
		for i := range p.Arrays {
			if other := p.Arrays[i].there; other.coordinate(p.growth.dim) && other.group() == group {
				return group
			}
		}
		if group == "" {
			return t.group()
		}
	}
}

// leftOut lists the arrays of the target that have the dimension, lie in a scope
// or have its coordinate, and are not planned.
func (g *growth) leftOut(ctx context.Context, planned map[string]bool, scopes map[string]*PlannedArray) ([]string, error) {
	var names []string
	for _, name := range g.target.Arrays() {
		_, grows := scopes[(&there{path: name}).group()]
		if planned[name] || !grows {
			continue
		}
		text, err := g.store.ReadAll(ctx, path.Join(name, zarr.MetadataKey), zarr.MaxDocument)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("target: %w", err)
		}
		var d struct {
			Names []*string `json:"dimension_names"`
		}
		if err := json.Unmarshal(text, &d); err != nil {
			return nil, fmt.Errorf("target: array %q: %w", name, err)
		}
		if slices.ContainsFunc(d.Names, func(n *string) bool { return n != nil && *n == g.dim }) {
			names = append(names, name)
		}
	}
	return names, nil
}

// check reads what tells whether the source belongs behind the rows that are
// there: the arrays without the dimension, which stay out of the plan, the
// coordinates and the files. A nil growth has nothing to check.
func (g *growth) check(ctx context.Context, p *Plan) error {
	if g == nil {
		return nil
	}
	if err := g.compare(ctx, p); err != nil || g.nothing {
		return err
	}
	return g.otherwise
}

// compare is check but for what was begun with another source.
func (g *growth) compare(ctx context.Context, p *Plan) error {
	var grow []PlannedArray
	var errs []error
	var coordinates []*there
	for _, a := range p.Arrays {
		switch {
		case a.Append == nil:
			g.same = append(g.same, a.Target)
			errs = append(errs, sameValues(ctx, &a))
			continue
		case a.there.coordinate(g.dim):
			coordinates = append(coordinates, a.there)
		}
		grow = append(grow, a)
	}
	p.Arrays = grow
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if !slices.ContainsFunc(grow, func(a PlannedArray) bool { return a.Append.New > 0 }) {
		g.nothing = true
		return nil
	}
	if len(coordinates) == 0 {
		return g.checkFiles(p)
	}
	var there, new []string
	for _, t := range coordinates {
		known, err := checkCoordinate(ctx, t)
		switch {
		case err != nil:
			errs = append(errs, err)
		case known:
			there = append(there, t.path)
		default:
			new = append(new, t.path)
		}
	}
	switch err := errors.Join(errs...); {
	case err != nil:
		return err
	case len(there) == 0:
		return nil
	case len(new) > 0:
		return fmt.Errorf("the target has all rows of the source by the coordinate %s, and none by %s", there[0], new[0])
	}
	g.nothing = true
	return g.sameFiles(p)
}

// checkFiles tells by the record of files, for want of a coordinate, whether the
// rows of the source are there.
func (g *growth) checkFiles(p *Plan) error {
	var there, new []string
	for _, f := range p.inputs().Files {
		if slices.ContainsFunc(g.earlier, func(e sources.File) bool { return e.URL == f.URL && fileChange(e, f) == "" }) {
			there = append(there, f.URL)
		} else {
			new = append(new, f.URL)
		}
	}
	if len(there) > 0 && len(new) > 0 {
		return fmt.Errorf("of the source, %s is in the target already, and %s is not: append new files alone", there[0], new[0])
	}
	g.nothing = len(there) > 0
	return nil
}

// sameFiles refuses a source whose rows are in the target if its files are not
// those that they were taken from, as far as these are known by name.
func (g *growth) sameFiles(p *Plan) error {
	var changes []string
	for _, f := range p.inputs().Files {
		change := ""
		for _, e := range g.earlier {
			if e.URL != f.URL {
				continue
			}
			if change = fileChange(e, f); change == "" {
				break
			}
		}
		if change != "" {
			changes = append(changes, change)
		}
	}
	if changes != nil {
		return fmt.Errorf("the target has the rows of this source already, from files as they were before:\n  %s", strings.Join(changes, "\n  "))
	}
	return nil
}
