package jobfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// trail is the way from the root of a job file to a value in it. The root is
// nil. It is turned into text only when a message needs it.
type trail struct {
	parent *trail
	step
}

// step is one part of a trail: a key, or an index when name is not set.
type step struct {
	name  string
	index int // -1 for a key
}

func (t *trail) key(name string) *trail { return &trail{t, step{name, -1}} }
func (t *trail) item(index int) *trail  { return &trail{t, step{"", index}} }

// trailOf returns the trail that steps make.
func trailOf(steps []step) *trail {
	var t *trail
	for _, s := range steps {
		t = &trail{t, s}
	}
	return t
}

// String spells the trail as messages and --set do: keys joined by dots,
// indexes in brackets; a key that would be ambiguous is a JSON string in
// brackets: arrays["a.b"].codecs[1].
func (t *trail) String() string {
	var steps []step
	for ; t != nil; t = t.parent {
		steps = append(steps, t.step)
	}
	var b strings.Builder
	for _, s := range slices.Backward(steps) {
		name := Clip(s.name, 200)
		switch {
		case s.index >= 0:
			fmt.Fprintf(&b, "[%d]", s.index)
		case name == "" || strings.ContainsAny(name, ".[]=\" \t\r\n") || strconv.QuoteToGraphic(name) != `"`+name+`"`:
			b.WriteString("[" + string(QuoteJSON(name)) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(name)
		}
	}
	return b.String()
}

// FieldPath spells the path of a field from its keys as [Job.Problem] and
// --set read it: FieldPath("arrays", "a.b", "chunks") is
// `arrays["a.b"].chunks`.
func FieldPath(keys ...string) string {
	var t *trail
	for _, k := range keys {
		t = t.key(k)
	}
	return t.String()
}

// parsePath reads what String wrote. It stops before an equals sign outside of
// quotes, and returns what is left from there.
func parsePath(text string) (steps []step, rest string, err error) {
	for text != "" && text[0] != '=' {
		if text[0] == '[' {
			s, after, err := parseBracket(text[1:])
			if err != nil {
				return nil, "", err
			}
			steps, text = append(steps, s), after
			continue
		}
		if len(steps) > 0 {
			if text[0] != '.' {
				return nil, "", fmt.Errorf("want a dot or a bracket before %q", Clip(text, 40))
			}
			text = text[1:]
		}
		end := strings.IndexAny(text, ".[=")
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			return nil, "", fmt.Errorf("a name is empty")
		}
		steps, text = append(steps, step{text[:end], -1}), text[end:]
	}
	if len(steps) == 0 {
		return nil, "", fmt.Errorf("the path is empty")
	}
	return steps, text, nil
}

// parseBracket reads an index or a JSON string up to the closing bracket.
func parseBracket(text string) (step, string, error) {
	if !strings.HasPrefix(text, `"`) {
		digits, after, ok := strings.Cut(text, "]")
		index, err := strconv.ParseUint(digits, 10, 31)
		if !ok || err != nil {
			return step{}, "", fmt.Errorf("%q is not an index in brackets", "["+Clip(text, 40))
		}
		return step{"", int(index)}, after, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	var name string
	err := d.Decode(&name)
	after, ok := strings.CutPrefix(text[min(int(d.InputOffset()), len(text)):], "]")
	if err != nil || !ok {
		return step{}, "", fmt.Errorf("%q is not a quoted name in brackets", "["+Clip(text, 40))
	}
	return step{name, -1}, after, nil
}
