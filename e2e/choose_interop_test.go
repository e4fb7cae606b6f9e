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

// TestInteropChooseAppend appends two parts of joined files that count times from several
// moments, with bounds, parts of other dimensions and new names of dimensions. Each run
// breaks at some operation and is run again, and a further run has nothing to do. xarray
// opens each target and finds what it selects from the joined files itself.
func TestInteropChooseAppend(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	folder := fast(t)
	var cases []struct{ Jobs []string }
	p.cases(t, "choose_append.py", folder, &cases)
	broken := 0
	for number, c := range cases {
		for k, job := range c.Jobs {
			file, env := filepath.Join(folder, job), environment()
			env.Fault = (&faults{at: 1 + (11*number+17*k)%60, rest: true}).fault
			_, err := migrate(t.Context(), file, env, jobs.RunOptions{})
			if errors.Is(err, errFault) {
				broken++
				_, err = migrate(t.Context(), file, environment(), jobs.RunOptions{})
			}
			if err == nil {
				_, err = migrate(t.Context(), file, environment(), jobs.RunOptions{})
			}
			if err != nil {
				t.Errorf("%s: %v", job, err)
			}
		}
	}
	if broken < len(cases)/2 {
		t.Errorf("%d runs broke", broken)
	}
	if !t.Failed() {
		p.check(t, "choose_append.py", folder, "check")
	}
}
