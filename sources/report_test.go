package sources

import (
	"fmt"
	"strings"
	"testing"
)

// TestReport spells problems out up to a number and counts the others.
func TestReport(t *testing.T) {
	for n, want := range map[int]struct {
		lines       int
		first, last string
	}{
		1: {1, "problem 0", "problem 0"}, 2: {3, "2 problems", "  problem 1"}, MostReported: {MostReported + 1, "20 problems", "  problem 19"},
		MostReported + 1: {MostReported + 2, "21 problems", "  and 1 more"}, 100: {MostReported + 2, "100 problems", "  and 80 more"},
	} {
		for cut := range n + 1 { // two reports that are joined
			var a, b Report
			for i := range n {
				r := &a
				if i >= cut {
					r = &b
				}
				r.Add(fmt.Errorf("problem %d", i))
			}
			was := a.Len()
			joined := a
			joined.Merge(b)
			err := joined.Err("problems")
			if err == nil || joined.Len() != n || a.Len() != was {
				t.Fatalf("%d problems: %d, %v", n, joined.Len(), err)
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != want.lines || lines[0] != want.first || cut == n && lines[len(lines)-1] != want.last {
				t.Errorf("%d problems, %d of another report: %q", n, n-cut, lines)
			}
		}
	}
	if err := (&Report{}).Err("problems"); err != nil {
		t.Errorf("nothing is wrong: %v", err)
	}
}
