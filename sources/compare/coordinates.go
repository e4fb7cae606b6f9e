package compare

import (
	"encoding/json"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
)

// CoordinatesOf returns the paths of the arrays that say where, and when, the elements of
// an array are: the coordinates of its dimensions, and what it names in the attributes
// coordinates, grid_mapping, bounds, climatology, formula_terms, and those of geometries
// (CF, chapters 4, 5 and 7). A name is looked up in the group of the array and in the
// groups above it; exists says which paths lead to arrays.
func CoordinatesOf(info *sources.Info, exists func(path string) bool) (paths []string) {
	for _, name := range info.DimensionNames {
		if name != "" {
			paths = addNearest(paths, info, name, exists)
		}
	}
	return addNamed(paths, info, exists, "coordinates", "grid_mapping", "bounds", "climatology", "formula_terms",
		"geometry", "node_coordinates", "node_count", "part_node_count", "interior_ring")
}

// CompanionsOf returns the paths of the arrays that tell more about the elements of an
// array, and that are data of their own: what it names in the attributes cell_measures and
// ancillary_variables (CF, sections 3.4 and 7.2).
func CompanionsOf(info *sources.Info, exists func(path string) bool) []string {
	return addNamed(nil, info, exists, "cell_measures", "ancillary_variables")
}

// addNamed adds the paths of the arrays that an array names in some attributes.
func addNamed(paths []string, info *sources.Info, exists func(path string) bool, attributes ...string) []string {
	for _, attribute := range attributes {
		for name := range NamesIn(info, attribute) {
			paths = addNearest(paths, info, name, exists)
		}
	}
	return paths
}

// addNearest adds the path of the array to which name refers in the array of info, if there
// is one.
func addNearest(paths []string, info *sources.Info, name string, exists func(path string) bool) []string {
	at, ok := Nearest(info.Path, name, exists)
	if ok && at != info.Path && !slices.Contains(paths, at) {
		paths = append(paths, at)
	}
	return paths
}

// Nearest returns the path of the array to which name refers in the array at the path from.
// This is the array of that name in the same group or, if there is none, in the nearest
// group above.
func Nearest(from, name string, exists func(path string) bool) (at string, ok bool) {
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		if at = path.Join(dir, name); exists(at) {
			return at, true
		}
		if dir == path.Dir(dir) { // "."
			return "", false
		}
	}
}

// NamesIn yields the names of variables in an attribute of an array. It yields none if the
// attribute is not a text.
func NamesIn(info *sources.Info, attribute string) iter.Seq[string] {
	return func(yield func(string) bool) {
		value := info.Attributes.Get(attribute)
		var text string
		if value == nil || json.Unmarshal(value, &text) != nil {
			return // the attribute is missing or not a text
		}
		for word := range strings.FieldsSeq(text) {
			name, labels := strings.CutSuffix(word, ":")
			if labels && (attribute == "formula_terms" || attribute == "cell_measures") {
				continue // the name of a term or a measure, before that of its variable
			}
			if !yield(name) {
				return
			}
		}
	}
}
