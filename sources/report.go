package sources

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/words"
)

// MostReported is how many problems a [Report] spells out. It only counts the others.
const MostReported = 20

// mostKept is how many problems a report keeps for who wants them all.
const mostKept = 10_000

// Report collects problems of many files, so that all of them are reported at once. The
// zero value is an empty report. It is not safe for concurrent use.
type Report struct {
	list []error
	more int
}

// Add adds a problem.
func (r *Report) Add(err error) {
	if len(r.list) == mostKept {
		r.more++
		return
	}
	r.list = append(r.list, err)
}

// Merge adds the problems of another report.
func (r *Report) Merge(other Report) {
	r.list = slices.Clone(r.list)
	for _, err := range other.list {
		r.Add(err)
	}
	r.more += other.more
}

// Len is the number of problems.
func (r *Report) Len() int { return len(r.list) + r.more }

// Err returns all problems as one error, or nil if there is none. If there are several, the
// text begins with their number and with what, for instance "files cannot be read". Problems
// that differ only in names, paths and numbers are one line with a count. The method All of
// the error lists the texts of the problems, at most 10,000.
func (r *Report) Err(what string) error {
	switch r.Len() {
	case 0:
		return nil
	case 1:
		return r.list[0]
	}
	return &reported{what, slices.Clone(r.list), r.more}
}

// reported is the error of a report with several problems.
type reported struct {
	what string
	list []error
	more int // problems that are not in the list
}

func (e *reported) Unwrap() []error { return e.list }

// All returns the text of each problem.
func (e *reported) All() []string {
	texts := make([]string, len(e.list))
	for i, err := range e.list {
		texts[i] = err.Error()
	}
	return texts
}

func (e *reported) Error() string {
	texts := e.All()
	kinds := map[string]int{}
	for _, text := range texts {
		kinds[words.Alike(text)]++
	}
	lines := []string{fmt.Sprintf("%d %s", len(e.list)+e.more, e.what)}
	spelled, left := 0, e.more
	for _, text := range texts {
		kind := words.Alike(text)
		n := kinds[kind]
		switch {
		case n == 0: // an earlier line counts it
			continue
		case spelled == MostReported:
			left++
			continue
		}
		spelled++
		lines = append(lines, "  "+text)
		if n >= words.FoldedFrom {
			lines = append(lines, fmt.Sprintf("    and %d more like it", n-1))
			kinds[kind] = 0
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", left))
	}
	return strings.Join(lines, "\n")
}
