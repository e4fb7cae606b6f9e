package e2e

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestInteropChoose migrates parts of NetCDF files: by dates of six calendars, by values
// of coordinates that rise and fall, and by indices, with dimensions renamed and arrays
// included. xarray opens each target and finds what it selects from the file itself. Where
// xarray selects nothing, the job is refused. Other files have a variable with bounds, grid
// mappings, formula terms, cell measures and coordinates, in all combinations: what says
// where its values are comes along, and attributes have the new names of dimensions.
func TestInteropChoose(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	folder := fast(t)
	var cases []struct {
		Job   string
		Empty bool
	}
	p.cases(t, "choose_sources.py", folder, &cases)
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
