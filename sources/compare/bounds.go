package compare

import (
	"iter"

	"github.com/zmigrate/zmigrate/sources"
)

// BoundsOf finds the arrays that other arrays, their coordinates, name in an attribute
// bounds or climatology (CF, sections 7.1 and 7.4). It returns the paths of the
// coordinates by the paths of the bounds. A name is looked up in the group of the
// coordinate and in the groups above it.
func BoundsOf(infos iter.Seq[*sources.Info]) map[string]string {
	there := map[string]bool{}
	var bounded []*sources.Info
	for info := range infos {
		there[info.Path] = true
		if info.Attributes.Get("bounds") != nil || info.Attributes.Get("climatology") != nil {
			bounded = append(bounded, info)
		}
	}
	coordinates := map[string]string{}
	for _, info := range bounded {
		for _, attribute := range []string{"bounds", "climatology"} {
			for name := range NamesIn(info, attribute) {
				other := func(at string) bool { return there[at] && at != info.Path }
				if at, ok := Nearest(info.Path, name, other); ok {
					coordinates[at] = info.Path
				}
			}
		}
	}
	return coordinates
}

// Inherited lists the attributes that bounds inherit from their coordinate, unless they
// have such an attribute themselves (CF, section 7.1).
func Inherited() []string {
	return []string{"units", "calendar", "standard_name", "axis", "positive"}
}
