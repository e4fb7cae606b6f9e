package combine

import (
	"slices"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// findBounds finds the variables that are the bounds of other variables. The first
// member that has a variable decides.
func (c *combined) findBounds() {
	var infos []*sources.Info
	for _, path := range c.paths {
		v := c.vars[path]
		if i := v.first(); i >= 0 {
			infos = append(infos, v.parts[i].Info())
		}
	}
	c.bounds = compare.BoundsOf(slices.Values(infos))
}

// boundsOf returns the description, in member i, of the coordinate that has v as its
// bounds. It returns nil if v is not the bounds of a coordinate, or if the member lacks the
// coordinate.
func (c *combined) boundsOf(v *variable, i int) *sources.Info {
	coordinate := c.vars[c.bounds[v.path]]
	if coordinate == nil || coordinate.parts[i] == nil {
		return nil
	}
	return coordinate.parts[i].Info()
}

// inherit returns the descriptions a and b of bounds in two members, with the attributes
// that the bounds inherit from their coordinates ofA and ofB. If one of the coordinates is
// nil, the descriptions stay as they are. An attribute that the job gives to the coordinate
// is not inherited, unless a or b has it.
func (c *combined) inherit(a, b, ofA, ofB *sources.Info) (*sources.Info, *sources.Info) {
	if ofA == nil || ofB == nil {
		return a, b
	}
	x, y := *a, *b
	for _, name := range compare.Inherited() {
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
