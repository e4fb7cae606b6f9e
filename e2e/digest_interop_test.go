package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	valuedigest "github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// TestInteropDigest compares digests with those of the Python of docs/digest.md: of regions
// of arrays, and of the arrays of a migration,
// as verify tells them and as attributes.
func TestInteropDigest(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	var cases []struct {
		At, Size     int
		Shape, Start []int
		Digest       string
	}
	p.cases(t, "digest_sources.py", dir, &cases)
	data, err := os.ReadFile(filepath.Join(dir, "data.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		typ := dtype.RawBytes(c.Size)
		n, _ := ndarray.Bytes(typ, c.Shape)
		a, err := ndarray.View(typ, c.Shape, data[c.At:c.At+n])
		if err != nil {
			t.Fatal(err)
		}
		if got := valuedigest.Of(a, c.Start).String(); got != c.Digest {
			t.Errorf("elements of %d bytes, shape %v from %v on: %s, Python has %s", c.Size, c.Shape, c.Start, got, c.Digest)
		}
	}

	job := filepath.Join(dir, "job.json")
	attribute := []string{"--set", "target.digest_attribute=true"}
	mustRun(t, append([]string{"run", "--progress", "none", job}, attribute...)...)
	out, err := zmigrate(t.Context(), t, append([]string{"verify", "--json", job}, attribute...)...).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte{'\n'})
	var result struct{ Digests map[string]string }
	if err := json.Unmarshal(lines[len(lines)-1], &result); err != nil {
		t.Fatal(err)
	}
	var want map[string]string
	text, err := os.ReadFile(filepath.Join(dir, "digests.json"))
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, result.Digests); diff != "" {
		t.Errorf("digests of arrays (-Python +zmigrate):\n%s", diff)
	}
	for name, sum := range want {
		var document struct{ Attributes map[string]any }
		text, err := os.ReadFile(filepath.Join(dir, "target.zarr", name, "zarr.json"))
		if err == nil {
			err = json.Unmarshal(text, &document)
		}
		if got := document.Attributes["values_digest"]; err != nil || got != "zmigrate:"+sum {
			t.Errorf("%s: the attribute is %v, %v, want %s", name, got, err, sum)
		}
	}
}
