package jobs

import (
	"fmt"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources"
)

// emptyGroups lists the groups of the source without an array in them or below, with
// links that lead to none not counted.
func (p *Plan) emptyGroups(links map[string]error) (paths []string) {
	full := map[string]bool{}
	arrays := slices.DeleteFunc(slices.Clone(p.source.Arrays()), func(path string) bool { return links[path] != nil })
	for _, group := range zarr.Parents(arrays) {
		full[group] = true
	}
	for _, g := range p.source.Groups() {
		if !full[g.Path] {
			paths = append(paths, g.Path)
		}
	}
	return paths
}

// groups decides on the groups of the target: those above the migrated arrays, and
// of those without arrays, here by their paths, the ones that the job selects as it
// does arrays, with the groups above these. A group whose arrays are all left out is
// left out with them, unless one of those is below it.
func (p *Plan) groups(empty []string) (Problems, error) {
	var ps Problems
	for _, group := range empty {
		if p.Job.Selected(group) {
			p.EmptyGroups = append(p.EmptyGroups, group)
			ps = append(ps, p.misplaced(group)...)
		}
	}
	wanted := map[string]bool{}
	for _, group := range p.groupPaths() {
		wanted[group] = true
	}
	for _, g := range p.source.Groups() {
		switch {
		case !wanted[g.Path]:
		case g.Err != nil:
			return nil, fmt.Errorf("group %q: %w; source.exclude leaves it out", g.Path, g.Err)
		default:
			p.Groups[g.Path] = g.Attributes
			ps = append(ps, p.groupFindings(g)...)
		}
	}
	return append(ps, p.growth.lacking(p)...), nil
}

// groupPaths lists the paths of all groups of the target that are the plan's.
func (p *Plan) groupPaths() []string {
	below := slices.Clone(p.EmptyGroups)
	for i := range p.Arrays {
		below = append(below, p.Arrays[i].Target)
	}
	return slices.Concat(zarr.Parents(below), p.EmptyGroups)
}

// misplaced returns a problem for a group that the target cannot have, or where
// there is to be an array.
func (p *Plan) misplaced(group string) (ps Problems) {
	wrong := func(format string, args ...any) {
		ps = append(ps, p.Job.Problem("source", fmt.Sprintf(format, args...), "leave the group out with source.exclude"))
	}
	err := zarr.CheckPath(group)
	if err == nil {
		err = store.CheckKey(p.Job.Target.URL, path.Join(group, zarr.MetadataKey))
	}
	if err != nil {
		wrong("a group without arrays: %v", err)
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		for at := group; at != ""; at = parent(at) {
			if a.Target == at && a.Target != "" {
				wrong("array %q would take the place of group %q", a.Source, at)
			}
		}
	}
	return ps
}

// lacking warns of groups without arrays that are not in the target of a plan to
// append, which stay out of it; none is planned then. A nil growth lacks none.
func (g *growth) lacking(p *Plan) (ps Problems) {
	if g == nil {
		return nil
	}
	for _, group := range p.EmptyGroups {
		if slices.ContainsFunc(g.target.Groups(), func(there sources.Group) bool { return there.Path == group }) {
			continue
		}
		w := p.Job.Problem("target.existing", fmt.Sprintf("group %q of the source, which has no arrays, is not in the target, and rows alone are appended", group),
			"make it there with another program, or leave it out with source.exclude")
		w.Warning, w.Code = true, "missing-group"
		ps = append(ps, w)
	}
	p.EmptyGroups = nil // none is written
	return ps
}
