package sources

import (
	"errors"
	"fmt"
	"slices"
)

// MostReported is how many problems a [Report] spells out. It only counts the others.
const MostReported = 20

// Report collects problems of many files, so that all of them are reported at once. The
// zero value is an empty report. It is not safe for concurrent use.
type Report struct {
	list []error
	more int
}

// Add adds a problem.
func (r *Report) Add(err error) {
	if len(r.list) == MostReported {
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
// text begins with their number and with what, for instance "files cannot be read".
func (r *Report) Err(what string) error {
	switch r.Len() {
	case 0:
		return nil
	case 1:
		return r.list[0]
	}
	lines := []error{fmt.Errorf("%d %s", r.Len(), what)}
	for _, err := range r.list {
		lines = append(lines, fmt.Errorf("  %w", err))
	}
	if r.more > 0 {
		lines = append(lines, fmt.Errorf("  and %d more", r.more))
	}
	return errors.Join(lines...)
}
