package jobs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDriverOf looks at places without any name that tells.
func TestDriverOf(t *testing.T) {
	for _, test := range []struct{ file, content, want string }{
		{"place/zarr.json", "{}", "zarr"},
		{"place/.zgroup", "{}", "zarr"},
		{"place/a/b/.zarray", "{}", "zarr"}, // groups need no documents
		{"place/a/zarr.json", "{}", "zarr"},
		{"place/a/data.bin", "", "zarr"}, // which says what is there instead
		{"place", "CDF\x01", "netcdf"},
		{"place", "ARROW1\x00\x00", "arrow"},
		{"elsewhere", "", "netcdf"},
		{"place.zarr", "PAR1", "arrow"},
		{"place.zip", "\x89HDF\r\n\x1a\n", "netcdf"},
		{"place.zip", "PK\x03\x04", "zarr"},
		{"place.zip", "what", "zarr"},
		{"place.zarr/a", "", "zarr"},
		{"place.parquet", "\x89HDF\r\n\x1a\n", "netcdf"},
		{"place.parquet", "CDF\x05", "netcdf"},
		{"place.parquet", "", "arrow"},
		{"place.nc", "PAR1", "arrow"},
		{"place.h5", "ARROW1\x00\x00", "arrow"},
		{"place.nc.gz", "\x1f\x8b\x08", "netcdf"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, test.file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(test.content), 0o666); err != nil {
			t.Fatal(err)
		}
		place, _, _ := strings.Cut(test.file, "/")
		if test.file == "elsewhere" {
			place = "place"
		}
		if got := DriverOf(t.Context(), filepath.Join(dir, place), environment()); got != test.want {
			t.Errorf("%s with %q: %s, want %s", test.file, test.content, got, test.want)
		}
	}
}
