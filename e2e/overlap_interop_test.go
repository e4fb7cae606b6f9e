package e2e

import (
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestInteropOverlap appends 72 sets of files of which the first rows are in the target
// already, in other files and by other origins. xarray joins the files, takes each time
// once, and finds the same in the target. Rows that belong into a hole are refused, and with
// overlap: same those that have other values. A second run has nothing to do.
func TestInteropOverlap(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	folder := fast(t)
	var cases []struct {
		Jobs             []string
		Target           string
		Refused, Nothing bool
	}
	p.cases(t, "overlap_sources.py", folder, &cases)
	for _, c := range cases {
		run := func(job string) (*jobs.Result, error) {
			return migrate(t.Context(), filepath.Join(folder, job), environment(), jobs.RunOptions{})
		}
		if _, err := run(c.Jobs[0]); err != nil {
			t.Errorf("%s: %v", c.Jobs[0], err)
			continue
		}
		result, err := run(c.Jobs[1])
		switch {
		case c.Refused != (err != nil):
			t.Errorf("%s: refused is %v, the error %v", c.Jobs[1], c.Refused, err)
		case c.Refused:
		case result.Nothing != c.Nothing:
			t.Errorf("%s: %+v", c.Jobs[1], result)
		default:
			if result, err := run(c.Jobs[1]); err != nil || !result.Nothing {
				t.Errorf("%s once more: %+v, %v", c.Jobs[1], result, err)
			}
		}
	}
	p.check(t, "check_overlap.py", folder)
}
