package jobs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDriverOf looks at places without any name that tells.
func TestDriverOf(t *testing.T) {
	for _, test := range []struct{ file, content, want string }{
		{"place/zarr.json", "{}", "zarr"},
		{"place/.zgroup", "{}", "zarr"},
		{"place/a/b/.zarray", "{}", "zarr"}, // groups need no documents
		{"place/a/zarr.json", "{}", "zarr"},
		{"place/a/data.bin", "", "netcdf"},
		{"place", "CDF\x01", "netcdf"},
		{"place", "ARROW1\x00\x00", "arrow"},
		{"elsewhere", "", "netcdf"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, test.file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(test.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := DriverOf(t.Context(), filepath.Join(dir, "place"), standard()); got != test.want {
			t.Errorf("%s with %q: %s, want %s", test.file, test.content, got, test.want)
		}
	}
}
