package compare

import (
	"encoding/json"
	"iter"
	"path"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
)

// BoundsOf finds the arrays that other arrays, their coordinates, name in an attribute
// bounds or climatology (CF, sections 7.1 and 7.4). It returns the paths of the
// coordinates by the paths of the bounds. A name is looked up in the group of the
// coordinate and in the groups above it.
func BoundsOf(infos iter.Seq[*sources.Info]) map[string]string {
	there := map[string]bool{}
	for info := range infos {
		there[info.Path] = true
	}
	coordinates := map[string]string{}
	for info := range infos {
		for _, attribute := range []string{"bounds", "climatology"} {
			text, name := info.Attributes.Get(attribute), ""
			if text == nil || json.Unmarshal(text, &name) != nil || strings.TrimSpace(name) == "" {
				continue // there is none, or it is no text
			}
			for dir := path.Dir(info.Path); ; dir = path.Dir(dir) {
				if at := path.Join(dir, strings.TrimSpace(name)); there[at] && at != info.Path {
					coordinates[at] = info.Path
					break
				}
				if dir == path.Dir(dir) { // "."
					break
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
