package store

import (
	"path/filepath"
	"testing"
)

// TestLocalPath: paths and file URLs become absolute paths; other places have none.
func TestLocalPath(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"a/../b.zarr": filepath.Join(here, "b.zarr"), "/data/*.nc": "/data/*.nc", "file:///data/x%20y": "/data/x y",
		"s3://bucket/a": "", "mem://a": "", "https://server/a?secret": "", "": "",
	} {
		if got, ok := LocalPath(url); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", url, got, ok, want)
		}
	}
}
