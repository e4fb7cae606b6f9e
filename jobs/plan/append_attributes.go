package plan

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/target"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// sameAttributes compares the attributes that an array would have with those of the
// existing array, which stay as they are. An attribute has to be the same if it says what
// values mean or what the array is, or if the job gives it; see [compare.Attribute].
// Another difference is a note.
func (b *builder) sameAttributes(t *target.Existing, would, is zarr.Attributes) {
	for _, d := range compare.Attributes(&sources.Info{Attributes: is}, &sources.Info{Attributes: would, Rebased: b.info.Rebased}) {
		name := d.Attribute
		given := b.options.Attributes.Get(name) != nil
		switch {
		case name == zarr.DigestAttribute: // the run changes it
		case name == "_FillValue" && would.Get(name) == nil && noElement(t.Meta.Type, is.Get(name)): // of an earlier version
		case name == "missing_value" && would.Get(name) == nil && unwritable(t.Meta.Type, is): // of an earlier version, too
		case b.boundsOf != "" && slices.Contains(compare.Inherited(), name): // see sameBounds
		case name == "calendar" && t.SameFrom(would.Get(name), is.Get(name), is.Get("units")):
		case d.Weight > compare.Remark || given && d.Weight > compare.Spelling:
			b.problems = append(b.problems, b.plan.Job.Problem(b.field+".attributes."+name,
				fmt.Sprintf("array %q: the attribute %s is %s, in the target %s", b.info.Path, name, d.Y, d.X), target.OtherMeaning(name)))
		default:
			b.note("the attribute %s stays %s, in the source it is %s", name, d.X, d.Y)
		}
	}
}

// sameBounds compares, for bounds, the attributes that say what values mean with those in
// the target. Bounds that lack such an attribute inherit it from their coordinate.
// coordinates has the paths of coordinates by the paths of their bounds, all in the source.
func (g *Growth) sameBounds(p *Plan, coordinates map[string]string) (ps jobfile.Problems) {
	planned := map[string]*Array{}
	for i := range p.Arrays {
		planned[p.Arrays[i].Source] = &p.Arrays[i]
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		coordinate := planned[coordinates[a.Source]]
		if coordinate == nil {
			continue
		}
		for _, name := range compare.Inherited() {
			x := compare.Inherit(name, a.Existing.Attributes, coordinate.Existing.Attributes)
			y := compare.Inherit(name, a.Existing.Meta.Attributes, coordinate.Existing.Meta.Attributes)
			units := compare.Inherit("units", a.Existing.Meta.Attributes, coordinate.Existing.Meta.Attributes)
			w, _ := compare.Attribute(name, y, x)
			if w <= compare.Remark || name == "calendar" && a.Existing.SameFrom(x, y, units) {
				continue
			}
			_, field := p.Job.Options(a.Source)
			ps = append(ps, p.Job.Problem(field+".attributes."+name,
				fmt.Sprintf("array %q: the attribute %s is %s, in the target %s, by itself or as the bounds of %q", a.Source, name, compare.AttributeText(name, x), compare.AttributeText(name, y), coordinate.Source),
				target.OtherMeaning(name)))
		}
	}
	return ps
}

// sameRemoved compares attributes that the job removes and that say what values mean. The
// target does not have them, so the checkpoint records them. sameRemoved refuses a source
// in which such an attribute differs from the source of the earlier rows.
func (g *Growth) sameRemoved(p *Plan) (ps jobfile.Problems) {
	for i := range p.Arrays {
		a := &p.Arrays[i]
		_, field := p.Job.Options(a.Source)
		was := g.recorded(a.Target)
		if was == nil && len(a.removed) > 0 {
			first := a.removed[0]
			x := p.Job.Problem(field+".attributes."+first.Name,
				fmt.Sprintf("array %q: the attribute %s is removed, and nothing tells whether it was %s for the rows of the target", a.Source, first.Name, compare.AttributeText(first.Name, first.Value)), "")
			x.Warning, x.Code = true, "unknown-meaning"
			ps = append(ps, x)
		}
		if was == nil {
			continue
		}
		seen := map[string]bool{}
		for _, x := range slices.Concat(a.removed, was.Removed) {
			is, before := a.removed.Get(x.Name), was.Removed.Get(x.Name)
			if w, _ := compare.Attribute(x.Name, before, is); seen[x.Name] || w <= compare.Remark {
				continue
			}
			seen[x.Name] = true
			ps = append(ps, p.Job.Problem(field+".attributes."+x.Name,
				fmt.Sprintf("array %q: the attribute %s, which the job removes, is %s, and was %s in the source of the rows that the target has", a.Source, x.Name, compare.AttributeText(x.Name, is), compare.AttributeText(x.Name, before)),
				"values would not mean the same: make the sources alike"))
		}
	}
	return ps
}

// recorded returns the record of an array in the checkpoint, or nil.
func (g *Growth) recorded(target string) *manifest.Array {
	for _, m := range []*manifest.Manifest{g.Begun, g.completed} {
		if m == nil {
			continue
		}
		if a := m.Array(target); a != nil {
			return a
		}
	}
	return nil
}
