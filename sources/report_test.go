package sources

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kind returns a word for each number, so that problems are not alike.
func kind(i int) string { return strings.Repeat("x", i+1) }

// TestReport spells problems out up to a number and counts the others.
func TestReport(t *testing.T) {
	for n, want := range map[int]struct {
		lines       int
		first, last string
	}{
		1: {1, "problem " + kind(0), "problem " + kind(0)}, 2: {3, "2 problems", "  problem " + kind(1)}, MostReported: {MostReported + 1, "20 problems", "  problem " + kind(19)},
		MostReported + 1: {MostReported + 2, "21 problems", "  and 1 more"}, 100: {MostReported + 2, "100 problems", "  and 80 more"},
	} {
		for cut := range n + 1 { // two reports that are joined
			var a, b Report
			for i := range n {
				r := &a
				if i >= cut {
					r = &b
				}
				r.Add(errors.New("problem " + kind(i)))
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

// Problems of one kind make one line with a count, if they are many. All of them can be had.
func TestReportOfProblemsThatAreAlike(t *testing.T) {
	var r Report
	for i := range 200 {
		r.Add(fmt.Errorf("array %q: units is %q in /d/a.nc and \"u%d\" in /d/%s.nc", "t", "K", i, kind(i%7)))
		if i < 3 {
			r.Add(fmt.Errorf("/d/%s.nc: cannot be read", kind(i)))
		}
	}
	err := r.Err("differences")
	want := `203 differences
  array "t": units is "K" in /d/a.nc and "u0" in /d/x.nc
    and 199 more like it
  /d/x.nc: cannot be read
  /d/xx.nc: cannot be read
  /d/xxx.nc: cannot be read`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	var many interface{ All() []string }
	if !errors.As(fmt.Errorf("open: %w", err), &many) || len(many.All()) != 203 || many.All()[202] != `array "t": units is "K" in /d/a.nc and "u199" in /d/xxxx.nc` {
		t.Errorf("not all problems can be had: %v", many)
	}
}
