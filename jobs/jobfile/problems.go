package jobfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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

// Problems is a list of problems in the order of their positions. As an error
// it prints one problem a line.
type Problems []Problem

// Error implements error.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
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

// maxProblems bounds what is reported of one job file: whoever reads the
// hundredth line has seen enough, and a hostile file must not fill a log.
const maxProblems = 100

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
