package arrow_test

import (
	"fmt"
	"testing"

	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestEarlyCompression reads a compressed file of Arrow 0.17, which names the compression in
// another place than later releases.
func TestEarlyCompression(t *testing.T) {
	src := open(t, arrow.Options{}, "testdata/v0.17.0.version.2-compression.lz4.feather")
	a, err := src.Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(sourcetest.ReadAll(t, a)); fmt.Sprint(got) != "[0 1 2 3 4]" {
		t.Errorf("got %s", got)
	}
}
