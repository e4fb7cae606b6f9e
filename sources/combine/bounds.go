package combine

import (
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

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
	c.bounds = compare.BoundsOf(infos)
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
