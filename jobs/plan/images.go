package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/ngff"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/zarr"
)

// images sees to it that the OME-NGFF metadata of groups name nodes of the target. Paths
// follow the new names of nodes. Nodes that the target lacks are taken out. Each group of
// which metadata change gets a warning. images also warns of arrays that do not fit their
// axes. from has the paths of groups in the source, by their paths in the target, and groups
// has the paths of all groups in the target.
func (p *Plan) images(from map[string]string, groups []string) (ps jobfile.Problems) {
	if p.Job.Source.NGFF == "keep" || p.ownNames || p.Growth() != nil { // a run that appends rows writes no groups
		return nil
	}
	var nodes *nodePlaces
	for _, group := range slices.Sorted(maps.Keys(p.Groups)) {
		ome := p.Groups[group].Get(ngff.Attribute)
		if ome == nil {
			continue
		}
		if nodes == nil {
			nodes = p.nodePlaces(groups)
		}
		changed, what := ngff.Retarget(ome, func(at string) (string, ngff.Place) { return nodes.find(from[group], group, at) })
		if string(changed) != string(ome) {
			p.Groups[group] = p.Groups[group].With(ngff.Attribute, changed)
		}
		named := fmt.Sprintf("group %q: its OME-NGFF metadata", "/"+from[group])
		const keep = "source.ngff: keep leaves the metadata as they are"
		if len(what.Moved) > 0 {
			ps = append(ps, p.oddImage(ngff.Paths, named+" name nodes by their new paths, in place of "+jobfile.SomeOf(what.Moved), keep))
		}
		if len(what.Without) > 0 {
			ps = append(ps, p.oddImage(ngff.Paths, named+" no longer name "+jobfile.SomeOf(what.Without)+", which the target lacks", keep))
		}
		if len(what.Broken) > 0 {
			ps = append(ps, p.oddImage(ngff.Paths, named+" name "+jobfile.SomeOf(what.Broken)+", where the target has no node", given))
		}
		ps = append(ps, p.misfits(group, changed, nodes)...)
	}
	return ps
}

// misfits warns of arrays of the images of a group whose dimensions do not have the names of
// the axes, or that are parts of what the metadata describe.
func (p *Plan) misfits(group string, ome json.RawMessage, nodes *nodePlaces) (ps jobfile.Problems) {
	axes := ngff.AxisNames(group, ngff.Multiscales(ome))
	for _, at := range slices.Sorted(maps.Keys(axes)) {
		i, planned := nodes.targets[at]
		if !planned {
			continue
		}
		a := &p.Arrays[i]
		if names := a.Meta.DimensionNames; !slices.Equal(names, axes[at]) {
			message := fmt.Sprintf("array %q: its dimensions are named %q, and the axes of its image %q; OME-NGFF 0.5 demands that they are the same", a.Source, names, axes[at])
			ps = append(ps, p.oddImage(ngff.Axes, message, "give the array these dimension_names, or the group other metadata in the section groups"))
		}
		for _, s := range p.Job.Source.Select {
			if slices.Contains(axes[at], s.Dimension) {
				message := fmt.Sprintf("array %q: it is a part of the source, and the transformations of its image are those of the whole", a.Source)
				ps = append(ps, p.oddImage(ngff.Axes, message, given))
				break
			}
		}
	}
	return ps
}

// given is what to do about metadata that the program cannot mend.
const given = "give the group other metadata in the section groups"

// oddImage returns a warning about metadata of images.
func (p *Plan) oddImage(code, message, hint string) jobfile.Problem {
	w := p.Job.Problem("source", message, hint)
	w.Warning, w.Code = true, code
	return w
}

// nodePlaces tells where the nodes of the source are in the target.
type nodePlaces struct {
	source  map[string]bool   // paths of all nodes in the source
	arrays  map[string]string // paths of arrays in the target, by those in the source
	targets map[string]int    // indexes of arrays in the plan, by their paths in the target
	groups  map[string]bool   // paths of groups in the target
}

func (p *Plan) nodePlaces(groups []string) *nodePlaces {
	n := &nodePlaces{source: map[string]bool{}, arrays: map[string]string{}, targets: map[string]int{}, groups: map[string]bool{}}
	for _, g := range p.source.Groups() {
		n.source[g.Path] = true
	}
	for _, path := range p.source.Arrays() {
		n.source[path] = true
	}
	for i := range p.Arrays {
		n.arrays[p.Arrays[i].Source], n.targets[p.Arrays[i].Target] = p.Arrays[i].Target, i
	}
	for _, path := range groups {
		n.groups[path] = true
	}
	return n
}

// find returns where a node is that a group names by a path. source and target are the paths
// of the group in the source and in the target.
func (n *nodePlaces) find(source, target, at string) (string, ngff.Place) {
	full := path.Join("/", source, at)[1:]
	if above := path.Join(source, at); above == ".." || strings.HasPrefix(above, "../") || !n.source[full] {
		return "", ngff.Nowhere
	}
	to, planned := n.arrays[full]
	if !planned {
		if to = zarr.CleanPath(full); !n.groups[to] {
			return "", ngff.Without
		}
	}
	if to == full && target == source {
		return at, ngff.There // as the metadata spell it
	}
	return relative(target, to), ngff.There
}

// relative returns the path of a node as a group names it.
func relative(group, node string) string {
	up := 0
	for group != "" && node != group && !strings.HasPrefix(node, group+"/") {
		group, _ = zarr.Parent(group)
		up++
	}
	return strings.Repeat("../", up) + strings.TrimPrefix(strings.TrimPrefix(node, group), "/")
}
