package jobfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/words"
)

// Problem is one thing that is wrong with a job, or worth a warning, and where
// it stands.
type Problem struct {
	// File is the job file as the user named it, or "--set path=value" for a
	// value from the command line; Line and Column are 0 then. Both count from
	// 1, columns in characters.
	File         string
	Line, Column int
	// Field is the path of the field, such as "arrays.SST.codecs[1].order";
	// "" for the file as a whole.
	Field   string
	Message string
	// Hint is a way out, "" where there is none to offer.
	Hint string
	// Warning tells a hazard from an error; Code names its sort for programs.
	Warning bool
	Code    string
}

// String returns "file:line:column: field: message (hint)"; warnings are
// marked as such and end in their code.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Warning {
		b.WriteString("warning: ")
	}
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	if p.Code != "" {
		b.WriteString(" [" + p.Code + "]")
	}
	return b.String()
}

// Problems is a list of problems in the order of their positions. As an error it prints one
// problem a line, with those that are alike in one, and not more than mostShown lines.
type Problems []Problem

// Error implements error.
func (ps Problems) Error() string {
	folded := ps.Folded()
	lines := make([]string, 0, len(folded))
	for _, p := range folded[:min(mostShown, len(folded))] {
		lines = append(lines, p.String())
	}
	if more := len(folded) - mostShown; more > 0 {
		lines = append(lines, fmt.Sprintf("%s: %d more problems are not shown", folded[0].File, more))
	}
	return strings.Join(lines, "\n")
}

// PlaceError is an error about what lies at a place that a job names, such as a source that is
// missing. The job may be right, and the place may change. So commands end with another status
// than for Problems alone.
type PlaceError struct {
	Problems Problems // one: the field that names the place, and a way out
	Err      error    // the cause; nil if there is no other
}

func (e *PlaceError) Error() string { return e.Problems.Error() }

// Unwrap returns the problems and the cause.
func (e *PlaceError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Problems}
	}
	return []error{e.Problems, e.Err}
}

// mostAlike is how many problems that are alike, each with a position of its own in the job
// file, are spelled out: whoever mends the file goes from one to the next.
const mostAlike = 20

// firstQuoted matches the first quoted text of a message, which names what it is about.
var firstQuoted = words.Pattern(`"(?:[^"\\]|\\.)*"`)

// Folded returns the problems with those that are alike in one: the first of them, with how
// many others there are and with the names of some. Problems are alike if their messages differ
// only in names, paths and numbers.
func (ps Problems) Folded() Problems {
	list := ps.fold(words.FoldedFrom, func(p Problem) Problem {
		p.Message = words.Alike(p.Message)
		p.Hint = words.Alike(p.Hint)
		p.Field = ""
		return p
	})
	if len(list) <= mostAlike {
		return list
	}
	return list.fold(mostAlike+1, func(p Problem) Problem {
		return Problem{File: p.File, Message: words.Alike(p.Message), Warning: p.Warning, Code: p.Code}
	})
}

// fold makes one problem of each least or more that have the same kind.
func (ps Problems) fold(least int, kind func(Problem) Problem) Problems {
	alike := map[Problem][]int{}
	for i, p := range ps {
		k := kind(p)
		alike[k] = append(alike[k], i)
	}
	var made Problems
	for i, p := range ps {
		at := alike[kind(p)]
		switch {
		case len(at) < least:
			made = append(made, p)
		case at[0] == i:
			p.Message = fmt.Sprintf("%s; %d more like it", p.Message, len(at)-1)
			if names := ps.subjects(at); len(names) > 1 {
				p.Message += ": " + words.Some(names[1:])
			}
			made = append(made, p)
		}
	}
	return made
}

// subjects returns what the problems at some places are about, each name once: what their
// messages name first or, if all of them name the same or nothing, their fields.
func (ps Problems) subjects(at []int) []string {
	var named, fields []string
	for _, i := range at {
		if name := firstQuoted().FindString(ps[i].Message); name != "" && !slices.Contains(named, name) && len(named) < 10 {
			named = append(named, name)
		}
		if f := ps[i].Field; f != "" && !slices.Contains(fields, f) && len(fields) < 10 {
			fields = append(fields, f)
		}
	}
	if len(named) > 1 {
		return named
	}
	return fields
}

// Err returns the problems as an error, or nil when all are warnings.
func (ps Problems) Err() error {
	if slices.ContainsFunc(ps, func(p Problem) bool { return !p.Warning }) {
		return ps
	}
	return nil
}

// Sort orders the problems by position, those without one last.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		if (a.Line == 0) != (b.Line == 0) {
			return cmp.Compare(b.Line, a.Line)
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.File, b.File))
	})
}

// mostShown bounds what is printed of many problems: whoever reads the hundredth line has seen
// enough. maxProblems bounds what is kept of one job file, for those who want all: a hostile
// file must not fill the memory.
const (
	mostShown   = 100
	maxProblems = 1000
)

// collector gathers problems up to maxProblems and counts the rest.
type collector struct {
	list    Problems
	dropped int
}

func (c *collector) add(p Problem) {
	if len(c.list) == maxProblems {
		c.dropped++
		return
	}
	c.list = append(c.list, p)
}

// total is the number of problems so far, to tell whether one came to it.
func (c *collector) total() int { return len(c.list) + c.dropped }

// result returns the sorted problems, nil when there are none.
func (c *collector) result(file string) Problems {
	ps := slices.Clone(c.list)
	ps.Sort()
	if c.dropped > 0 {
		ps = append(ps, Problem{File: file, Message: fmt.Sprintf("%d more problems are not shown", c.dropped)})
	}
	return ps
}
