package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestArrayNamedOnce has an array that cannot be opened: the error names the array, the table,
// the chunk and the file, each once.
func TestArrayNamedOnce(t *testing.T) {
	dir := t.TempDir()
	table := `{"v/.zarray": {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|u1", "fill_value": 0, "order": "C", "filters": null, "compressor": null}, "v/0": ["missing.bin", 0, 4]}`
	if err := os.WriteFile(filepath.Join(dir, "refs.json"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := New(t.Context(), jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: refs.json}\ntarget: {url: out.zarr}\n"), jobtest.Environment())
	if err == nil {
		t.Fatal("a file is missing")
	}
	for _, name := range []string{`array "v"`, "refs.json", "v/0 refers to"} {
		if n := strings.Count(err.Error(), name); n != 1 {
			t.Errorf("%q is in the error %d times: %v", name, n, err)
		}
	}
}
