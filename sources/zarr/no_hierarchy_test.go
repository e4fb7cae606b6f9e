package zarr_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources/drivers"
	"github.com/zmigrate/zmigrate/sources/zarr"
	internal "github.com/zmigrate/zmigrate/zarr"
)

// TestNothing opens places without a hierarchy: the error describes what is in them.
func TestNothing(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
		cause error
	}{
		"empty":             {nil, "the folder is empty", internal.ErrNotZarr},
		"other attributes":  {map[string]string{"attributes.json": `{"n6": 1}`}, `it holds "attributes.json"`, internal.ErrNotZarr},
		"a draft of v3":     {map[string]string{"zarr.json": `{"zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0", "metadata_key_suffix": ".json", "extensions": []}`, "meta/root.group.json": `{}`}, `zarr_format is "https://purl.org/zarr/spec/protocol/core/3.0", as in the draft of Zarr v3 that GDAL 3.4 to 3.7 and zarr-python 2.12 to 2.18 wrote, and which was given up: rewrite it as Zarr v2`, internal.ErrNotZarr},
		"files":             {map[string]string{"b.nc": "CDF\x01", "a.nc": "CDF\x01"}, `it holds "a.nc": name files of other formats by themselves, or by a glob such as *.nc`, internal.ErrNotZarr},
		"a page and a file": {map[string]string{"a.md": "# a", "b.nc": "CDF\x01"}, `it holds "b.nc": name files of other formats by themselves, or by a glob such as *.nc`, internal.ErrNotZarr},
		"files below":       {map[string]string{"2020/b.parquet": "PAR1"}, `or by a glob such as 2020/*.parquet`, internal.ErrNotZarr},
		"a file":            {map[string]string{"": "PAR1"}, "a file, but a Zarr hierarchy is a folder or a zip archive: it is a Parquet file, for driver: arrow", nil},
	} {
		t.Run(name, func(t *testing.T) {
			place := filepath.Join(t.TempDir(), "place")
			if test.files[""] == "" {
				if err := os.MkdirAll(place, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for key, text := range test.files {
				file := filepath.Join(place, key)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			src, err := zarr.Open(t.Context(), place, zarr.Options{Drivers: drivers.Standard()})
			if err == nil {
				t.Fatal("no error", src.Close())
			}
			if !strings.Contains(err.Error(), test.want) || test.cause != nil && !errors.Is(err, test.cause) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
