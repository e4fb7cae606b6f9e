package combine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// Members are the files, or hierarchies, of which one source is made.
type Members struct {
	Names []string // of the members, for messages, in their order
	// Open opens a member. It is called once for each member, for several at the same time.
	Open func(ctx context.Context, i int) (sources.Hierarchy, error)
	// Origin has the files of all members.
	sources.Origin
}

// Open makes one source of members. Each member is opened once, several at the same time.
// Only the opened arrays stay in memory. Closing the source closes m.Origin. If Open
// returns an error, it has closed m.Origin itself. A [sources.JoinError] says which field
// of how does not fit the members.
//
// With Concat, the arrays that have the dimension are joined along it. All other arrays
// have to be the same in all members; the first member's are taken. Lists of varying length
// along the dimension follow each other, see [sources.JoinLists]; they cannot be joined where
// members overlap.
//
// With Stack, every array gets the new dimension in front, except for coordinates that
// are the same in all members. A coordinate is a variable with the name of its only
// dimension, or one that an attribute coordinates, bounds, climatology or grid_mapping
// names. A variable with the name of the new dimension is always stacked, and becomes
// the coordinate of that dimension.
//
// [compare.Descriptions] lists how members differ. In a joined array, a difference is an
// error if the same stored values would mean something else, or would not fit together;
// Override does not change that. Other differences that matter to readers, and different
// values of an array that is not joined, are errors without Override. Otherwise the first
// member's attributes and values are taken, and a note says which members differ. The
// attributes of a group are those of the first member that has it.
//
// The values of the dimension's coordinate must rise, or must fall, throughout. With
// Disordered, a break of this order is a finding and not an error. If the order of the
// members' names breaks the order of the values, the members are sorted by the coordinate,
// or by the array that Order names. If several members have the same row, Overlap says from
// which of them it is taken.
//
// Times that members count from several moments are brought to one clock, see
// [sources.Rebasing]. This goes for every variable with units such as "days since
// 2000-01-01", and for the bounds of such variables.
func Open(ctx context.Context, m Members, how Options) (sources.Source, error) {
	s, err := combine(ctx, m, how)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return s, nil
}

func combine(ctx context.Context, m Members, how Options) (sources.Source, error) {
	switch {
	case len(m.Names) == 0:
		return nil, errors.New("no files")
	case how.Concat != "" && how.Stack != "":
		return nil, errors.New("concat and stack exclude each other")
	case how.Dimension() == "" && len(m.Names) > 1:
		return nil, fmt.Errorf("%d files need concat, the dimension to join them along, or stack, the name of a new one", len(m.Names))
	case how.Dimension() == "":
		h, err := m.Open(ctx, 0)
		return alone{h, m.Origin}, err
	}
	c := &combined{Origin: m.Origin, how: how, names: m.Names, vars: map[string]*variable{}, spans: map[string][]span{}}
	if err := c.open(ctx, m.Open); err != nil {
		return nil, err
	}
	if err := c.checkDimension(); err != nil {
		return nil, err
	}
	c.findBounds()
	c.rebase()
	if err := c.order(ctx); err != nil {
		return nil, err
	}
	coordinates := c.coordinates()
	for _, path := range c.paths {
		if err := c.join(ctx, c.vars[path], coordinates); err != nil {
			return nil, err
		}
	}
	return c, c.verdict()
}

// open opens the wanted arrays of all members.
func (c *combined) open(ctx context.Context, open func(context.Context, int) (sources.Hierarchy, error)) error {
	c.groups = make([][]sources.Group, len(c.names))
	var unreadable sources.Report
	paths, faults := make([][]string, len(c.names)), make([]error, len(c.names))
	var infos sources.Infos
	err := sources.InParallel(ctx, len(c.names), func(ctx context.Context, i int) error {
		h, err := open(ctx, i)
		if err != nil {
			faults[i] = err
			return ctx.Err()
		}
		paths[i] = h.Arrays()
		c.keepGroups(i, h.Groups())
		return c.openMember(ctx, i, h, &infos)
	})
	if err != nil {
		return err
	}
	for _, fault := range faults {
		if fault != nil {
			unreadable.Add(fault)
		}
	}
	seen := map[string]bool{}
	for _, list := range paths {
		for _, path := range list {
			switch {
			case seen[path]:
			case c.vars[path] != nil:
				c.paths = append(c.paths, path)
			default:
				c.others = append(c.others, path)
			}
			seen[path] = true
		}
	}
	return unreadable.Err("files cannot be read")
}

// openMember opens the wanted arrays of member i, and their coordinates if the options ask
// for them.
func (c *combined) openMember(ctx context.Context, i int, h sources.Hierarchy, infos *sources.Infos) error {
	paths := h.Arrays()
	opens := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !c.opens(path) })
	known := map[string]bool{} // every array, and whether it is opened; empty: no coordinates are added
	if c.how.Coordinates != nil && len(opens) < len(paths) {
		for _, path := range paths {
			known[path] = c.opens(path)
		}
	}
	for k := 0; k < len(opens); k++ {
		a, err := h.Array(ctx, opens[k])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if shared, ok := a.(sources.Shared); ok && err == nil {
			shared.ShareInfo(infos)
		}
		c.take(i, opens[k], a, err)
		if err != nil || len(known) == 0 {
			continue
		}
		exists := func(path string) bool { _, ok := known[path]; return ok }
		for _, path := range compare.CoordinatesOf(a.Info(), exists) {
			if !known[path] && c.how.Coordinates(path) {
				known[path], opens = true, append(opens, path)
			}
		}
	}
	return nil
}

// opens reports whether the options ask for a variable.
func (c *combined) opens(path string) bool {
	return c.how.Wanted == nil || c.how.Wanted(path) || path == c.how.Order
}

// take keeps an array of member i, or the error in its place.
func (c *combined) take(i int, path string, a sources.Array, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.vars[path]
	if v == nil {
		v = &variable{path: path, parts: make([]sources.Array, len(c.names)), faults: map[string]error{}}
		c.vars[path] = v
	}
	if err != nil {
		v.faults[c.names[i]] = err
		return
	}
	v.parts[i] = a
}

// keepGroups keeps the groups of member i. Equal groups share memory.
func (c *combined) keepGroups(i int, groups []sources.Group) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, g := range groups {
		if known := c.groups[0]; k < len(known) {
			groups[k].Attributes = sources.ShareAttributes(g.Attributes, known[k].Attributes)
		}
	}
	c.groups[i] = groups
}

// checkDimension refuses to join along a dimension that nothing has.
func (c *combined) checkDimension() error {
	dims := map[string]bool{}
	for _, v := range c.vars {
		for _, p := range v.parts {
			if p == nil {
				continue
			}
			for _, name := range p.Info().DimensionNames {
				dims[name] = true
			}
			if l := p.Info().Lists; l != nil && l.Along != "" {
				dims[l.Along] = true
			}
		}
	}
	if c.how.Stack != "" || dims[c.how.Concat] || len(c.vars) == 0 {
		return nil
	}
	return wrong("concat", "%s: no array has the dimension %q to join the files along; the files have the dimensions %q", c.names[0], c.how.Concat, slices.Sorted(maps.Keys(dims)))
}

// verdict returns the faults of all wanted arrays as one error. If no member has an array,
// or if this program can read it in none of them, that is not a fault of the source: Array
// returns the error.
func (c *combined) verdict() error {
	var all sources.Report
	if c.how.Wanted != nil {
		for _, path := range c.paths {
			if v := c.vars[path]; !v.missed() {
				all.Merge(v.report)
			}
		}
	}
	return all.Err("differences between the files")
}

// Groups lists the groups of the first member, and behind them groups that only other
// members have. Each group has the findings of all members, and the first error.
func (c *combined) Groups() []sources.Group {
	list := slices.Clone(c.groups[0])
	seen := map[string]int{} // indexes in list
	for i, g := range list {
		seen[g.Path] = i
	}
	for _, groups := range c.groups[1:] {
		for _, g := range groups {
			i, known := seen[g.Path]
			if !known {
				i = len(list)
				seen[g.Path], list = i, append(list, g)
			}
			if list[i].Err == nil {
				list[i].Err, list[i].Unlisted = g.Err, g.Unlisted
			}
		}
	}
	found := c.groupFindings()
	for i := range list {
		list[i].Findings = found[list[i].Path]
		if c.ofLists(list[i].Path) {
			list[i].Attributes = c.withShape(list[i])
		}
	}
	return list
}

// ofLists reports whether a group has arrays of lists that follow each other.
func (c *combined) ofLists(group string) bool {
	return slices.ContainsFunc(c.paths, func(p string) bool { return c.vars[p].lists && strings.HasPrefix(p, group+"/") })
}

// withShape returns the attributes of a group with the shape of the lists of all members.
func (c *combined) withShape(group sources.Group) zarr.Attributes {
	if group.Attributes.Get(sources.SequenceShape) == nil {
		return group.Attributes
	}
	var shapes []json.RawMessage
	for _, groups := range c.groups {
		if i := slices.IndexFunc(groups, func(g sources.Group) bool { return g.Path == group.Path }); i >= 0 {
			shapes = append(shapes, groups[i].Attributes.Get(sources.SequenceShape))
		}
	}
	return group.Attributes.With(sources.SequenceShape, sources.JoinShapes(shapes))
}

func (c *combined) Arrays() []string { return slices.Concat(c.paths, c.others) }

func (c *combined) Array(_ context.Context, path string) (sources.Array, error) {
	v := c.vars[path]
	switch {
	case v == nil && slices.Contains(c.others, path):
		return nil, fmt.Errorf("array %q was not wanted when the files were opened", path)
	case v == nil:
		return nil, fmt.Errorf("no file has an array %q", path)
	case v.report.Len() > 0:
		return nil, v.report.Err("differences between the files")
	}
	return v.array, nil
}

// alone is a source of one member.
type alone struct {
	sources.Hierarchy
	sources.Origin
}

// Details implements [sources.Detailed].
func (a alone) Details(ctx context.Context, path string) ([]sources.Detail, error) {
	if d, ok := a.Hierarchy.(sources.Detailed); ok {
		return d.Details(ctx, path)
	}
	return nil, nil
}
