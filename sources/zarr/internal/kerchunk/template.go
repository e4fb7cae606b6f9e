package kerchunk

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// template is a text with expressions in {{ }}.
type template string

// expand replaces the expressions by their values. As in Jinja2, one line end at the end of the
// text is dropped.
func (t template) expand(s *scope) (string, error) {
	if s.depth > deepest {
		return "", badTemplate("templates use each other more than %d times", deepest)
	}
	var out strings.Builder
	rest := string(t)
	for {
		before, after, found := strings.Cut(rest, "{{")
		if strings.Contains(before, "{%") || strings.Contains(before, "{#") {
			return "", badTemplate("%.60q has a statement or a comment, which are not understood", t)
		}
		out.WriteString(before)
		if !found {
			break
		}
		inner, behind, closed := strings.Cut(after, "}}")
		if !closed {
			return "", badTemplate("%.60q has {{ without }}", t)
		}
		v, err := evaluate(inner, s)
		if err != nil {
			return "", err
		}
		out.WriteString(text(v))
		if out.Len() > mostText {
			return "", badTemplate("a text of more than %d bytes", mostText)
		}
		rest = behind
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// newScope returns the names that a table defines in templates.
func newScope(templates map[string]string) *scope {
	s := &scope{values: map[string]value{}, templates: map[string]func(*scope) (string, error){}}
	for name, t := range templates {
		if strings.Contains(t, "{{") {
			s.templates[name] = template(t).expand
		} else {
			s.values[name] = t
		}
	}
	return s
}

// generated is an element of gen: a rule that makes many references.
type generated struct {
	Key        string     `json:"key"`
	URL        string     `json:"url"`
	Offset     *string    `json:"offset"`
	Length     *string    `json:"length"`
	Dimensions dimensions `json:"dimensions"`
}

// dimension is a name and the values that it has in turn.
type dimension struct {
	name   string
	values []value // nil: first, first + step … below stop

	first, stop, step int64
}

func (d *dimension) count() int64 {
	switch {
	case d.values != nil:
		return int64(len(d.values))
	case d.step > 0 && d.first < d.stop:
		return int64((uint64(d.stop-d.first)-1)/uint64(d.step) + 1)
	case d.step < 0 && d.first > d.stop:
		return int64((uint64(d.first-d.stop)-1)/uint64(-d.step) + 1)
	}
	return 0
}

func (d *dimension) at(i int64) value {
	if d.values != nil {
		return d.values[i]
	}
	return d.first + i*d.step
}

// dimensions are in the order of the document, in which the last one varies fastest.
type dimensions []dimension

// UnmarshalJSON implements [json.Unmarshaler].
func (l *dimensions) UnmarshalJSON(data []byte) error {
	in := json.NewDecoder(strings.NewReader(string(data)))
	if token, err := in.Token(); err != nil || token != json.Delim('{') {
		return errors.Join(errors.New("dimensions: an object is wanted"), err)
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := in.Decode(&raw); err != nil {
			return err
		}
		d := dimension{name: name.(string)}
		if err := d.parse(raw); err != nil {
			return fmt.Errorf("dimensions.%.60s: %w", d.name, err)
		}
		*l = append(*l, d)
	}
	return nil
}

// parse reads a list of values, or start, stop and step.
func (d *dimension) parse(raw json.RawMessage) error {
	if raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return err
		}
		d.values = []value{}
		for _, one := range list {
			var v value
			var s string
			var n int64
			switch {
			case string(one) == "null":
				return errors.New("null is neither an integer nor a text")
			case json.Unmarshal(one, &n) == nil:
				v = n
			case json.Unmarshal(one, &s) == nil:
				v = s
			default:
				return fmt.Errorf("%.30s is neither an integer nor a text", one)
			}
			d.values = append(d.values, v)
		}
		return nil
	}
	var span struct {
		Start int64  `json:"start"`
		Stop  *int64 `json:"stop"`
		Step  *int64 `json:"step"`
	}
	if err := json.Unmarshal(raw, &span); err != nil {
		return err
	}
	if span.Stop == nil {
		return errors.New("stop is missing")
	}
	d.first, d.stop, d.step = span.Start, *span.Stop, 1
	if span.Step != nil {
		d.step = *span.Step
	}
	const most = 1 << 62 // so that no difference overflows
	for _, n := range []int64{d.first, d.stop, d.step} {
		if n >= most || n <= -most {
			return fmt.Errorf("%d is too large", n)
		}
	}
	if d.step == 0 {
		return errors.New("a step of 0")
	}
	return nil
}

// each calls add for each reference that a rule makes: -1 as the length stands for the whole
// file.
func (g *generated) each(s *scope, add func(key, url string, off, length int64) error) error {
	if (g.Offset == nil) != (g.Length == nil) {
		return errors.New("offset and length belong together")
	}
	counts, all := make([]int64, len(g.Dimensions)), int64(1)
	for k := range g.Dimensions {
		counts[k] = g.Dimensions[k].count()
		if counts[k] > 0 && all > math.MaxInt32/counts[k] {
			return fmt.Errorf("it makes more than %d references", math.MaxInt32)
		}
		all *= counts[k]
	}
	in := &scope{values: maps.Clone(s.values), templates: s.templates}
	for n := range all {
		rest := n
		for k := len(counts) - 1; k >= 0; k-- {
			in.values[g.Dimensions[k].name] = g.Dimensions[k].at(rest % counts[k])
			rest /= counts[k]
		}
		key, err := template(g.Key).expand(in)
		if err != nil {
			return err
		}
		url, err := template(g.URL).expand(in)
		if err != nil {
			return err
		}
		off, length := int64(0), int64(-1)
		if g.Offset != nil {
			if off, err = number(*g.Offset, in); err != nil {
				return fmt.Errorf("offset: %w", err)
			}
			if length, err = number(*g.Length, in); err != nil {
				return fmt.Errorf("length: %w", err)
			}
		}
		if err := add(key, url, off, length); err != nil {
			return err
		}
	}
	return nil
}

// number expands a template to a number.
func number(t string, s *scope) (int64, error) {
	text, err := template(t).expand(s)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%.30q is not a number of bytes", text)
	}
	return n, nil
}
