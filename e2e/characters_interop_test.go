package e2e

import (
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestInteropCharacters copies NetCDF files of all formats with variables of characters:
// texts, single characters, with encodings, joined, in shards. xarray reads the same from the
// copies as from the files.
func TestInteropCharacters(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	folder := fast(t)
	var cases []struct{ Job string }
	p.cases(t, "characters.py", folder, &cases)
	for _, c := range cases {
		if _, err := migrate(t.Context(), filepath.Join(folder, c.Job), environment(), jobs.RunOptions{}); err != nil {
			t.Errorf("%s: %v", c.Job, err)
		}
	}
	if !t.Failed() {
		p.check(t, "characters.py", folder, "check")
	}
}
