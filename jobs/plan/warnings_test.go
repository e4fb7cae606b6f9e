package plan

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// If more than mostWarnings arrays have the same warning, it is reported once, with the first
// array. Errors stay as they are, and so do warnings of few arrays.
func TestWarningsOfManyArrays(t *testing.T) {
	warning := func(message string) jobfile.Problem {
		return jobfile.Problem{Field: "source.cf", Message: message, Warning: true, Code: "odd"}
	}
	var few, many warnings
	var want jobfile.Problems
	for i := range mostWarnings {
		name := fmt.Sprintf("a%d", i)
		few.add(name, jobfile.Problems{warning(fmt.Sprintf("array %q: is odd", name))})
		want = append(want, warning(fmt.Sprintf("array %q: is odd", name)))
	}
	if diff := cmp.Diff(want, few.folded()); diff != "" {
		t.Error(diff)
	}
	want = nil
	for i := range 3 * mostWarnings {
		name := fmt.Sprintf("a%d", i)
		ps := jobfile.Problems{warning(fmt.Sprintf("array %q: is odd", name))}
		if i == 0 {
			want = append(want, warning(`array "a0" and 59 more arrays ("a1", "a2", "a3", "a4", "a5", …): is odd`))
		}
		if i%2 == 1 {
			ps = append(ps, warning("chunks are small"))
		}
		if i == 1 {
			want = append(want, warning(`array "a1" and 29 more arrays ("a3", "a5", "a7", "a9", "a11", …): chunks are small`))
		}
		if i%30 == 7 {
			p := warning(fmt.Sprintf("array %q: is very odd", name))
			ps, want = append(ps, p), append(want, p)
		}
		if i%2 == 0 { // an error
			p := jobfile.Problem{Message: "is wrong"}
			ps, want = append(ps, p), append(want, p)
		}
		many.add(name, ps)
	}
	if diff := cmp.Diff(want, many.folded()); diff != "" {
		t.Error(diff)
	}
}
