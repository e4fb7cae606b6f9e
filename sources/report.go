package sources

import (
	"errors"
	"fmt"
	"slices"
)

// mostReported is how many problems are spelled out; the others are counted.
const mostReported = 20

// Report gathers what is wrong with many files, to tell all of it at once. The
// zero value has nothing to tell.
type Report struct {
	list []error
	more int
}

// Add adds a problem.
func (r *Report) Add(err error) {
	if len(r.list) == mostReported {
		r.more++
		return
	}
	r.list = append(r.list, err)
}

// join adds what another report has.
func (r *Report) join(other Report) {
	r.list = slices.Clone(r.list)
	for _, err := range other.list {
		r.Add(err)
	}
	r.more += other.more
}

func (r *Report) total() int { return len(r.list) + r.more }

// Err returns all of it as one error, nil when nothing is wrong. Several problems
// begin with their number and what they are.
func (r *Report) Err(what string) error {
	switch r.total() {
	case 0:
		return nil
	case 1:
		return r.list[0]
	}
	lines := []error{fmt.Errorf("%d %s", r.total(), what)}
	for _, err := range r.list {
		lines = append(lines, fmt.Errorf("  %w", err))
	}
	if r.more > 0 {
		lines = append(lines, fmt.Errorf("  and %d more", r.more))
	}
	return errors.Join(lines...)
}
