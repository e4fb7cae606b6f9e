package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
)

// sameAttributes compares attributes with those of the target, which stay. One
// that says what values mean or what the array is, or that the job gives, has to
// be the same, but for the mark NaN of missing values, and for coordinates that only
// the target lists, as writers such as xarray do.
func (b *builder) sameAttributes(would, is zarr.Attributes) {
	given := map[string]bool{}
	for _, a := range b.options.Attributes {
		given[a.Name] = true
	}
	var others []string
	for _, a := range slices.Concat(would, is) {
		x, y := would.Get(a.Name), is.Get(a.Name)
		switch {
		case sameJSON(x, y) || slices.Contains(others, a.Name):
		case b.bounds && slices.Contains(combine.Inherited(), a.Name): // see sameBounds
		case a.Name == "calendar" && b.there.sameFrom(x, y, is.Get("units")):
			others = append(others, a.Name)
		case !cf.SameMeaning(a.Name, x, y) && (given[a.Name] || combine.Decisive(a.Name) && !combine.SameMasks(a.Name, x, y) && (x != nil || a.Name != "coordinates")):
			b.problems = append(b.problems, b.plan.Job.Problem(b.field+".attributes."+a.Name,
				fmt.Sprintf("array %q: the attribute %s is %s, in the target %s", b.info.Path, a.Name, attributeText(a.Name, x), attributeText(a.Name, y)),
				otherMeaning(a.Name)))
			others = append(others, a.Name)
		default:
			others = append(others, a.Name)
			b.note("the attribute %s stays %s, in the source it is %s", a.Name, attributeText(a.Name, y), attributeText(a.Name, x))
		}
	}
}

// sameBounds compares what arrays say of the values of bounds with what the target
// says: that of their coordinates where they say nothing themselves. coordinates
// are those of the bounds, by their paths in the source. A nil growth has nothing
// to compare with.
func (g *growth) sameBounds(p *Plan, coordinates map[string]string) (ps Problems) {
	if g == nil {
		return nil
	}
	planned := map[string]*PlannedArray{}
	for i := range p.Arrays {
		planned[p.Arrays[i].Source] = &p.Arrays[i]
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		coordinate := planned[coordinates[a.Source]]
		if coordinate == nil {
			continue
		}
		for _, name := range combine.Inherited() {
			x := inherit(name, a.there.attributes, coordinate.there.attributes)
			y := inherit(name, a.there.meta.Attributes, coordinate.there.meta.Attributes)
			units := inherit("units", a.there.meta.Attributes, coordinate.there.meta.Attributes)
			if sameJSON(x, y) || cf.SameMeaning(name, x, y) || name == "calendar" && a.there.sameFrom(x, y, units) {
				continue
			}
			_, field := p.Job.Options(a.Source)
			ps = append(ps, p.Job.Problem(field+".attributes."+name,
				fmt.Sprintf("array %q: the attribute %s is %s, in the target %s, by itself or as the bounds of %q", a.Source, name, attributeText(name, x), attributeText(name, y), coordinate.Source),
				otherMeaning(name)))
		}
	}
	return ps
}

// otherMeaning is the way out where an attribute is another one than the target's.
func otherMeaning(name string) string {
	first := "values would not mean the same"
	if name == "units" {
		first += ": write all files with the same units, times with one reference"
	}
	return first + "; where they do mean the same, give the array the target's attribute"
}

// inherit returns an attribute of bounds.
func inherit(name string, own, coordinate zarr.Attributes) json.RawMessage {
	if value := own.Get(name); value != nil {
		return value
	}
	return coordinate.Get(name)
}

// sameRemoved refuses values that meant something else, by an attribute that the
// job removes, in the source that the rows of the target are from: the target does
// not tell. A nil growth has no such rows.
func (g *growth) sameRemoved(p *Plan) (ps Problems) {
	if g == nil {
		return nil
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		_, field := p.Job.Options(a.Source)
		was := g.recorded(a.Target)
		if was == nil && len(a.removed) > 0 {
			first := a.removed[0]
			x := p.Job.Problem(field+".attributes."+first.Name,
				fmt.Sprintf("array %q: the attribute %s is removed, and nothing tells whether it was %s for the rows of the target", a.Source, first.Name, attributeText(first.Name, first.Value)), "")
			x.Warning, x.Code = true, "unknown-meaning"
			ps = append(ps, x)
		}
		if was == nil {
			continue
		}
		seen := map[string]bool{}
		for _, x := range slices.Concat(a.removed, was.Removed) {
			is, before := a.removed.Get(x.Name), was.Removed.Get(x.Name)
			if seen[x.Name] || sameJSON(is, before) || cf.SameMeaning(x.Name, is, before) || combine.SameMasks(x.Name, is, before) {
				continue
			}
			seen[x.Name] = true
			ps = append(ps, p.Job.Problem(field+".attributes."+x.Name,
				fmt.Sprintf("array %q: the attribute %s, which the job removes, is %s, and was %s in the source of the rows there", a.Source, x.Name, attributeText(x.Name, is), attributeText(x.Name, before)),
				"values would not mean the same: make the sources alike"))
		}
	}
	return ps
}

// recorded is an array of the target as the checkpoint has it, nil if it has not.
func (g *growth) recorded(target string) *ManifestArray {
	for _, m := range []*Manifest{g.begun, g.completed} {
		if m == nil {
			continue
		}
		if a := m.array(target); a != nil {
			return a
		}
	}
	return nil
}

// attributeText spells the value of an attribute for a message.
func attributeText(name string, value json.RawMessage) string {
	if value == nil {
		return "absent"
	}
	if number, ok := sources.FillText(value); ok && name == "_FillValue" {
		return number
	}
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		return jobfile.Clip(string(value), 80)
	}
	return jobfile.Clip(line.String(), 80)
}

// sameJSON reports whether two values are equal, however their numbers are
// spelled. Integers are compared as they are also where float64 does not hold
// them, as it is with marks of missing values in 64 bits.
func sameJSON(x, y json.RawMessage) bool {
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	a, errA := decodeJSON(x)
	b, errB := decodeJSON(y)
	return errA == nil && errB == nil && sameParsed(a, b)
}

func decodeJSON(text json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func sameParsed(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || a == b {
			return ok
		}
		x, errA := a.Float64()
		y, errB := b.Float64()
		whole := !strings.ContainsAny(string(a+b), ".eE")
		return errA == nil && errB == nil && x == y && (!whole || math.Abs(x) < 1<<53)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameParsed)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameParsed)
	default:
		return a == b
	}
}
