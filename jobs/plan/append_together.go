package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// ragged returns a problem for each array whose number of rows differs from that of
// another array in its scope, and for each array of the target that would not grow with
// the others. It sets New.
func (g *Growth) ragged(ctx context.Context, p *Plan) (jobfile.Problems, error) {
	var ps jobfile.Problems
	first := map[string]*Array{} // the first array of each scope, by the scope
	all := map[string]bool{}     // the paths of the target's arrays
	for _, name := range g.target.Arrays() {
		all[name] = true
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		if a.Append == nil {
			continue
		}
		scope := g.scope(a.Target, all)
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
				ps = append(ps, p.Job.Problem(field, fmt.Sprintf("array %q has %d rows along %s in %s, array %q has %d", a.Target, c.has, g.Dimension, c.where, other.Target, c.want),
					"arrays that share a dimension have to have the same length along it"))
			}
		}
	}
	g.New = make(map[string]int, len(first))
	for scope, a := range first {
		g.New[scope] = a.Append.New
	}
	left, lists, err := g.leftOut(ctx, all, first)
	for _, group := range lists {
		ps = append(ps, p.Job.Problem("source", fmt.Sprintf("the lists of varying length in %q of the target belong to the indices of the dimension %q and would stay behind: the job has no such lists", group, g.Dimension),
			"such lists cannot be appended to a target: migrate all files in one run to another target, without target.existing: append"))
	}
	for _, name := range left {
		ps = append(ps, p.Job.Problem("source", fmt.Sprintf("array %q of the target has the dimension %q and would stay behind: the job has no such array", name, g.Dimension),
			"every array that has the dimension has to grow with the others"))
	}
	return ps, err
}

// scope returns the path of the group that holds the coordinate of an array along the
// dimension. The search begins in the group of the array and goes up to the root. If no
// group holds such a coordinate, scope returns the group of the array. array is a path in
// the target. coordinates has the paths of all arrays that may be coordinates.
func (g *Growth) scope(array string, coordinates map[string]bool) string {
	for group := groupOf(array); ; group = groupOf(group) {
		if coordinates[path.Join(group, g.Dimension)] {
			return group
		}
		if group == "" {
			return groupOf(array)
		}
	}
}

// groupOf returns the path of the group that holds a node. For the root, it returns the
// path of the root.
func groupOf(node string) string {
	group, _ := zarr.Parent(node)
	return group
}

// shares reports whether an array of the target shares the dimension with an array of the
// plan. It does if the plan has an array in the same scope. If the array has no
// coordinate, it also does if the plan has an array with as many rows in a group above.
// all has the paths of the target's arrays, and scopes an array of the plan by its scope.
func (g *Growth) shares(array string, rows int, all map[string]bool, scopes map[string]*Array) bool {
	group := g.scope(array, all)
	if scopes[group] != nil || all[path.Join(group, g.Dimension)] {
		return scopes[group] != nil
	}
	for group != "" {
		group = groupOf(group)
		if a := scopes[group]; a != nil && a.Append.Rows == rows {
			return true
		}
	}
	return false
}

// leftOut lists the arrays of the target that share the dimension with an array of the
// plan, although the job does not migrate them. lists are the groups of lists of varying length
// for which the same is true: one list belongs to each index of the dimension.
func (g *Growth) leftOut(ctx context.Context, all map[string]bool, scopes map[string]*Array) (names, lists []string, err error) {
	groups := groupsOf(all)
	for _, name := range g.target.Arrays() {
		if g.met[name] {
			continue
		}
		text, err := g.store.ReadAll(ctx, path.Join(name, zarr.MetadataKey), zarr.MaxDocument)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("target: %w", err)
		}
		var d struct {
			Names []*string       `json:"dimension_names"`
			Shape []int           `json:"shape"`
			Type  json.RawMessage `json:"data_type"`
		}
		text, _ = zarr.FromPython(text)
		if err := json.Unmarshal(text, &d); err != nil {
			return nil, nil, fmt.Errorf("target: array %q: %w", name, err)
		}
		axis := slices.IndexFunc(d.Names, func(n *string) bool { return n != nil && *n == g.Dimension })
		if axis >= 0 && axis < len(d.Shape) && g.shares(name, d.Shape[axis], all, scopes) {
			names = append(names, name)
		}
		group, isOffsets := strings.CutSuffix(name, "/"+sources.ListOffsets)
		if !isOffsets || len(d.Shape) != 1 || d.Shape[0] == 0 || string(d.Type) != `"int64"` {
			continue
		}
		values, rows := group+"/"+sources.ListValues, d.Shape[0]-1 // there is one offset more than rows
		if (all[values] || groups[values]) && g.shares(group, rows, all, scopes) && g.rows(group, all, scopes) == rows {
			lists = append(lists, group)
		}
	}
	return names, lists, nil
}

// groupsOf returns the paths of the groups that hold arrays, directly or in groups within them.
func groupsOf(arrays map[string]bool) map[string]bool {
	groups := map[string]bool{}
	for name := range arrays {
		for group := groupOf(name); group != "" && !groups[group]; group = groupOf(group) {
			groups[group] = true
		}
	}
	return groups
}

// rows returns how many rows the arrays of the plan have in the target that share the dimension
// with a node, or -1.
func (g *Growth) rows(node string, all map[string]bool, scopes map[string]*Array) int {
	for group := g.scope(node, all); ; group = groupOf(group) {
		if a := scopes[group]; a != nil {
			return a.Append.Rows
		}
		if group == "" {
			return -1
		}
	}
}
