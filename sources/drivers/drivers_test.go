package drivers_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// TestDetect detects the formats of places. The names of many of them do not tell the
// format.
func TestDetect(t *testing.T) {
	for _, test := range []struct {
		file, content, want string
		sure                sources.Confidence
	}{
		{"place/zarr.json", "{}", "zarr", sources.Certain},
		{"place/.zgroup", "{}", "zarr", sources.Certain},
		{"place/a/b/.zarray", "{}", "zarr", sources.Possible}, // groups need no documents
		{"place/a/zarr.json", "{}", "zarr", sources.Possible},
		{"place/a/data.bin", "", "zarr", sources.Possible}, // opening it says what is there instead
		{"place", "CDF\x01", "netcdf", sources.Certain},
		{"place", "ARROW1\x00\x00", "arrow", sources.Certain},
		{"elsewhere", "", "netcdf", sources.Possible},
		{"place.zarr", "PAR1", "arrow", sources.Certain},
		{"place.zip", "\x89HDF\r\n\x1a\n", "netcdf", sources.Certain},
		{"place.zip", "PK\x03\x04", "zarr", sources.Certain},
		{"place.zip", "what", "zarr", sources.Likely},
		{"place.zarr/a", "", "zarr", sources.Certain},
		{"place.parquet", "\x89HDF\r\n\x1a\n", "netcdf", sources.Certain},
		{"place.parquet", "CDF\x05", "netcdf", sources.Certain},
		{"place.parquet", "", "arrow", sources.Likely},
		{"place.nc", "PAR1", "arrow", sources.Certain},
		{"place.h5", "ARROW1\x00\x00", "arrow", sources.Certain},
		{"place", `{"version": 1`, "zarr", sources.Certain},
		{"place.json", "\n {", "zarr", sources.Likely},
		{"place", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01\x02\x00\xfd\xff{}", "zarr", sources.Likely},
		{"place.json/zarr.json", "{}", "zarr", sources.Certain},
		{"place/attributes.json", `{"n5": "2.5.1"}`, "zarr", sources.Likely},
		{"place.n5/a", "", "zarr", sources.Certain},
		{"place.nc.gz", "\x1f\x8b\x08", "netcdf", sources.Possible},
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
		got, sure, err := drivers.Standard().Detect(t.Context(), filepath.Join(dir, place), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Name != test.want || sure != test.sure {
			t.Errorf("%s with %q: %s, %v; want %s, %v", test.file, test.content, got.Name, sure, test.want, test.sure)
		}
	}
}

// TestDetectNothing has a file that no driver reads. The error names all drivers that were
// asked, and says what the file is.
func TestDetectNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "data.bin")
	if err := os.WriteFile(file, []byte("GRIB"), 0o600); err != nil {
		t.Fatal(err)
	}
	picky := slices.DeleteFunc(drivers.Standard(), func(d sources.Driver) bool { return d.Name == "netcdf" })
	for url, want := range map[string]string{
		file:                       "none of the drivers arrow, zarr reads it: it is a GRIB file",
		filepath.Join(dir, "none"): "none of the drivers arrow, zarr reads it: there is no file",
		"ftp://host/x":             `scheme "ftp"`,
	} {
		if _, _, err := picky.Detect(t.Context(), url, store.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}

// TestDetectWithoutServer asks a server that is gone, and does so only once. The driver is
// a guess.
func TestDetectWithoutServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	driver, sure, err := drivers.Standard().Detect(t.Context(), server.URL+"/data", store.Options{Retries: -1, Limits: limits.New(0)})
	if err == nil || !strings.Contains(err.Error(), "has ever answered") || strings.Contains(err.Error(), "none of the drivers") {
		t.Errorf("error %v", err)
	}
	if driver == nil || driver.Name != "netcdf" || sure != sources.Possible {
		t.Errorf("driver %v, %v", driver, sure)
	}
}

// TestNames checks that no name is given twice, and that each name finds its driver.
func TestNames(t *testing.T) {
	list := drivers.Standard()
	seen := map[string]bool{}
	for _, name := range list.Names() {
		if seen[name] {
			t.Errorf("%s is given twice", name)
		}
		seen[name] = true
	}
	for name, want := range map[string]string{"netcdf": "netcdf", "hdf5": "netcdf", "parquet": "arrow", "feather": "arrow", "raw": "raw", "zarr": "zarr"} {
		if d, ok := list.Lookup(name); !ok || d.Name != want {
			t.Errorf("%s is not a name of %s", name, want)
		}
	}
	if d, ok := list.Lookup("toy"); ok {
		t.Errorf("toy is a name of %s", d.Name)
	}
}

// TestOpen opens places of each format, and refuses a place of another format.
func TestOpen(t *testing.T) {
	hierarchy := filepath.Join(t.TempDir(), "place")
	if err := os.MkdirAll(hierarchy, 0o777); err != nil {
		t.Fatal(err)
	}
	document := `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
		`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}]}`
	other := filepath.Join(t.TempDir(), "data.bin")
	for file, content := range map[string]string{filepath.Join(hierarchy, "zarr.json"): document, other: "GRIB"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for url, want := range map[string]string{
		hierarchy: "",
		"../../examples/data/coads_climatology.cdf": "COADSX",
		"../../examples/data/coads_clim*.cdf":       "COADSX",
	} {
		src, err := drivers.Open(t.Context(), url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if got := src.Arrays(); len(got) == 0 || got[0] != want {
			t.Errorf("%s: arrays %q", url, got)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := drivers.Open(t.Context(), other); err == nil || !strings.Contains(err.Error(), "none of the drivers netcdf, arrow, zarr reads it: ") || !strings.Contains(err.Error(), "GRIB") {
		t.Errorf("a file of another format: %v", err)
	}
}
