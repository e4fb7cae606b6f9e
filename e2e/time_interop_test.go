package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestInteropTime joins and appends 240 sets of files that count times from several moments,
// in nine calendars, as integers and as floats, with bounds and without. xarray decodes the
// files and the target, and finds the same times. A set of integers whose times are no
// whole numbers of the first file's units, or too large for its type, is refused.
func TestInteropTime(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	folder := fast(t)
	var cases []struct {
		Jobs   []string
		Target string
	}
	p.cases(t, "time_sources.py", folder, &cases)
	refused := []string{}
	for _, c := range cases {
		for _, job := range c.Jobs {
			_, err := migrate(t.Context(), filepath.Join(folder, job), environment(), jobs.RunOptions{})
			if err == nil {
				continue
			}
			if text := err.Error(); !strings.Contains(text, "which int") || !strings.Contains(text, "does not hold") {
				t.Errorf("%s: %v", job, err)
			}
			refused = append(refused, c.Target)
			break
		}
	}
	list, err := json.Marshal(refused)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "refused.json"), list, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.check(t, "check_time.py", folder)
}
