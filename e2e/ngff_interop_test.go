package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropNGFF migrates images of OME-NGFF 0.4 that ome-zarr-py wrote. The official JSON
// schemas of version 0.5 and ome-zarr-models accept the metadata. zarr-python finds the same
// elements, and the names of the axes as dimension names.
func TestInteropNGFF(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := fast(t)
	for _, name := range []string{"image", "plate"} {
		source, err := filepath.Abs(filepath.Join("testdata", "ngff", name+".zarr.zip"))
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, "copy", "--progress", "none", source, filepath.Join(dir, name+".zarr"))
		p.check(t, "ngff.py", "check", source, filepath.Join(dir, name+".zarr"))
	}

	t.Run("faults are found", func(t *testing.T) {
		source, err := filepath.Abs(filepath.Join("testdata", "ngff", "image.zarr.zip"))
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, "image.zarr")
		file := filepath.Join(target, "zarr.json") // with consolidated metadata
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		faulty := strings.NewReplacer(`"multiscales": [`, `"multiscales": [{}, `, "\"x\"\n", "\"w\"\n").Replace(string(text))
		write(t, target, filepath.Base(file), []byte(faulty))
		found := strings.Join(p.differences(t, "ngff.py", "check", source, target), "\n")
		for _, want := range []string{"image.schema: $.ome.multiscales[0]", "ome-zarr-models", "s0: dimensions"} {
			if !strings.Contains(found, want) {
				t.Errorf("no %q in: %s", want, found)
			}
		}
	})
}
