package arrow_test

import (
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// TestItemBytes has columns of texts of 1000 bytes, with the same value in all rows or
// a different one in each, in all forms in which pyarrow writes them. It compares the
// lengths that the metadata tell.
func TestItemBytes(t *testing.T) {
	for _, test := range []struct {
		file      string
		low, high int
	}{
		{"plain.parquet", 1000, 1010},
		{"dictionary.parquet", 1000, 1000}, // from the statistics of sizes
		{"offsets.arrow", 1000, 1010},
		{"views.arrow", 1000, 1010},
		{"dictionary.arrow", 1000, 1010},
		{"runs.arrow", 1000, 1010},
		{"runs_compressed.arrow", 1, 1010}, // as it is stored
	} {
		s, err := arrow.OpenAll(t.Context(), files(filepath.Join("testdata", "texts", test.file)), arrow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Array(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		if info.Type != dtype.StringType || info.ItemBytes < test.low || info.ItemBytes > test.high {
			t.Errorf("%s: %s elements of %d bytes, want %d to %d", test.file, info.Type.Name(), info.ItemBytes, test.low, test.high)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
