package codecs

import (
	"math"
)

// Losses lists the losses of a chain in the order of its codecs. The bounds are in the
// units of the chunk's values. For a codec that is not [Lossy], the loss is the one
// that its definition states.
func (c *Chain) Losses() []Loss {
	var list []Loss
	unit := 1.0
	for i, codec := range c.bound() {
		for _, l := range c.lossesOf(i, codec) {
			if l.Name == "" {
				l.Name = c.specs[i].Name
			}
			if l.AtMost *= unit; math.IsInf(l.AtMost, 0) {
				l.AtMost = 0
			}
			list = append(list, l)
		}
		if s, ok := codec.(Rescaling); ok {
			unit *= s.Unit()
		}
	}
	return list
}

// lossesOf returns the losses of codec i, in the units of the values that it receives.
func (c *Chain) lossesOf(i int, codec any) []Loss {
	if l, ok := codec.(Lossy); ok {
		return l.Losses()
	}
	if c.list[i].Lossy != "" {
		return []Loss{{What: c.list[i].Lossy}}
	}
	return nil
}

// Losses implements [Lossy] with the losses of the inner chain.
func (s *Shards) Losses() []Loss { return s.inner.Losses() }

// Unstable returns the name of the first codec that may change values which it has
// decoded before, when they are encoded again. It returns "" if there is no such codec.
// Codecs of inner chunks count, too. A lossy codec is unstable unless its trait
// [Stable] says otherwise.
func (c *Chain) Unstable() string {
	list := c.bound()
	for i, codec := range list {
		if s, ok := codec.(Container); ok {
			if name := s.Layout().inner.Unstable(); name != "" {
				return name
			}
		}
		var next any
		if i+1 < len(list) {
			next = list[i+1]
		}
		if s, ok := codec.(Stable); c.list[i].Lossy != "" && (!ok || !s.Stable(next)) {
			return c.specs[i].Name
		}
	}
	return ""
}
