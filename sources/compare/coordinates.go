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
// coordinates, grid_mapping, bounds, climatology and formula_terms (CF, chapters 4, 5 and
// 7). A name is looked up in the group of the array and in the groups above it, by exists.
func CoordinatesOf(info *sources.Info, exists func(path string) bool) (paths []string) {
	add := func(name string) {
		at, ok := Nearest(info.Path, name, exists)
		if ok && at != info.Path && !slices.Contains(paths, at) {
			paths = append(paths, at)
		}
	}
	for _, name := range info.DimensionNames {
		if name != "" {
			add(name)
		}
	}
	for _, attribute := range []string{"coordinates", "grid_mapping", "bounds", "climatology", "formula_terms"} {
		for name := range NamesIn(info, attribute) {
			add(name)
		}
	}
	return paths
}

// Nearest returns the path of the array with a name that the array at a path means: the
// one in its group, or else in the nearest group above.
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

// NamesIn yields the names of variables in an attribute of an array. There are none if the
// attribute is no text.
func NamesIn(info *sources.Info, attribute string) iter.Seq[string] {
	return func(yield func(string) bool) {
		value := info.Attributes.Get(attribute)
		var text string
		if value == nil || json.Unmarshal(value, &text) != nil {
			return // there is none, or it is no text
		}
		for word := range strings.FieldsSeq(text) {
			name, labels := strings.CutSuffix(word, ":")
			if labels && attribute == "formula_terms" {
				continue // the name of a term, before that of its variable
			}
			if !yield(name) {
				return
			}
		}
	}
}
