package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropBloscOfV2 copies Zarr v2 arrays with Blosc that zarr-python wrote: data types,
// shuffles, compressors, filters and texts. All are carried through. zarr-python,
// tensorstore, zarrs and GDAL read the copies, each all of those whose data type it knows.
func TestInteropBloscOfV2(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := fast(t)
	p.run(t, "blosc_v2.py", "write", dir)
	source, target := filepath.Join(dir, "v2.zarr"), filepath.Join(dir, "v3.zarr")
	text, err := zmigrate(t.Context(), t, "copy", "--dry-run", "--json", source, target).Output()
	if err != nil {
		t.Fatal(err)
	}
	var plan struct{ Arrays []plannedCopy }
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatal(err)
	}
	for _, a := range plan.Arrays {
		if a.Path != "carried through" {
			t.Errorf("%s: %s", a.Source, a.Path)
		}
	}
	mustRun(t, "copy", "--progress", "none", source, target)
	p.check(t, "blosc_v2.py", "check", dir)

	t.Run("another name is found", func(t *testing.T) {
		file := filepath.Join(target, "compressors", "lz4", "zarr.json")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		renamed := strings.NewReplacer(`"blosc"`, `"numcodecs.blosc"`, `"shuffle": "shuffle"`, `"shuffle": 1`).Replace(string(text))
		write(t, filepath.Dir(file), filepath.Base(file), []byte(renamed))
		found := strings.Join(p.differences(t, "blosc_v2.py", "check", dir), "\n")
		for _, reader := range []string{"tensorstore", "zarrs", "gdal"} {
			if !strings.Contains(found, "compressors/lz4: "+reader+" cannot read it") {
				t.Errorf("%s reads it: %s", reader, found)
			}
		}
	})
}
