package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropCarried copies the hierarchies of zarr-python that the tests of the
// source have, v2 and v3. Nearly all of their chunks are carried through, and
// zarr-python reads every array of the copies with its expected values.
func TestInteropCarried(t *testing.T) {
	p := findPeers(t)
	archive, err := zip.OpenReader("../sources/zarr/testdata/golden.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close() //nolint:errcheck // only read
	dir := t.TempDir()
	if err := os.CopyFS(dir, archive); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join(dir, "zarr-python")
	for _, store := range []string{"v2.zarr", "v3.zarr"} {
		source, target := filepath.Join(golden, store), filepath.Join(dir, store)
		if carried, all := carriedThrough(t, source, target); carried < 20 || carried < all-1 {
			t.Errorf("%s: %d of %d arrays are carried through", store, carried, all)
		}
		done(t, "copy", "--progress", "none", source, target)
		p.check(t, "check_carried.py", filepath.Join(golden, "expected.json"), store, target)
	}

	t.Run("a flipped bit is found", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(dir, "v2.zarr", "dtype", "*", "c", "*", "*", "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no chunks: %v", err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)-1] ^= 0x80
		write(t, filepath.Dir(files[0]), filepath.Base(files[0]), data)
		name := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(files[0])))))
		differences := p.differences(t, "check_carried.py", filepath.Join(golden, "expected.json"), "v2.zarr", filepath.Join(dir, "v2.zarr"))
		if len(differences) != 1 || !strings.Contains(differences[0], "v2.zarr/dtype/"+name) {
			t.Errorf("want one difference, in dtype/%s: %q", name, differences)
		}
	})
}

// carriedThrough returns how many of the arrays a copy would carry through.
func carriedThrough(t *testing.T, source, target string) (carried, all int) {
	t.Helper()
	cmd := zmigrate(t.Context(), t, "copy", "--dry-run", "--json", source, target)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	var plan struct {
		Arrays []struct{ Path, Reason string }
	}
	if err := json.Unmarshal(out.Bytes(), &plan); err != nil {
		t.Fatal(err)
	}
	for _, a := range plan.Arrays {
		if a.Path == "carried through" && a.Reason == "" {
			carried++
		}
	}
	return carried, len(plan.Arrays)
}
