package jobfile

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// position is a place in a job file; line is 0 for a value from --set.
type position struct {
	file         string
	line, column int
}

// node is a value of a job file with aliases, merge keys and environment
// variables resolved: what JSON could say, and where it stands.
type node struct {
	kind kind
	at   position
	// text is the value of a string, or the JSON spelling of a number or boolean. A NaN or
	// an infinity is spelled as in Zarr's fill values: as a JSON string, with the quotes.
	text string
	// source is how the file spells a string that contains the value of a variable,
	// and "" for others. Such a string is read as a number or boolean where the field
	// wants one. Messages quote the source instead: the value may be a secret.
	source  string
	items   []*node  // of a list
	members []member // of a mapping, in file order
	// probe, if it is set, asks what a field takes, see [Schema]. The node has no value then.
	probe *probe
}

// member is a key of a mapping and its value; at is where the key stands.
type member struct {
	name  string
	at    position
	value *node
}

// get returns the value of a key of a mapping, nil where there is none.
func (n *node) get(name string) *node {
	if i := n.index(name); i >= 0 {
		return n.members[i].value
	}
	return nil
}

func (n *node) index(name string) int {
	return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
}

// json returns the node as JSON text; numbers keep their digits.
func (n *node) json() json.RawMessage { return n.appendJSON(nil) }

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case boolKind, numberKind, jsonKind:
		return append(b, n.text...)
	case stringKind:
		return append(b, QuoteJSON(n.text)...)
	case listKind:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	case mapKind:
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, QuoteJSON(m.name)...), ':')
			b = m.value.appendJSON(b)
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

// literal returns n. If n is a string that contains the value of a variable, literal returns
// the value that the same characters without quotes would be in the file.
func (n *node) literal() *node {
	if n.kind != stringKind || n.source == "" {
		return n
	}
	k, text := resolvePlain(n.text)
	return &node{kind: k, at: n.at, text: text, source: n.source}
}

// structured returns the list or mapping that the value of a variable spells, for a field that
// wants one. Other nodes come back as they are.
func (n *node) structured() *node {
	if n.kind != stringKind || n.source == "" || !strings.HasPrefix(n.text, "[") && !strings.HasPrefix(n.text, "{") {
		return n
	}
	var y yaml.Node
	if yaml.Unmarshal([]byte(n.text), &y) != nil || len(y.Content) != 1 {
		return n
	}
	return n.with(y.Content[0])
}

// with returns a part of the value of a variable, in the place of the node.
func (n *node) with(y *yaml.Node) *node {
	made := &node{at: n.at, source: n.source}
	switch y.Kind {
	case yaml.SequenceNode:
		made.kind = listKind
		for _, item := range y.Content {
			made.items = append(made.items, n.with(item))
		}
	case yaml.MappingNode:
		made.kind = mapKind
		for i := 0; i+1 < len(y.Content); i += 2 {
			made.members = append(made.members, member{y.Content[i].Value, n.at, n.with(y.Content[i+1])})
		}
	case yaml.ScalarNode:
		made.kind, made.text = stringKind, y.Value
		if y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
			made.kind, made.text = resolvePlain(y.Value)
		}
	}
	return made
}

// shown is a scalar in a message.
func (n *node) shown() string {
	if n.source != "" {
		return "the value of " + Clip(n.source, 60)
	}
	return Clip(string(n.json()), 60)
}

// quoted is a string, or the spelling of a number, in a message.
func (n *node) quoted() string {
	if n.source != "" || n.kind != stringKind {
		return n.shown()
	}
	return strconv.Quote(Clip(n.text, 60))
}

// integer reads a number that is a 64-bit integer.
func (n *node) integer() (int64, bool) {
	if n.kind != numberKind {
		return 0, false
	}
	v, err := strconv.ParseInt(n.text, 10, 64)
	return v, err == nil
}

// setter reads one value, found at a trail, to where it belongs. It is not
// called for null: a field without a value is one that is not given.
type setter func(n *node, at *trail)

// schema is a JSON Schema, or a part of one.
type schema map[string]any

// probe asks the functions that read fields what they take. Such a function describes it, and
// reads nothing.
type probe struct{ schema schema }
