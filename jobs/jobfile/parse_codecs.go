package jobfile

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
)

// codecs reads a codec chain, or the word keep. A chain replaces that of the defaults
// even if it cannot be read.
func (p *parser) codecs(dst *Codecs) setter {
	return func(n *node, at *trail) {
		if n.takes(schema{"anyOf": []schema{{"const": "keep"}, {"type": "array", "items": schema{"$ref": codecRef}}}}) {
			return
		}
		n = n.structured()
		*dst = Codecs{}
		if n.kind == stringKind && n.text == "keep" {
			*dst = Codecs{Keep: true}
			return
		}
		if n.kind != listKind {
			hint := ""
			if n.kind == stringKind {
				hint = fmt.Sprintf("write [%s]", Clip(n.text, 60))
			}
			p.want(n, at, `a list of codecs, or "keep"`, hint)
			return
		}
		before := p.problems.total()
		chain := make([]codecs.Spec, len(n.items))
		for i, item := range n.items {
			p.codec(&chain[i], item, at.item(i))
		}
		if p.problems.total() == before {
			*dst = Codecs{Chain: chain}
		}
	}
}

// codec reads one codec in any of its three forms: a bare name, a mapping from
// the name to the configuration, or Zarr v3's mapping with name,
// configuration and must_understand.
func (p *parser) codec(dst *codecs.Spec, n *node, at *trail) {
	switch {
	case n.kind == stringKind:
		p.str(&dst.Name)(n, at)
	case n.kind != mapKind:
		p.want(n, at, "a codec", "write bytes, or zstd: {level: 3}")
	case n.get("name") != nil:
		p.fields(n, at, map[string]setter{
			"name":            p.str(&dst.Name),
			"configuration":   p.configuration(dst),
			"must_understand": p.mustUnderstand,
		}, "name")
	case len(n.members) != 1:
		hint := "write zstd: {level: 3}, or name: and configuration:"
		if len(n.members) > 1 && slices.ContainsFunc(n.members[1:], func(m member) bool { return m.value.kind != nullKind }) &&
			n.members[0].value.kind == nullKind {
			hint = "is the configuration indented too little?"
		}
		p.report(n.at, at, fmt.Sprintf("a codec is a mapping with one key, its name; this one has %d", len(n.members)), hint)
	default:
		m := n.members[0]
		if dst.Name = m.name; m.name == "" {
			p.report(m.at, at, "the name of the codec is empty", "")
		}
		if m.value.kind != nullKind {
			p.configuration(dst)(m.value, at)
		}
	}
}

// configuration reads the configuration of a codec. Chains inside of it, such as those
// of shards, may have the same forms as the chains of a job.
func (p *parser) configuration(dst *codecs.Spec) setter {
	return func(n *node, at *trail) {
		if n.kind == mapKind && p.depth < maxChains {
			p.depth++
			n = p.longForms(n, at)
			p.depth--
		}
		p.raw(&dst.Configuration, "a mapping with the codec's configuration", mapKind)(n, at)
	}
}

// maxChains bounds how deep chains with short forms may be nested.
const maxChains = 10

// longForms returns a configuration with the codecs of its chains in Zarr v3's
// form.
func (p *parser) longForms(n *node, at *trail) *node {
	out := *n
	out.members = slices.Clone(n.members)
	for i, m := range out.members {
		if m.name != "codecs" && m.name != "index_codecs" || m.value.kind != listKind {
			continue
		}
		list := *m.value
		list.items = make([]*node, len(m.value.items))
		for k, item := range m.value.items {
			var s codecs.Spec
			p.codec(&s, item, at.key(m.name).item(k))
			list.items[k] = &node{kind: mapKind, at: item.at, members: []member{
				{name: "name", at: item.at, value: &node{kind: stringKind, at: item.at, text: s.Name}},
			}}
			if s.Configuration != nil {
				list.items[k].members = append(list.items[k].members, member{
					name: "configuration", at: item.at, value: &node{kind: jsonKind, at: item.at, text: string(s.Configuration)},
				})
			}
		}
		out.members[i].value = &list
	}
	return &out
}

// mustUnderstand allows only the default, true. A reader that skips a codec could not read
// the data.
func (p *parser) mustUnderstand(n *node, at *trail) {
	must := true
	if p.boolean(&must)(n, at); !must {
		p.report(n.at, at, "a codec always has to be understood", "leave it out")
	}
}
