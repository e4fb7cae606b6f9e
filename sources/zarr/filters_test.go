package zarr_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestFilters reads arrays whose filters have no codec in Zarr v3, and compares them with what
// zarr-python 2 reads. A target cannot have their objects.
func TestFilters(t *testing.T) {
	dir := sourcetest.Unzip(t, "testdata/filters.zip")
	if n := testGolden(t, dir); n < 20 {
		t.Errorf("only %d arrays were read", n)
	}
	src := open(t, filepath.Join(dir, "filters.zarr"), zarr.Options{})
	for name, want := range map[string]string{"json_table": "json2", "categories": "categorize", "base64_filter": "base64"} {
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Error(err)
			continue
		}
		info := a.Info()
		if _, ok := a.(sources.Stored); ok || info.Codecs != nil || info.Obstacle != "Zarr v3 has no codec like "+want {
			t.Errorf("%s: stored %t, codecs %v, obstacle %q", name, ok, info.Codecs, info.Obstacle)
		}
		if noted := slices.Contains(info.Notes, "objects that are None become the empty text"); noted != (want == "json2") {
			t.Errorf("%s: notes %q", name, info.Notes)
		}
	}
}
