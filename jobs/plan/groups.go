package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/ngff"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/zarr"
)

// emptyGroups lists the groups of the source that hold no array, neither directly nor in
// groups below. Links that lead to no array do not count, and neither do arrays in left,
// which are left out.
func (p *Plan) emptyGroups(left map[string]error) (paths []string) {
	full := map[string]bool{}
	arrays := slices.DeleteFunc(slices.Clone(p.source.Arrays()), func(path string) bool { return left[path] != nil })
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

// groups decides which groups the target gets: the groups above the migrated arrays, the
// empty groups that the job selects, and the groups above these. Any other group is left
// out. empty has the paths of the empty groups in the source; the job selects them by the
// rules by which it selects arrays. refused has the arrays that the plan lacks because of errors.
func (p *Plan) groups(empty, refused []string) (jobfile.Problems, error) {
	var ps jobfile.Problems
	targets := make(map[string]string, len(p.Arrays)) // paths in the source, by paths in the target
	for i := range p.Arrays {
		targets[p.Arrays[i].Target] = p.Arrays[i].Source
	}
	kept := make([]string, 0, len(empty)+len(p.Arrays)) // paths in the source
	for _, group := range empty {
		if p.Job.Selected(group) {
			kept = append(kept, group)
			p.EmptyGroups = append(p.EmptyGroups, zarr.CleanPath(group))
			ps = append(ps, p.misplaced(group, targets)...)
		}
	}
	wanted := map[string]bool{}
	for _, group := range kept {
		wanted[group] = true
	}
	for i := range p.Arrays {
		kept = append(kept, p.Arrays[i].Source)
	}
	for _, group := range zarr.Parents(kept) {
		wanted[group] = true
	}
	from := map[string]string{}
	for _, g := range p.source.Groups() {
		target := zarr.CleanPath(g.Path)
		other, taken := from[target]
		switch {
		case !wanted[g.Path]:
			continue
		case g.Err != nil:
			return nil, fmt.Errorf("group %q: %w; source.exclude leaves it out", g.Path, g.Err)
		case taken:
			ps = append(ps, p.Job.Problem("source", fmt.Sprintf("groups %q and %q would both become %q", other, g.Path, target), "leave one of them out with source.exclude"))
			continue
		}
		if p.ownNames || p.Growth() != nil { // the metadata of images are or stay those of an earlier run
			g.Findings = slices.DeleteFunc(slices.Clone(g.Findings), func(f cf.Finding) bool { return f.Code == ngff.Converted })
		}
		if p.ownNames && g.Own != nil {
			g.Attributes = g.Own
		}
		from[target], p.Groups[target] = g.Path, g.Attributes
		if last := lastOf(target); last != lastOf(g.Path) {
			g.Findings = append(slices.Clip(g.Findings), renamed(last, ""))
		}
		ps = append(ps, p.groupFindings(g)...)
	}
	ps = slices.Concat(ps, p.images(from, p.GroupPaths()), p.givenAttributes(refused), p.largeGroups())
	return append(ps, p.target.missingGroups(p)...), nil
}

// givenAttributes merges the attributes that the job gives to groups of the target over
// those of the source. Without its errors, the target would have the groups above the refused
// arrays, too, so no problem is about these.
func (p *Plan) givenAttributes(refused []string) (ps jobfile.Problems) {
	var paths []string
	for _, rule := range p.Job.Groups {
		if paths == nil {
			paths = p.GroupPaths()
		}
		target := zarr.CleanPath(rule.Path)
		above := func(array string) bool { return strings.HasPrefix(zarr.CleanPath(array), target+"/") }
		if slices.ContainsFunc(refused, above) {
			continue
		}
		array := slices.ContainsFunc(p.Arrays, func(a Array) bool { return a.Target == target })
		if array || !slices.Contains(paths, target) {
			message, hint := fmt.Sprintf("the target has no group %q", target), jobfile.DidYouMean(target, paths[1:])
			if len(paths) == 1 {
				hint = "the target has only the root group: the field attributes gives the root its attributes"
			}
			if array {
				message, hint = fmt.Sprintf("%q is an array of the target and no group", "/"+target), "the sections arrays and defaults give arrays their attributes"
			}
			ps = append(ps, p.Job.Problem(rule.Field(), message, hint))
			continue
		}
		list := p.Groups[target]
		for _, a := range rule.Attributes {
			list = list.With(a.Name, a.Value)
		}
		p.Groups[target] = list
	}
	return ps
}

// largeGroups refuses attributes of groups that are too large.
func (p *Plan) largeGroups() (ps jobfile.Problems) {
	for _, target := range slices.Sorted(maps.Keys(p.Groups)) {
		message, raise, largest := tooLarge(p.Groups[target], p.Job.Run.Memory)
		if message == "" {
			continue
		}
		field := jobfile.GroupRule{Path: target}.Field()
		ps = append(ps, p.Job.Problem(field, fmt.Sprintf("group %q: %s", "/"+target, message), raise+leaveOut(largest)))
	}
	return ps
}

// GroupPaths lists the paths of all groups that the plan makes, with the root.
func (p *Plan) GroupPaths() []string {
	below := slices.Clone(p.EmptyGroups)
	for i := range p.Arrays {
		below = append(below, p.Arrays[i].Target)
	}
	return slices.Concat(zarr.Parents(below), p.EmptyGroups)
}

// misplaced returns problems for a group of the source whose path the target cannot hold,
// or whose path an array takes. targets has the paths of arrays in the source by their
// paths in the target.
func (p *Plan) misplaced(group string, targets map[string]string) (ps jobfile.Problems) {
	wrong := func(format string, args ...any) {
		ps = append(ps, p.Job.Problem("source", fmt.Sprintf(format, args...), "leave the group out with source.exclude"))
	}
	target := zarr.CleanPath(group)
	err := zarr.CheckPath(target)
	if err == nil {
		err = store.CheckKey(p.Job.Target.URL, path.Join(target, zarr.MetadataKey))
	}
	if err != nil {
		wrong("a group without arrays: %v", err)
	}
	for at := target; at != ""; at, _ = zarr.Parent(at) {
		if source, taken := targets[at]; taken {
			wrong("array %q would take the place of group %q", source, at)
		}
	}
	return ps
}

// missingGroups implements [plannedTarget]. A plan that appends rows makes no groups and
// changes no attributes of groups. missingGroups warns of groups that the target lacks, and
// of attributes of the job that the target does not get.
func (g *Growth) missingGroups(p *Plan) (ps jobfile.Problems) {
	existing := map[string]bool{}
	attributes := map[string]zarr.Attributes{}
	for _, group := range g.target.Groups() {
		existing[group.Path] = true
		attributes[group.Path] = group.Attributes
	}
	for _, rule := range p.Job.Groups {
		for _, a := range rule.Attributes {
			is := attributes[zarr.CleanPath(rule.Path)].Get(a.Name)
			if sameJSON(is, a.Value) || is == nil && string(a.Value) == "null" {
				continue
			}
			w := p.Job.Problem(rule.Field(), fmt.Sprintf("the attribute %q of group %q stays as it is in the target, because rows alone are appended", a.Name, "/"+rule.Path),
				"change it there with another program")
			w.Warning, w.Code = true, "kept-attribute"
			ps = append(ps, w)
		}
	}
	for _, group := range p.EmptyGroups {
		if existing[group] {
			continue
		}
		w := p.Job.Problem("target.existing", fmt.Sprintf("group %q of the source, which has no arrays, is not in the target, and rows alone are appended", group),
			"make it there with another program, or leave it out with source.exclude")
		w.Warning, w.Code = true, "missing-group"
		ps = append(ps, w)
	}
	p.EmptyGroups = nil // a run that appends rows writes no groups
	return ps
}

// sameJSON reports whether two texts are one JSON value but for the space between tokens.
func sameJSON(x, y json.RawMessage) bool {
	var a, b bytes.Buffer
	return json.Compact(&a, x) == nil && json.Compact(&b, y) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}
