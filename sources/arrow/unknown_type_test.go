package arrow_test

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources/arrow"
)

// TestUnknownType: the errors about a column of a type that Arrow lacks, and about the columns beside
// it, name that type.
func TestUnknownType(t *testing.T) {
	src := open(t, arrow.Options{}, "testdata/int128.arrow")
	for _, name := range []string{"a", "b"} {
		if _, err := src.Array(t.Context(), name); err == nil || !strings.Contains(err.Error(), `column "a" has the unknown type 2`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
