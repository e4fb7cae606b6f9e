package jobfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Field is a field of an array's options, and its value as YAML in one line.
type Field struct{ Name, Value string }

// SetArray returns the text of a job file in which the array of a path has these fields. What
// else the file says stays as it is, with all comments outside of the values that are replaced.
// It is an error if the file is not as block-style YAML usually is; the caller then has to
// tell the user what to write.
func SetArray(text []byte, array string, fields ...Field) ([]byte, error) {
	for _, f := range fields {
		var err error
		if text, err = setField(text, array, f); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// setField sets one field of an array.
func setField(text []byte, array string, f Field) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the file has no mapping")
	}
	e := editor{text: text}
	for i, b := range text {
		if b == '\n' {
			e.lines = append(e.lines, i+1)
		}
	}
	root := document.Content[0]
	return e.set(root, []string{"arrays", array, f.Name}, f.Value)
}

// editor changes a YAML text at places that its nodes tell.
type editor struct {
	text  []byte
	lines []int // offsets of the second line and all later ones
}

// set sets the value at a path of keys below a mapping.
func (e *editor) set(m *yaml.Node, keys []string, value string) ([]byte, error) {
	var key, at *yaml.Node
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == keys[0] {
			key, at = m.Content[i], m.Content[i+1]
		}
	}
	flow := m.Style&yaml.FlowStyle != 0
	switch {
	case key == nil && flow:
		// Behind the opening brace.
		start, err := e.offset(m)
		if err != nil {
			return nil, err
		}
		text := nested(keys, value, "", true)
		if len(m.Content) > 0 {
			text += ", "
		}
		return e.splice(start+1, start+1, text), nil
	case key == nil:
		return e.append(m, keys, value)
	case at.Kind == yaml.AliasNode || at.Anchor != "":
		return nil, fmt.Errorf("line %d: %s is shared by an anchor", key.Line, keys[0])
	case len(keys) > 1 && at.Kind == yaml.MappingNode:
		return e.set(at, keys[1:], value)
	case len(keys) > 1 && at.Tag != "!!null":
		return nil, fmt.Errorf("line %d: %s is no mapping", key.Line, keys[0])
	}
	// The value is replaced, from behind the colon on.
	start, err := e.offset(key)
	if err != nil {
		return nil, err
	}
	colon := bytes.IndexByte(e.text[min(start+len(key.Value), len(e.text)):], ':')
	if colon < 0 {
		return nil, fmt.Errorf("line %d: %s has no colon", key.Line, keys[0])
	}
	start += len(key.Value) + colon + 1
	end := start
	if at.Tag != "!!null" || at.Value != "" {
		if end, err = e.end(at); err != nil {
			return nil, err
		}
	}
	if len(keys) == 1 {
		return e.splice(start, end, " "+value), nil
	}
	if flow {
		return e.splice(start, end, " {"+nested(keys[1:], value, "", true)+"}"), nil
	}
	indent := strings.Repeat(" ", key.Column+1)
	return e.splice(e.lineEnd(start), e.lineEnd(start), "\n"+strings.TrimSuffix(nested(keys[1:], value, indent, false), "\n")), nil
}

// append adds a key to a block mapping, behind the last one.
func (e *editor) append(m *yaml.Node, keys []string, value string) ([]byte, error) {
	indent := ""
	at := len(e.text)
	if len(m.Content) > 0 {
		first, last := m.Content[0], m.Content[len(m.Content)-1]
		indent = strings.Repeat(" ", first.Column-1)
		end, err := e.end(last)
		if err != nil {
			return nil, err
		}
		at = e.lineEnd(end)
	}
	text := "\n" + strings.TrimSuffix(nested(keys, value, indent, false), "\n")
	if len(keys) == 3 { // a section of its own
		at = len(bytes.TrimRight(e.text, "\n"))
		text = "\n" + text + "\n"
		return e.splice(at, len(e.text), text), nil
	}
	return e.splice(at, at, text), nil
}

// nested returns keys within each other, the last with a value.
func nested(keys []string, value, indent string, flow bool) string {
	name := plainKey(keys[0])
	switch {
	case len(keys) == 1 && flow:
		return name + ": " + value
	case flow:
		return name + ": {" + nested(keys[1:], value, "", true) + "}"
	case len(keys) == 1:
		return indent + name + ": " + value + "\n"
	}
	return indent + name + ":\n" + nested(keys[1:], value, indent+"  ", false)
}

// plainKey returns a key as YAML, in quotes if it needs them.
func plainKey(key string) string {
	plain := key != "" && key[0] != '-' && !strings.ContainsFunc(key, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("_./-", c)
	})
	if plain {
		if k, _ := resolvePlain(key); k == stringKind {
			return key
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}

func (e *editor) splice(from, to int, by string) []byte {
	return bytes.Join([][]byte{e.text[:from], e.text[to:]}, []byte(by))
}

// offset returns where a node begins.
func (e *editor) offset(n *yaml.Node) (int, error) {
	at := 0
	if n.Line > 1 {
		if n.Line-2 >= len(e.lines) {
			return 0, fmt.Errorf("line %d is not in the file", n.Line)
		}
		at = e.lines[n.Line-2]
	}
	// Columns count characters.
	for range n.Column - 1 {
		if at >= len(e.text) {
			break
		}
		at++
		for at < len(e.text) && e.text[at]&0xc0 == 0x80 {
			at++
		}
	}
	return at, nil
}

// lineEnd returns where the line of an offset ends.
func (e *editor) lineEnd(at int) int {
	if n := bytes.IndexByte(e.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(e.text)
}

// end returns where a value ends, without the comment behind it.
func (e *editor) end(n *yaml.Node) (int, error) {
	start, err := e.offset(n)
	if err != nil || start >= len(e.text) {
		return len(e.text), err
	}
	switch {
	case n.Kind == yaml.AliasNode:
		return start + 1 + len(n.Value), nil
	case n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0:
		return e.closing(start)
	case n.Kind != yaml.ScalarNode:
		return e.end(n.Content[len(n.Content)-1])
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return 0, fmt.Errorf("line %d: a block of text", n.Line)
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return e.quote(start)
	}
	if n.Value == "" && n.Tag == "!!null" {
		return start, nil
	}
	if !bytes.HasPrefix(e.text[start:], []byte(n.Value)) {
		return 0, fmt.Errorf("line %d: a value of several lines", n.Line)
	}
	return start + len(n.Value), nil
}

// quote returns where the quoted text that begins at an offset ends.
func (e *editor) quote(at int) (int, error) {
	mark := e.text[at]
	for i := at + 1; i < len(e.text); i++ {
		switch {
		case mark == '"' && e.text[i] == '\\':
			i++
		case mark == '\'' && e.text[i] == mark && i+1 < len(e.text) && e.text[i+1] == mark:
			i++
		case e.text[i] == mark:
			return i + 1, nil
		}
	}
	return 0, errors.New("a quote has no end")
}

// closing returns where the list or mapping in flow style that begins at an offset ends.
func (e *editor) closing(at int) (int, error) {
	depth := 0
	for i := at; i < len(e.text); i++ {
		switch c := e.text[i]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		case (c == '"' || c == '\'') && strings.IndexByte(" \n[{,:", e.text[i-1]) >= 0:
			end, err := e.quote(i)
			if err != nil {
				return 0, err
			}
			i = end - 1
		case c == '#' && (e.text[i-1] == ' ' || e.text[i-1] == '\n'):
			i = e.lineEnd(i) - 1
		}
	}
	return 0, errors.New("a bracket has no end")
}
