package jobfile

import "github.com/zmigrate/zmigrate/zarr"

// ruleIndex finds rules by the paths of arrays. A job may have thousands of rules.
type ruleIndex struct {
	exact map[string]int // the first rule with exactly this path
	globs []int          // the rules whose patterns are globs
}

// named returns the first rule with exactly the path of a node of the source, or with the
// path that the node gets in a Zarr hierarchy; -1 if there is none.
func (x *ruleIndex) named(path string) int {
	first := -1
	for _, name := range []string{path, zarr.CleanPath(path)} {
		if i, ok := x.exact[name]; ok && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}
