package jobfile

import (
	"fmt"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

// These words in source.order name no coordinate. With each of them, files are ordered by
// their names, in which numbers are compared as numbers.
const (
	byName  = "name"
	natural = "natural" // means the same as name
	allow   = "allow"   // coordinates may repeat values or change their direction
)

// Coordinate is the name of the coordinate that the job sorts files by; "": it names
// none.
func (s *Source) Coordinate() string {
	if s.Order == byName || s.Order == natural || s.Order == allow {
		return ""
	}
	return s.Order
}

// Disordered reports whether a joined coordinate may repeat values, or change its
// direction.
func (s *Source) Disordered() bool { return s.Order == allow }

// time reads the field source.time.
func (p *parser) time(n *node, at *trail) {
	t := &p.job.Source.Time
	units := func(n *node, at *trail) {
		p.fields(n, at, map[string]setter{"units": p.units(&t.Units)}, "units")
	}
	if n.takesEither(at, p.enum(new(string), "rebase", "keep"), units) {
		return
	}
	if n.kind != mapKind {
		var word string
		if n.kind == stringKind && cf.IsClock(sources.TextAttribute(n.text)) {
			p.report(n.at, at, n.quoted()+" is not one of rebase, keep", "time: {units: "+n.quoted()+"} names units")
			return
		}
		p.enum(&word, "rebase", "keep")(n, at)
		t.Keep = word == "keep"
		return
	}
	units(n, at)
}

// units reads units of time.
func (p *parser) units(dst *string) setter {
	return func(n *node, at *trail) {
		if p.str(dst)(n, at); *dst == "" {
			return
		}
		if err := cf.CheckUnits(*dst); err != nil {
			p.report(n.at, at, err.Error(), "such as days since 2000-01-01")
		}
	}
}

const joinHint = "concat: NAME joins them along a dimension that they have, stack: NAME along a new one"

// joining checks the fields that say how files become one.
func (p *parser) joining(at *trail) {
	s := &p.job.Source
	report := func(field, message, hint string) {
		p.problems.add(p.job.Problem(at.key(field).String(), message, hint))
	}
	if s.Concat != "" && s.Stack != "" {
		report("stack", "stack and concat exclude each other", "concat joins along a dimension that files have, stack along a new one")
	}
	switch traits := p.job.traits(); {
	case traits.Declared:
		if s.Coordinate() != "" {
			report("order", fmt.Sprintf("files of the %s driver have no coordinate to be ordered by", s.Driver), "order: natural, or list them")
		}
		if s.Overlap != "" {
			report("overlap", fmt.Sprintf("files of the %s driver have no coordinate by which they could overlap", s.Driver), "leave it out")
		}
		if s.Join != "" {
			report("join", fmt.Sprintf("files of the %s driver hold only elements, so they have no metadata to compare", s.Driver), "leave it out")
		}
	case p.job.driver != nil && !traits.Rows:
		p.joinsNothing(report)
	}
}

// joinsNothing checks a source that names neither concat nor stack: its driver joins
// no files then.
func (p *parser) joinsNothing(report func(field, message, hint string)) {
	s := &p.job.Source
	if s.Concat+s.Stack != "" {
		return
	}
	if len(s.Locations) > 1 {
		report("url", "the job does not say how several files become one", joinHint)
	}
	if s.Join != "" {
		report("join", "nothing is joined without concat or stack", joinHint)
	}
	if s.Overlap != "" {
		report("overlap", "nothing is joined without concat or stack", joinHint)
	}
	if s.Coordinate() != "" || s.Disordered() {
		report("order", "nothing is ordered without concat or stack", joinHint)
	}
}

// appending reads the field target.append: the name of a dimension, or what becomes of
// rows along it.
func (p *parser) appending(n *node, at *trail) {
	t := &p.job.Target
	if n.takesEither(at, p.str(new(string)), p.rows) {
		return
	}
	if n.kind != mapKind {
		p.str(&t.Append)(n, at)
		return
	}
	p.rows(n, at)
}

// rows reads what becomes of rows that are appended.
func (p *parser) rows(n *node, at *trail) {
	t := &p.job.Target
	p.fields(n, at, map[string]setter{
		"dimension": p.str(&t.Append),
		"gaps":      p.enum(&t.Gaps, "warn", "error", "allow"),
		"overlap":   p.enum(&t.Overlap, "error", "skip", "same"),
		"insert": func(n *node, at *trail) {
			if n.takes(schema{"not": schema{}}) {
				return
			}
			p.report(n.at, at, "rows come behind those of the target, never between them", "to fill a hole, migrate all files anew: existing: overwrite, or another target.url")
		},
	})
}

// CheckDistinct refuses a file or hierarchy that a field names twice: its elements
// would be in the target twice. The globs of the field are resolved in urls.
func (j *Job) CheckDistinct(field string, urls []string) error {
	seen := make(map[string]string, len(urls))
	for _, u := range urls {
		place := store.Resolved(u)
		if first, twice := seen[place]; twice {
			what := first + " is named twice"
			if shown := store.Shown(u); first != shown {
				what = fmt.Sprintf("%s and %s are one", first, shown)
			}
			return Problems{j.Problem(field, what, "its elements would be in the target twice: name it once")}
		}
		seen[place] = store.Shown(u)
	}
	return nil
}

// CheckJoined refuses several files or hierarchies if the job does not say how they
// become one, and those that are named twice.
func (j *Job) CheckJoined(urls []string) error {
	if err := j.CheckDistinct("source.url", urls); err != nil {
		return err
	}
	if len(urls) < 2 || j.Source.Concat+j.Source.Stack != "" || j.traits().Rows {
		return nil
	}
	return Problems{j.Problem("source.url", fmt.Sprintf("the job does not say how %d files or hierarchies become one", len(urls)), joinHint)}
}
