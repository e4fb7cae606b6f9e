package plan

import (
	"strings"
	"testing"
)

// TestSameJSON compares texts that differ in nothing but space, and others.
func TestSameJSON(t *testing.T) {
	for _, test := range []struct {
		x, y string
		want bool
	}{{`[1, 2]`, "[\n1,2]", true}, {`"a b"`, `"ab"`, false}, {`1`, `2`, false}, {``, `1`, false}} {
		if got := sameJSON([]byte(test.x), []byte(test.y)); got != test.want {
			t.Errorf("%s and %s: %v", strings.TrimSpace(test.x), test.y, got)
		}
	}
}
