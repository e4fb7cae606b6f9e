package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestAppendOtherFields appends records of other fields than the target's: no
// conversion makes the ones of the others.
func TestAppendOtherFields(t *testing.T) {
	dir, env := t.TempDir(), environment()
	for i, field := range []string{"a", "b"} {
		file := fmt.Sprintf("f%d.raw", i)
		if err := os.WriteFile(filepath.Join(dir, file), []byte{1, 2}, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: %s, shape: [2], dimension_names: [t], data_type: {name: struct, configuration: {fields: [{name: %s, data_type: uint8}]}}}}}
target: {url: out.zarr, existing: append, append: t}
`, file, field), dir, jobfile.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = execute(t, j, env, Options{})
		if i == 0 {
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		want := `{"name":"struct","configuration":{"fields":[{"name":"b","data_type":"uint8"}]}}, the target has {"name":"struct","configuration":{"fields":[{"name":"a","data_type":"uint8"}]}}`
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "converts") {
			t.Errorf("%v\nwant %s, and no conversion", err, want)
		}
	}
}
