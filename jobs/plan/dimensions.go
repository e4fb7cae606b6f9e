package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// isCoordinate reports whether an array is the coordinate of a dimension.
func isCoordinate(info *sources.Info) bool {
	return slices.Equal(info.DimensionNames, []string{path.Base(info.Path)})
}

// nameCoordinate gives the coordinate of a dimension that the job renames the new name.
func (b *builder) nameCoordinate(info *sources.Info) {
	if isCoordinate(info) {
		b.name = b.plan.Job.Dimensions[path.Base(info.Path)]
	}
}

// renamedAttributes returns the attributes of an array with the new names of dimensions
// and of their coordinates. It replaces names in the attributes by which CF refers to
// variables and dimensions.
func (b *builder) renamedAttributes(list zarr.Attributes) zarr.Attributes {
	if len(b.plan.Job.Dimensions) == 0 {
		return list
	}
	for _, name := range []string{
		"coordinates", "bounds", "climatology", "grid_mapping", "formula_terms", "ancillary_variables", "cell_measures", "cell_methods",
		"compress", "sample_dimension", "instance_dimension", "geometry", "node_coordinates",
		"node_count", "part_node_count", "interior_ring",
	} {
		var text string
		if json.Unmarshal(list.Get(name), &text) != nil {
			continue // there is none, or it is no text
		}
		renamed := renamedWords(text, name, b.plan.Job.Dimensions)
		if renamed == text {
			continue
		}
		list = list.With(name, jobfile.QuoteJSON(renamed))
		b.note("the attribute %s is %q with the new names of dimensions", name, renamed)
	}
	return list
}

// renamedWords returns the text of an attribute with words replaced. In cell_methods, the
// names of dimensions are the words before a colon, outside of parentheses. In
// formula_terms and cell_measures, the words before a colon are no names of variables.
func renamedWords(text, attribute string, names map[string]string) string {
	var b strings.Builder
	depth := 0
	for text != "" {
		space := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		b.WriteString(text[:space])
		text = text[space:]
		end := strings.IndexAny(text, " \t\r\n")
		if end < 0 {
			end = len(text)
		}
		word, labels := strings.CutSuffix(text[:end], ":")
		depth += strings.Count(word, "(")
		to, known := names[word]
		switch attribute {
		case "cell_methods":
			known = known && labels && depth == 0
		case "formula_terms", "cell_measures":
			known = known && !labels
		}
		if known {
			word = to
		}
		b.WriteString(word)
		if labels {
			b.WriteByte(':')
		}
		depth -= strings.Count(word, ")")
		text = text[end:]
	}
	return b.String()
}

// lostCoordinates warns of coordinates that the job renames although other arrays still
// refer to their old names: readers no longer find these coordinates. Some of the arrays
// are nil.
func (p *Plan) lostCoordinates(arrays []sources.Array) (ps jobfile.Problems) {
	if !slices.ContainsFunc(p.Job.Arrays, func(r jobfile.ArrayRule) bool { return r.Rename != "" }) {
		return nil
	}
	planned := map[string]bool{}
	for _, a := range arrays {
		if a != nil {
			planned[a.Info().Path] = true
		}
	}
	newName := func(at string) string {
		o, _ := p.Job.Options(at)
		return o.Rename
	}
	lost := map[string][]string{} // paths of the arrays that name a coordinate, by its path
	for _, a := range arrays {
		if a == nil {
			continue
		}
		info := a.Info()
		own := *info
		own.DimensionNames = p.Job.DimensionsOf(info)
		o, _ := p.Job.Options(info.Path)
		for _, given := range o.Attributes {
			own.Attributes = own.Attributes.With(given.Name, given.Value)
		}
		for _, at := range compare.CoordinatesOf(&own, func(path string) bool { return planned[path] }) {
			if to := newName(at); to != "" && to != path.Base(at) && p.Job.Dimensions[path.Base(at)] != to {
				lost[at] = append(lost[at], info.Path)
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(lost)) {
		_, field := p.Job.Options(at)
		to, old := newName(at), path.Base(at)
		hint := "give those arrays attributes and dimension_names with the new name"
		if slices.ContainsFunc(arrays, func(a sources.Array) bool { return a != nil && a.Info().Path == at && isCoordinate(a.Info()) }) {
			hint = fmt.Sprintf("dimensions: {%s: %s} renames the dimension with its coordinate", old, to)
		}
		w := p.Job.Problem(field+".rename", fmt.Sprintf("array %q becomes %q, but these arrays still name their coordinate %q, so readers do not find it: %s", at, to, old, jobfile.SomeOf(lost[at])), hint)
		w.Warning, w.Code = true, "renamed-coordinate"
		ps = append(ps, w)
	}
	return ps
}
