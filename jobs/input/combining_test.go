package input

import (
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestGiven: a job may give an attribute in which files differ. A job that removes units does
// not make values with different units the same.
func TestGiven(t *testing.T) {
	j := jobtest.Parse(t, t.TempDir(), `
zmigrate: 1
source: {driver: netcdf, url: [a.nc, b.nc], concat: time}
target: {url: out.zarr}
arrays:
  time: {attributes: {units: null, calendar: standard, history: null, standard_name: null}}
  other: {attributes: {units: K}}
`)
	given := combining(j, jobtest.Environment().Codecs.Types()).Given
	for _, test := range []struct {
		array, attribute string
		want             bool
	}{
		{"time", "units", false}, {"time", "calendar", true}, {"time", "history", true}, {"time", "standard_name", true},
		{"time", "comment", false}, {"other", "units", true}, {"third", "units", false},
	} {
		if got := given(test.array, test.attribute); got != test.want {
			t.Errorf("%s of %s: %v", test.attribute, test.array, got)
		}
	}
}
