package app

import (
	"fmt"
	"testing"
)

// Long lists of names are cut and counted, and the root has a name.
func TestNodeNames(t *testing.T) {
	var many []string
	for i := range mostNoted + 1 {
		many = append(many, fmt.Sprint("a", i))
	}
	for want, names := range map[string][]string{
		"":                                  nil,
		"/, b/c":                            {"", "b/c"},
		"a0, a1, a2, a3, a4, … (21 in all)": many,
	} {
		if got := nodeNames(names); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
