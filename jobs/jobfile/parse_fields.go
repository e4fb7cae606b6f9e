package jobfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

// parser turns nodes into a Job and reports everything that does not fit.
type parser struct {
	job      *Job
	problems *collector
	drivers  sources.Drivers
	depth    int // of codec chains within each other
}

func (p *parser) report(where position, at *trail, message, hint string) {
	p.problems.add(Problem{
		File: where.file, Line: where.line, Column: where.column, Field: at.String(),
		Message: hide(p.job.hidden, message), Hint: hide(p.job.hidden, hint),
	})
}

// want reports a value of the wrong kind.
func (p *parser) want(n *node, at *trail, what, hint string) {
	got := n.kind.String()
	if n.kind == stringKind || n.kind == numberKind {
		got += " (" + n.shown() + ")"
	}
	p.report(n.at, at, "want "+what+", not "+got, hint)
}

// fields reads a mapping whose keys are all in known. Those in required have
// to be there.
func (p *parser) fields(n *node, at *trail, known map[string]setter, required ...string) {
	if n.probe != nil {
		n.takes(mappingOf(at, known, required))
		return
	}
	if n.kind != mapKind {
		p.want(n, at, "a mapping with "+someKeys(known), "")
		return
	}
	for _, m := range n.members {
		read, ok := known[m.name]
		switch {
		case !ok:
			p.report(m.at, at.key(m.name), "unknown key", unknownKey(m.name, slices.Collect(maps.Keys(known))))
		case m.value.kind != nullKind:
			read(m.value, at.key(m.name))
		}
	}
	for _, name := range required {
		if v := n.get(name); v == nil || v.kind == nullKind {
			p.problems.add(p.job.Problem(at.key(name).String(), "is required", ""))
		}
	}
}

// someKeys names the fields of a mapping, or some of them if there are many.
func someKeys(known map[string]setter) string {
	names := slices.Sorted(maps.Keys(known))
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// str reads a string that is not empty.
func (p *parser) str(dst *string) setter {
	return func(n *node, at *trail) {
		switch {
		case n.takes(schema{"type": "string", "minLength": 1}):
		case n.kind != stringKind:
			hint := ""
			if n.kind == numberKind || n.kind == boolKind {
				hint = `write "` + Clip(strings.Trim(n.text, `"`), 60) + `" in quotes`
			}
			p.want(n, at, "a string", hint)
		case n.text == "":
			p.report(n.at, at, "is empty", "")
		default:
			*dst = n.text
		}
	}
}

// enum reads one of a few words.
func (p *parser) enum(dst *string, words ...string) setter {
	return func(n *node, at *trail) {
		switch {
		case n.takes(wordOf(words...)):
		case n.kind != stringKind:
			p.want(n, at, "one of "+strings.Join(words, ", "), "")
		case !slices.Contains(words, n.text):
			hint := DidYouMean(n.text, words)
			p.report(n.at, at, fmt.Sprintf("%s is not one of %s", n.quoted(), strings.Join(words, ", ")), unlessListed(hint))
		default:
			*dst = n.text
		}
	}
}

func (p *parser) boolean(dst *bool) setter {
	return func(n *node, at *trail) {
		if n.takes(schema{"type": []string{"boolean", "string"}, "pattern": hasVariable}) {
			return
		}
		if n = n.literal(); n.kind != boolKind {
			p.want(n, at, "true or false", "")
			return
		}
		*dst = n.text == "true"
	}
}

// integer reads an integer from least to most.
func (p *parser) integer(dst *int64, least, most int64) setter {
	return func(n *node, at *trail) {
		if n.takes(integerFrom(least, most)) {
			return
		}
		n = n.literal()
		v, ok := n.integer()
		switch {
		case n.kind != numberKind:
			hint := ""
			if k, text := resolvePlain(n.text); n.kind == stringKind && k == numberKind {
				hint = "write " + Clip(text, 60) + " without quotes"
			}
			p.want(n, at, "an integer", hint)
		case !ok || v < least || v > most:
			bounds := fmt.Sprintf("at least %d", least)
			if most != math.MaxInt64 {
				bounds = fmt.Sprintf("from %d to %d", least, most)
			}
			p.report(n.at, at, fmt.Sprintf("want an integer %s, not %s", bounds, n.shown()), "")
		default:
			*dst = v
		}
	}
}

func (p *parser) count(dst *int, least, most int64) setter {
	return func(n *node, at *trail) {
		v := int64(*dst)
		p.integer(&v, least, most)(n, at)
		*dst = int(v)
	}
}

// rate reads a number that is not negative.
func (p *parser) rate(dst *float64) setter {
	return func(n *node, at *trail) {
		if n.takes(schema{"type": []string{"number", "string"}, "minimum": 0, "pattern": hasVariable}) {
			return
		}
		n = n.literal()
		v, err := strconv.ParseFloat(n.text, 64)
		if n.kind != numberKind || err != nil || v < 0 {
			p.want(n, at, "a number that is not negative", "")
			return
		}
		*dst = v
	}
}

// list reads each item of a list with the setter that item returns for it.
func (p *parser) list(n *node, at *trail, what string, item func(i int) setter) bool {
	if n.probe != nil {
		item(0)(n.items[0], at.item(0))
		n.takes(schema{"type": "array", "items": n.items[0].probe.schema})
		return false
	}
	if n.kind != listKind {
		hint := ""
		if n.kind == stringKind {
			hint = "a list of one: [" + n.shown() + "]"
		}
		p.want(n, at, what, hint)
		return false
	}
	for i, v := range n.items {
		item(i)(v, at.item(i))
	}
	return true
}

// shape reads a list of integers of at least least.
func (p *parser) shape(dst *[]int, least int64) setter {
	return func(n *node, at *trail) {
		n = n.structured()
		before := p.problems.total()
		shape := make([]int, len(n.items))
		p.list(n, at, "a list of integers", func(i int) setter { return p.count(&shape[i], least, math.MaxInt64) })
		if before == p.problems.total() {
			*dst = shape
		}
	}
}

// names reads dimension names: strings, and null for a dimension without one.
func (p *parser) names(dst *[]*string) setter {
	return func(n *node, at *trail) {
		if n.takes(schema{"type": "array", "items": schema{"type": []string{"string", "null"}}}) {
			return
		}
		list := make([]*string, len(n.items))
		ok := p.list(n, at, "a list of names", func(i int) setter {
			return func(n *node, at *trail) {
				if n.kind != nullKind {
					list[i] = new(string)
					p.str(list[i])(n, at)
				}
			}
		})
		if ok {
			*dst = list
		}
	}
}

// raw reads a value of one of the given kinds as JSON.
func (p *parser) raw(dst *json.RawMessage, what string, kinds ...kind) setter {
	return func(n *node, at *trail) {
		if n.takes(anyOfKinds(kinds)) {
			return
		}
		if !slices.Contains(kinds, n.kind) {
			p.want(n, at, what, "")
			return
		}
		*dst = n.json()
	}
}

// location reads a path or URL and resolves it against the job's folder.
func (p *parser) location(dst *Location) setter {
	return func(n *node, at *trail) {
		var text string
		if p.str(&text)(n, at); text == "" {
			return
		}
		if strings.ContainsRune(text, 0) {
			p.report(n.at, at, "has a NUL byte, which no path may have", "")
			return
		}
		url, err := store.Join(p.job.Dir, text)
		if err != nil {
			p.report(n.at, at, err.Error(), "")
			return
		}
		*dst = Location{text, url}
	}
}

// glob is location for a path or URL that may have the characters of a glob.
func (p *parser) glob(dst *Location) setter {
	return func(n *node, at *trail) {
		p.location(dst)(n, at)
		if name, _, _ := strings.Cut(dst.Text, "?"); strings.Contains(name, "**") {
			p.report(n.at, at, "** is not known here: * stands for any part of one name, and no glob for folders of any depth", "list a glob for each depth: [data/*.nc, data/*/*.nc]")
		}
	}
}

// locations reads one path or URL, or a list of them.
func (p *parser) locations(dst *[]Location) setter {
	return func(n *node, at *trail) {
		if n.takesEither(at, p.str(new(string)), func(n *node, at *trail) {
			p.list(n, at, "", func(int) setter { return p.str(new(string)) })
		}) {
			return
		}
		if n.kind != listKind {
			*dst = make([]Location, 1)
			p.glob(&(*dst)[0])(n, at)
			return
		}
		if len(n.items) == 0 {
			p.report(n.at, at, "the list is empty", "")
		}
		list := make([]Location, len(n.items))
		p.list(n, at, "", func(i int) setter { return p.glob(&list[i]) })
		*dst = list
	}
}

var sizeUnits = map[string]float64{
	"B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}

// ParseSize reads a number of bytes with a unit, such as 64MiB; false if the text is none.
func ParseSize(text string) (bytes int64, ok bool) {
	number := strings.TrimRight(text, "BKMGTPikmgtpb")
	unit, known := sizeUnits[text[len(number):]]
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !known || err != nil || v < 0 || v*unit >= math.MaxInt64 {
		return 0, false
	}
	return int64(v * unit), true
}

// size reads a number of bytes, plain or with a unit: "64MiB", "1.5 GB".
func (p *parser) size(dst *int64, least int64) setter {
	return func(n *node, at *trail) {
		if n.takes(schema{"type": []string{"integer", "string"}, "minimum": least, "pattern": `^[0-9.]+ ?(B|[kKMGT]B|[KMGT]iB)?$|` + hasVariable}) {
			return
		}
		bytes, ok := int64(0), false
		if n = n.literal(); n.kind == numberKind {
			bytes, ok = n.integer()
		} else if n.kind == stringKind {
			bytes, ok = ParseSize(n.text)
		}
		switch {
		case !ok:
			p.want(n, at, "a number of bytes", `such as 64MiB, 500MB or 1GiB`)
		case bytes < least:
			number := fmt.Sprint(bytes)
			if n.source != "" {
				number = n.shown() + " in"
			}
			p.report(n.at, at, number+" bytes are too few", fmt.Sprintf("at least %dMiB", least>>20))
		default:
			*dst = bytes
		}
	}
}

// duration reads a time such as "5s" or "1m30s", greater than zero.
func (p *parser) duration(dst *time.Duration) setter { return p.durationFrom(1, dst) }

// durationFrom is duration with a least value.
func (p *parser) durationFrom(least time.Duration, dst *time.Duration) setter {
	return func(n *node, at *trail) {
		if n.takes(schema{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$|` + hasVariable}) {
			return
		}
		d, err := time.ParseDuration(n.text)
		switch {
		case n.kind != stringKind || err != nil:
			p.want(n, at, "a time with its unit", `such as 500ms, 5s or 2m`)
		case d <= 0:
			p.report(n.at, at, "want a time greater than zero", "")
		case d < least:
			p.report(n.at, at, fmt.Sprintf("want at least %s", least), "")
		default:
			*dst = d
		}
	}
}
