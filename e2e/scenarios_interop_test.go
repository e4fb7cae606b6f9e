package e2e

import (
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestInteropScenarios migrates files as users have them, such as a year of daily files
// whose names are not in the order of time. xarray opens each target, and finds what it
// makes of the files itself. TestInteropTime and TestInteropChoose do that with generated
// units and parts.
func TestInteropScenarios(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	folder := fast(t)
	var cases []string
	p.cases(t, "scenarios.py", folder, &cases)
	for _, job := range cases {
		if _, err := migrate(t.Context(), filepath.Join(folder, job), environment(), jobs.RunOptions{}); err != nil {
			t.Fatalf("%s: %v", job, err)
		}
	}
	p.check(t, "scenarios.py", folder, "check")
}
