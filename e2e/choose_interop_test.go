package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestInteropChoose migrates parts of NetCDF files: by dates of six calendars, by values
// of coordinates that rise and fall, and by indices, with dimensions renamed and arrays
// included. xarray opens each target and finds what it selects from the file itself. Where
// xarray selects nothing, the job is refused.
func TestInteropChoose(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	folder := fast(t)
	p.run(t, "choose_sources.py", folder)
	text, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Job   string
		Empty bool
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		_, err := migrate(t.Context(), filepath.Join(folder, c.Job), environment(), jobs.RunOptions{})
		var problems jobfile.Problems
		switch {
		case c.Empty && (!errors.As(err, &problems) || !strings.Contains(err.Error(), "selects nothing") && !strings.Contains(err.Error(), "is before")):
			t.Errorf("%s: error %v, and xarray selects nothing", c.Job, err)
		case !c.Empty && err != nil:
			t.Errorf("%s: %v", c.Job, err)
		}
	}
	if !t.Failed() {
		p.check(t, "check_choose.py", folder)
	}
}
