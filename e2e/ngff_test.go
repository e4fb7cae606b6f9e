package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInteropNGFF migrates images of OME-NGFF 0.4 that ome-zarr-py wrote. The official JSON
// schemas of version 0.5 and ome-zarr-models accept the metadata. zarr-python finds the same
// elements, and the names of the axes as dimension names.
func TestInteropNGFF(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := fast(t)
	for _, name := range []string{"image", "plate", "series"} {
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

// TestFormerImages goes on where an earlier version has left an image with its metadata of
// version 0.4. The job has nothing to do, no finding speaks of other metadata, and repair
// writes what the earlier version wrote. A new target has those of 0.5.
func TestFormerImages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unarchived(t, "testdata/ngff/former.tar.gz", dir)
	job, target := filepath.Join(dir, "job.yaml"), filepath.Join(dir, "out.zarr")
	was := tree(t, target)
	cmd := zmigrate(t.Context(), t, "run", "--progress", "none", job)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "nothing to do") || strings.Contains(stderr.String(), "ngff") {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	mustRun(t, "verify", job)
	write(t, filepath.Join(target, "labels"), "zarr.json", []byte("{}"))
	mustRun(t, "repair", job)
	if diff := cmp.Diff(was, tree(t, target)); diff != "" {
		t.Errorf("the target has changed (-want +got):\n%s", diff)
	}
	mustRun(t, "run", "--progress", "none", "--set", "target.url=new.zarr", job)
	text, err := os.ReadFile(filepath.Join(dir, "new.zarr", "labels", "zarr.json"))
	if err != nil || !strings.Contains(string(text), `"ome"`) {
		t.Errorf("%v: %s", err, text)
	}
}
