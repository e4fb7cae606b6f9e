package jobfile

import (
	"fmt"
	"math"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
)

// source reads the section source.
func (p *parser) source(n *node, at *trail) {
	s := &p.job.Source
	s.CF = "keep"
	coordinates := true
	required := []string{"driver", "url"}
	if n.probe != nil {
		required = required[:1] // a driver may have arrays in place of url
	}
	if d := n.get("driver"); d != nil {
		// What the other fields mean depends on it, so it is read first.
		p.job.driver, _ = p.drivers.Lookup(d.text)
	}
	traits := p.job.traits()
	if traits.Declared {
		required = []string{"driver", "arrays"}
		// The arrays inherit both, so these are read first, wherever they stand.
		if c := n.get("concat"); c != nil && c.kind == stringKind {
			s.Concat = c.text
		}
		if c := n.get("stack"); c != nil && c.kind == stringKind {
			s.Stack = c.text
		}
	}
	p.fields(n, at, map[string]setter{
		"driver":         p.driver,
		"url":            p.locations(&s.Locations),
		"concat":         p.str(&s.Concat),
		"stack":          p.str(&s.Stack),
		"join":           p.enum(&s.Join, "exact", "override"),
		"order":          p.str(&s.Order),
		"overlap":        p.enum(&s.Overlap, "error", "first", "last"),
		"time":           p.time,
		"cf":             p.cf(&s.CF),
		"missing_chunks": p.enum(&s.MissingChunks, "fill", "error"),
		"ngff":           p.enum(&s.NGFF, "convert", "keep"),
		"unsupported":    p.enum(&s.Unsupported, "error", "skip"),
		"follow":         p.follow,
		"compound":       p.enum(&s.Compound, "struct", "fields"),
		"references":     p.enum(&s.References, "path", "skip"),
		"include":        p.patterns(&s.Include),
		"exclude":        p.patterns(&s.Exclude),
		"coordinates":    p.boolean(&coordinates),
		"select":         p.selections,
		"arrays":         p.rawArrays,
	}, required...)
	s.NoCoordinates = !coordinates
	p.joining(at)
	if p.job.driver == nil {
		return
	}
	if traits.Declared && len(s.Locations) > 0 {
		p.problems.add(p.job.Problem(at.key("url").String(), fmt.Sprintf("the %s driver takes its files from source.arrays", s.Driver), "move it to source.arrays.NAME.url"))
	}
	p.fieldsOfOthers(at, traits)
}

// fieldsOfOthers reports fields that other drivers have, but not the driver of the job.
func (p *parser) fieldsOfOthers(at *trail, traits sources.Traits) {
	s := &p.job.Source
	hdf5 := func(t sources.Traits) bool { return t.HDF5 }
	for _, f := range []struct {
		name  string
		given bool
		has   func(sources.Traits) bool
		hint  string
	}{
		{"missing_chunks", s.MissingChunks != "", func(t sources.Traits) bool { return t.MissingChunks }, ""},
		{"follow", s.Follow.Nothing || s.Follow.Folders != nil, func(t sources.Traits) bool { return t.Follows }, ""},
		{"compound", s.Compound != "", hdf5, ""},
		{"references", s.References != "", hdf5, ""},
		{"ngff", s.NGFF != "", func(t sources.Traits) bool { return t.NGFF }, ""},
		{"arrays", len(s.Arrays) > 0, func(t sources.Traits) bool { return t.Declared }, "options for arrays stand under the top-level arrays"},
	} {
		if f.given && !f.has(traits) {
			p.onlyOf(at.key(f.name), f.has, f.hint)
		}
	}
}

// follow reads which files may be read because others refer to them: one of two words, or a
// list of folders.
func (p *parser) follow(n *node, at *trail) {
	f := &p.job.Source.Follow
	folders := func(n *node, at *trail) {
		list := make([]Location, len(n.items))
		if p.list(n, at, "folder, none, or a list of folders", func(i int) setter { return p.location(&list[i]) }) {
			f.Folders = list
		}
	}
	word := "folder"
	words := p.enum(&word, "folder", "none")
	switch {
	case n.takesEither(at, words, folders):
	case n.kind == stringKind:
		words(n, at)
		f.Nothing = word == "none"
	default:
		folders(n, at)
	}
}

// driver reads the name of the driver. An alias becomes the driver's own name.
func (p *parser) driver(n *node, at *trail) {
	p.enum(&p.job.Source.Driver, p.drivers.Names()...)(n, at)
	if p.job.driver != nil {
		p.job.Source.Driver = p.job.driver.Name
	}
}

// onlyOf reports a field that the driver does not have, with the names of those that
// have it.
func (p *parser) onlyOf(at *trail, has func(sources.Traits) bool, hint string) {
	var names []string
	for _, d := range p.drivers {
		if has(d.Traits) {
			names = append(names, d.Name)
		}
	}
	what := "only the " + strings.Join(names, ", ") + " driver has it"
	if len(names) > 1 {
		what = "only the drivers " + strings.Join(names, ", ") + " have it"
	}
	p.problems.add(p.job.Problem(at.String(), what, hint))
}

// cf reads what becomes of packed data.
func (p *parser) cf(dst *string) setter { return p.enum(dst, "keep", "codecs", "unpack") }

// rawArrays reads source.arrays.
func (p *parser) rawArrays(n *node, at *trail) {
	if n.kind == mapKind && len(n.members) == 0 {
		p.report(n.at, at, "names no array", "")
	}
	for _, m := range p.members(n, at, arraysMapping, "", p.rawArray) {
		a := RawArray{Name: m.name, Order: "C", Concat: p.job.Source.Concat, Stack: p.job.Source.Stack}
		field := at.key(m.name)
		if len(m.name) > maxPath {
			p.report(m.at, field, fmt.Sprintf("the path is longer than %d bytes", maxPath), "")
			continue
		}
		for part := range strings.SplitSeq(m.name, "/") {
			p.nodeName(part, m.at, field)
		}
		if v := m.value.get("stack"); v != nil {
			a.Concat = ""
		} else if v := m.value.get("concat"); v != nil {
			a.Stack = ""
		}
		p.rawArrayFields(m.value, field, &a)
		if a.Stack != "" && a.Concat != "" {
			p.problems.add(p.job.Problem(field.key("concat").String(), "stack and concat exclude each other", ""))
		}
		p.job.Source.Arrays = append(p.job.Source.Arrays, a)
	}
}

// rawArray reads one array of source.arrays, for a schema.
func (p *parser) rawArray(n *node, at *trail) { p.rawArrayFields(n, at, &RawArray{}) }

// rawArrayFields reads the fields of one array of source.arrays.
func (p *parser) rawArrayFields(n *node, at *trail, a *RawArray) {
	p.fields(n, at, map[string]setter{
		"url":             p.locations(&a.Locations),
		"stack":           p.str(&a.Stack),
		"concat":          p.str(&a.Concat),
		"data_type":       p.raw(&a.DataType, "the name of a data type, a mapping with name and configuration, or a list of a record's fields", stringKind, mapKind, listKind),
		"endian":          p.enum(&a.Endian, "little", "big"),
		"shape":           p.shape(&a.Shape, 0),
		"order":           p.enum(&a.Order, "C", "F"),
		"offset":          p.integer(&a.Offset, 0, math.MaxInt64),
		"dimension_names": p.names(&a.DimensionNames),
		"attributes":      p.attributes(&a.Attributes),
	}, "url", "data_type", "shape")
}
