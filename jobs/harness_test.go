package jobs

import (
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// planned makes a plan, which is closed with the test.
func planned(t *testing.T, dir, text string) *Plan {
	t.Helper()
	p, err := NewPlan(t.Context(), jobtest.Parse(t, dir, text), jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}

// reservedFolder is a folder with reserved.h5, whose nodes have names that Zarr reserves
// or does not have.
func reservedFolder(t *testing.T) string {
	t.Helper()
	return sourcetest.Unzip(t, "../sources/netcdf/testdata/foreign.zip")
}

const reservedJob = "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: netcdf, url: reserved.h5"
