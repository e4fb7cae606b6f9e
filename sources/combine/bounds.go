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

// boundsOf describes the coordinate, in member i, whose bounds a variable is; nil if the
// variable is no bounds.
func (c *combined) boundsOf(v *variable, i int) *sources.Info {
	coordinate := c.vars[c.bounds[v.path]]
	if coordinate == nil || coordinate.parts[i] == nil {
		return nil
	}
	return coordinate.parts[i].Info()
}

// inherit describes bounds in two members with the attributes that they inherit from
// their coordinates there, ofA and ofB; with nil for one of these the descriptions stay
// as they are. An attribute that neither description has is not inherited where the job
// gives it to the coordinate.
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
