package jobfile

import "math"

// chunks reads the field chunks.
func (p *parser) chunks(o *ArrayOptions) setter {
	return func(n *node, at *trail) {
		if n.takesEither(at, p.enum(new(string), "auto", "keep"), p.shape(new([]int), 1), extentOrAuto(p)) {
			return
		}
		n = n.structured()
		o.FromDefaults.Chunks = false
		var c Chunks
		switch n.kind {
		case listKind:
			p.shape(&c.Shape, 1)(n, at)
		case mapKind:
			c.By = p.extents(n, at, true)
		case stringKind:
			var word string
			p.enum(&word, "auto", "keep")(n, at)
			c.Auto, c.Keep = word == "auto", word == "keep"
		default:
			p.want(n, at, `a list of integers, a mapping from names of dimensions, "auto" or "keep"`, "")
		}
		o.Chunks = c
	}
}

// extentOrAuto describes a mapping from names of dimensions to extents, for a schema.
func extentOrAuto(p *parser) setter {
	return func(n *node, at *trail) {
		n.takesNamed(at, func(n *node, at *trail) {
			n.takesEither(at, p.count(new(int), 1, math.MaxInt64), func(n *node, _ *trail) { n.takes(schema{"const": "auto"}) })
		})
	}
}

// access settles the fields chunks and access of a section. If one of them is of the
// defaults, what the section itself says replaces it. Extents by the names of dimensions go
// with access.
func (p *parser) access(n *node, o *ArrayOptions) {
	given := func(field string) bool { v := n.get(field); return v != nil && v.kind != nullKind }
	fixed := o.Chunks.Keep || o.Chunks.Shape != nil
	switch {
	case o.Access == "" || o.Chunks.By != nil:
	case given("chunks") && !given("access"):
		o.Access = ""
	case !fixed || given("access") && !given("chunks"):
		o.Chunks, o.FromDefaults.Chunks = Chunks{Auto: true}, false
	}
}

// shards reads the field shards.
func (p *parser) shards(o *ArrayOptions) setter {
	return func(n *node, at *trail) {
		if n.takesEither(at, p.shape(new([]int), 1), func(n *node, at *trail) { n.takesNamed(at, p.count(new(int), 1, math.MaxInt64)) }) {
			return
		}
		n = n.structured()
		o.FromDefaults.Shards = false
		o.Shards, o.ShardsBy = nil, nil
		switch n.kind {
		case mapKind:
			o.ShardsBy = p.extents(n, at, false)
		case listKind:
			p.shape(&o.Shards, 1)(n, at)
		default:
			p.want(n, at, "a list of integers, or a mapping from names of dimensions", "")
		}
	}
}

// extents reads extents by the names of dimensions.
func (p *parser) extents(n *node, at *trail, auto bool) Extents {
	list := make(Extents, len(n.members))
	if len(list) == 0 {
		p.report(n.at, at, "names no dimension", "")
	}
	for i, m := range n.members {
		field := at.key(m.name)
		list[i].Dimension = m.name
		switch {
		case m.name == "":
			p.report(m.at, field, "the name of the dimension is empty", "")
		case m.value.kind == nullKind:
			p.report(m.at, field, "has no extent", "")
		case auto && m.value.kind == stringKind && m.value.text == "auto":
		default:
			p.count(&list[i].Elements, 1, math.MaxInt64)(m.value, field)
		}
	}
	return list
}
