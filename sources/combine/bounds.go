package combine

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
)

// BoundsOf finds the arrays that others name as their bounds, in an attribute
// bounds or climatology (CF, sections 7.1 and 7.4), and returns the paths of those
// others by theirs. A name is looked for in the group of the array that has it and
// in those above.
func BoundsOf(infos []*sources.Info) map[string]string {
	there := make(map[string]bool, len(infos))
	for _, info := range infos {
		there[info.Path] = true
	}
	coordinates := map[string]string{}
	for _, info := range infos {
		for _, attribute := range []string{"bounds", "climatology"} {
			var name string
			if json.Unmarshal(info.Attributes.Get(attribute), &name) != nil || strings.TrimSpace(name) == "" {
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

// Inherited lists the attributes that bounds have from their coordinate where they
// do not name them themselves (CF, section 7.1).
func Inherited() []string {
	return []string{"units", "calendar", "standard_name", "axis", "positive"}
}

// findBounds finds the variables that are bounds of others, by the first member
// that has each.
func (c *combined) findBounds() {
	var infos []*sources.Info
	for _, path := range c.paths {
		v := c.vars[path]
		if i := v.first(); i >= 0 {
			infos = append(infos, v.parts[i].Info())
		}
	}
	c.bounds = BoundsOf(infos)
}

// boundsOf describes the coordinate, in member i, of which a variable is the
// bounds, nil where it is none's.
func (c *combined) boundsOf(v *variable, i int) *sources.Info {
	coordinate := c.vars[c.bounds[v.path]]
	if coordinate == nil || coordinate.parts[i] == nil {
		return nil
	}
	return coordinate.parts[i].Info()
}

// inherit describes a variable in two members with what it has from its coordinates
// there, nil for what is not the bounds of any. What it has in none of them itself,
// and the coordinate from elsewhere in both, is not among that.
func (c *combined) inherit(a, b, ofA, ofB *sources.Info) (*sources.Info, *sources.Info) {
	if ofA == nil || ofB == nil {
		return a, b
	}
	x, y := *a, *b
	for _, name := range Inherited() {
		own, other := a.Attributes.Get(name), b.Attributes.Get(name)
		if own == nil && other == nil && c.given(c.vars[ofA.Path], name) {
			continue
		}
		if own == nil {
			x.Attributes = x.Attributes.With(name, ofA.Attributes.Get(name))
		}
		if other == nil {
			y.Attributes = y.Attributes.With(name, ofB.Attributes.Get(name))
		}
	}
	return &x, &y
}
