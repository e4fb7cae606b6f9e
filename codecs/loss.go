package codecs

import (
	"math"
	"strconv"
)

// Loss is one way in which a bound codec makes other values of those that it
// stores. It is known before any data is read.
type Loss struct {
	Name string // of the codec, that of the inner one of codecs within each other
	What string // becomes of values, such as "rounded to whole numbers"
	// AtMost is how far a value that comes back may be from the one that was
	// stored; 0 where What tells, or where no bound is known beforehand.
	AtMost float64
}

// String is What with the bound.
func (l Loss) String() string {
	if l.AtMost == 0 {
		return l.What
	}
	return l.What + ", at most " + strconv.FormatFloat(l.AtMost, 'g', 6, 64) + " away"
}

// Losses lists the losses of a chain in the order of its codecs, their bounds in
// the numbers of the chunk. A codec that is no [Lossy] has that of its definition.
func (c *Chain) Losses() []Loss {
	var list []Loss
	unit := 1.0
	for i, codec := range c.bound() {
		own, known := []Loss(nil), c.list[i].Lossy == ""
		if l, ok := codec.(Lossy); ok {
			own, known = l.Losses(), true
		}
		if !known {
			own = []Loss{{What: c.list[i].Lossy}}
		}
		for _, l := range own {
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

// Losses implements [Lossy] with those of the inner chain.
func (s *Shards) Losses() []Loss { return s.inner.Losses() }

// Unstable returns the name of the first codec, those of inner chunks included, that
// may change values which it has decoded before when they are encoded again; ""
// where there is none. A codec that loses something is one unless it is [Stable].
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
