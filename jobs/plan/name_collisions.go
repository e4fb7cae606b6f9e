package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/zarr"
)

// namesCollide is the code of two nodes whose names differ in no more than case or
// Unicode form. Some file systems take them for one.
const namesCollide = "names-collide"

// mostCollisions is the most collisions of which a plan warns.
const mostCollisions = 20

// Collision is a pair of nodes of one group whose names some file systems take for one
// name. First and Second are the paths of the nodes.
type Collision struct{ First, Second string }

// Colliding finds the nodes of the target that some file systems take for one.
func (p *Plan) Colliding() []Collision {
	paths := slices.Clone(p.EmptyGroups)
	for i := range p.Arrays {
		paths = append(paths, p.Arrays[i].Target)
	}
	paths = slices.Concat(zarr.Parents(paths), paths)
	fold := cases.Fold()
	taken := make(map[string]string, len(paths))
	var list []Collision
	for _, name := range paths {
		if name == "" {
			continue
		}
		key := name
		if strings.ContainsFunc(path.Base(name), func(r rune) bool { return r >= utf8.RuneSelf || unicode.IsUpper(r) }) {
			// The parent keeps its spelling: otherwise all nodes below colliding groups
			// would be reported, too.
			key = path.Join(path.Dir(name), norm.NFC.String(fold.String(norm.NFC.String(path.Base(name)))))
		}
		if other, found := taken[key]; found && other != name {
			list = append(list, Collision{other, name})
			continue
		}
		taken[key] = name
	}
	return list
}

// collisions warns of nodes that some file systems take for one.
func (p *Plan) collisions() jobfile.Problems {
	var list jobfile.Problems
	for i, c := range p.Colliding() {
		if i == mostCollisions {
			break // so many examples are enough
		}
		w := p.Job.Problem(p.targetField(c.Second), fmt.Sprintf("%+q and %+q in the target differ in case or Unicode form alone: the file systems of macOS and Windows take them for one name, so a copy of the target there loses one of them", c.First, c.Second),
			"give one of them another name with rename")
		w.Warning, w.Code = true, namesCollide
		list = append(list, w)
	}
	return list
}

// targetField is the field of the job that says most about a node of the target.
func (p *Plan) targetField(node string) string {
	for i := range p.Arrays {
		if p.Arrays[i].Target == node {
			_, field := p.Job.Options(p.Arrays[i].Source)
			return field
		}
	}
	return "source"
}

// clashes finds arrays that would be written to the same place, or below
// another array.
func (p *Plan) clashes() jobfile.Problems {
	var list jobfile.Problems
	from := map[string]string{}
	for _, a := range p.Arrays {
		_, field := p.Job.Options(a.Source)
		if other, taken := from[a.Target]; taken {
			rename := a.Source
			if zarr.CleanPath(other) != other { // arrays.name also means __name
				rename = other
			}
			list = append(list, p.Job.Problem(field, fmt.Sprintf("arrays %q and %q would both become %q", other, a.Source, a.Target),
				fmt.Sprintf("give one of them another name with %s.rename", jobfile.FieldPath("arrays", rename))))
		}
		from[a.Target] = a.Source
	}
	free := map[string]bool{} // groups that lie in no array
	for i := range p.Arrays {
		a, inside := &p.Arrays[i], false
		for at, ok := zarr.Parent(a.Target); ok && !free[at]; at, ok = zarr.Parent(at) {
			if other, taken := from[at]; taken {
				inside = true
				_, field := p.Job.Options(a.Source)
				list = append(list, p.Job.Problem(field, fmt.Sprintf("array %q would lie inside of array %q", a.Source, other), "rename one of them"))
			}
		}
		for at, ok := zarr.Parent(a.Target); ok && !free[at] && !inside; at, ok = zarr.Parent(at) {
			free[at] = true
		}
	}
	return list
}
