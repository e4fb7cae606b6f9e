package codecs

import "slices"

// Preferred returns Specs with the names that most programs know, for codecs that have two
// names; see [Renamed]. changed reports whether the result differs from Specs.
func (c *Chain) Preferred() (specs []Spec, changed bool) {
	return c.named(func(r Renamed) Spec {
		preferred, _ := r.Names()
		return preferred
	})
}

// Former returns Specs with the names that earlier versions of this program wrote. If two
// chains differ in the names of codecs alone, their results are the same. changed reports
// whether the result differs from Specs.
func (c *Chain) Former() (specs []Spec, changed bool) {
	return c.named(func(r Renamed) Spec {
		_, former := r.Names()
		return former
	})
}

// named returns Specs with the chosen names, also for the codecs of inner chunks.
func (c *Chain) named(choose func(Renamed) Spec) (specs []Spec, changed bool) {
	specs = slices.Clone(c.full)
	for i, b := range c.bound() {
		switch b := b.(type) {
		case Renamed:
			if s := choose(b); s.Name != specs[i].Name {
				specs[i], changed = s, true
			}
		case InnerNaming:
			shards := c.container()
			if shards == nil {
				continue
			}
			if inner, other := shards.inner.named(choose); other {
				specs[i].Configuration, changed = b.SpecWithInner(inner).Configuration, true
			}
		}
	}
	return specs, changed
}
