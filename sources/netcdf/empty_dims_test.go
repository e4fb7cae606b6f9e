package netcdf_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/netcdf"
)

// TestEmptyDimensions compares the made-up names of dimensions, some of length 0, with those of libnetcdf.
func TestEmptyDimensions(t *testing.T) {
	text, err := os.ReadFile("testdata/empty_dims.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][]string
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	src, got := open(t, netcdf.Options{}, "testdata/empty_dims.h5"), map[string][]string{}
	for _, path := range src.Arrays() {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		got[path] = a.Info().DimensionNames
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
