package jobfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Problems at one place that are alike make one line from the fourth on. Problems with
// positions of their own make one from the twenty-first on.
func TestFolded(t *testing.T) {
	odd := func(i int) Problem {
		return Problem{File: "j", Line: 2, Column: 3, Field: "source.cf", Message: fmt.Sprintf("array \"a%d\": %d values are odd", i, i), Hint: "h", Warning: true, Code: "odd"}
	}
	key := func(i int) Problem {
		return Problem{File: "j", Line: 5 + i, Column: 1, Field: fmt.Sprintf("k%d", i), Message: "unknown key", Hint: fmt.Sprintf("did you mean %q?", "k")}
	}
	other := Problem{File: "j", Line: 2, Column: 3, Field: "source.cf", Message: `array "a0": is even`, Warning: true, Code: "odd"}
	many := func(n int, one func(int) Problem) (ps Problems) {
		for i := range n {
			ps = append(ps, one(i))
		}
		return ps
	}
	for name, test := range map[string]struct {
		ps   Problems
		want []string
	}{
		"none": {nil, nil},
		"few":  {many(3, odd), []string{odd(0).String(), odd(1).String(), odd(2).String()}},
		"many": {append(many(9, odd), other), []string{`j:2:3: warning: source.cf: array "a0": 0 values are odd; 8 more like it: "a1", "a2", "a3", "a4", "a5", … (h) [odd]`, other.String()}},
		"keys": {append(many(21, key), other), []string{`j:5:1: k0: unknown key; 20 more like it: k1, k2, k3, k4, k5, … (did you mean "k"?)`, other.String()}},
	} {
		var got []string
		for _, p := range test.ps.Folded() {
			got = append(got, p.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(strings.Join(test.want, "\n"), test.ps.Error()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// Whoever mends a file sees each of twenty keys.
	if got := many(20, key).Folded(); len(got) != 20 {
		t.Errorf("%d keys", len(got))
	}
	// What is not alike is bounded, too.
	different := many(150, func(i int) Problem { return Problem{File: "j", Message: strings.Repeat("x", i+1)} })
	if lines := strings.Split(different.Error(), "\n"); len(lines) != 101 || lines[100] != "j: 50 more problems are not shown" {
		t.Errorf("%d lines, the last: %s", len(lines), lines[len(lines)-1])
	}
}
