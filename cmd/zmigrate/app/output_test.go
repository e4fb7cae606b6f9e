package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFitted breaks the last cells of a table at the width of a terminal.
func TestFitted(t *testing.T) {
	rows := [][]string{{"name", "kind", "what it does to the chunks of an array"}, {"b", "c", "short"}, {"no cells"}}
	want := [][]string{{"name", "kind", "what it does to the"}, {"", "", "chunks of an array"}, {"b", "c", "short"}, {"no cells"}}
	if diff := cmp.Diff(want, fitted(rows, 36)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(rows, fitted(rows, 33)); diff != "" {
		t.Errorf("with too few columns: %s", diff)
	}
	if diff := cmp.Diff(rows, fitted(rows, 200)); diff != "" {
		t.Errorf("with many columns: %s", diff)
	}
}
