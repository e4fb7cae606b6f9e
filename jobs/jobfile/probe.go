package jobfile

import (
	"maps"
	"math"
	"slices"
)

// codecRef is the place of the schema of a codec.
const codecRef = "#/$defs/codec"

// newProbe returns a node that asks what a field takes, with an item that asks what the items of
// its list take.
func newProbe() *node {
	return &node{probe: &probe{}, items: []*node{{probe: &probe{}, items: []*node{{probe: &probe{}}}}}}
}

// hasVariable is the pattern of texts with a variable of the environment, which a field of any kind
// takes.
const hasVariable = `\$\{`

// takes describes what a field takes, if the node is a probe. It returns whether the node is
// one.
func (n *node) takes(s schema) bool {
	if n.probe == nil {
		return false
	}
	n.probe.schema = s
	return true
}

// takesEither is takes for a field that takes what one of several functions reads.
func (n *node) takesEither(at *trail, alternatives ...setter) bool {
	if n.probe == nil {
		return false
	}
	var list []schema
	for _, read := range alternatives {
		list = append(list, asked(read, at))
	}
	n.probe.schema = schema{"anyOf": list}
	return true
}

// takesNamed is takes for a mapping with any names, of which each value is what a function reads.
func (n *node) takesNamed(at *trail, read setter) bool {
	if n.probe == nil {
		return false
	}
	n.probe.schema = schema{"type": "object", "additionalProperties": orNull(asked(read, at.key("*")))}
	return true
}

// asked returns what a function reads.
func asked(read setter, at *trail) schema {
	n := newProbe()
	read(n, at)
	return n.probe.schema
}

// mappingOf describes a mapping with known fields.
func mappingOf(at *trail, known map[string]setter, required []string) schema {
	properties := schema{}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		field := asked(known[name], at.key(name))
		if _, never := field["not"]; never {
			continue
		}
		field = orNull(field)
		if text := describedField(at.key(name).String()); text != "" {
			field["description"] = text
		}
		properties[name] = field
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// orNull is a schema that also takes null, which means that a field is not given.
func orNull(s schema) schema {
	s = maps.Clone(s)
	switch t := s["type"].(type) {
	case string:
		s["type"] = []string{t, "null"}
	case []string:
		if !slices.Contains(t, "null") {
			s["type"] = append(slices.Clone(t), "null")
		}
	default:
		if any, ok := s["anyOf"].([]schema); ok {
			s["anyOf"] = append(slices.Clone(any), schema{"type": "null"})
		}
	}
	return s
}

// wordOf describes one of a few words.
func wordOf(words ...string) schema {
	return schema{"anyOf": []schema{{"enum": words}, {"type": "string", "pattern": hasVariable}}}
}

// integerFrom describes an integer.
func integerFrom(least, most int64) schema {
	s := schema{"type": []string{"integer", "string"}, "minimum": least, "pattern": hasVariable}
	if most != math.MaxInt64 {
		s["maximum"] = most
	}
	return s
}

// anyOfKinds describes a value of one of some kinds.
func anyOfKinds(kinds []kind) schema {
	names := map[kind]string{boolKind: "boolean", numberKind: "number", stringKind: "string", listKind: "array", mapKind: "object"}
	var list []string
	for _, k := range kinds {
		list = append(list, names[k])
	}
	return schema{"type": list}
}
