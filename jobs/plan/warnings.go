package plan

import (
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/input"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// warnings gathers the problems of arrays. If more than mostWarnings arrays have the same
// warning, the first warning stands for all of them.
type warnings struct {
	list jobfile.Problems
	same map[jobfile.Problem]*sameWarning // by the warning without the name of the array
}

// sameWarning is a warning that several arrays have, in the same words except for the name of
// the array.
type sameWarning struct {
	first string // the array that had it first
	at    []int  // where the list has it, up to mostWarnings times
	more  []string
	count int
}

// mostWarnings is how many arrays with the same warning are spelled out.
const mostWarnings = 20

// add adds what is wrong with an array.
func (w *warnings) add(array string, problems jobfile.Problems) {
	for _, p := range problems {
		if !p.Warning {
			w.list = append(w.list, p)
			continue
		}
		key := p
		key.Message = strings.Replace(p.Message, named(array), "array", 1)
		same := w.same[key]
		if same == nil {
			if w.same == nil {
				w.same = map[jobfile.Problem]*sameWarning{}
			}
			same = &sameWarning{first: array}
			w.same[key] = same
		}
		if same.count++; same.count <= mostWarnings {
			same.at = append(same.at, len(w.list))
			w.list = append(w.list, p)
		}
		if same.count > 1 && len(same.more) <= input.MostNames {
			same.more = append(same.more, array)
		}
	}
}

// folded returns the problems in their order.
func (w *warnings) folded() jobfile.Problems {
	drop := map[int]bool{}
	for _, same := range w.same {
		if same.count <= mostWarnings {
			continue
		}
		p := &w.list[same.at[0]]
		others := fmt.Sprintf(" and %d more arrays (%s)", same.count-1, input.SomeNames(same.more))
		if of := named(same.first); strings.Contains(p.Message, of) {
			p.Message = strings.Replace(p.Message, of, of+others, 1)
		} else {
			p.Message = fmt.Sprintf("%s%s: %s", named(same.first), others, p.Message)
		}
		for _, at := range same.at[1:] {
			drop[at] = true
		}
	}
	kept := w.list[:0]
	for i, p := range w.list {
		if !drop[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

// named returns the words by which warnings name an array.
func named(array string) string { return fmt.Sprintf("array %q", array) }
