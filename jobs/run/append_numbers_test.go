package run

import (
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestAppendToNumbers appends to a target that holds characters as numbers: they stay numbers.
// Texts stay texts.
func TestAppendToNumbers(t *testing.T) {
	source := filepath.Join(sourcetest.Unzip(t, "../../sources/netcdf/testdata/netcdf4.zip"), "model.nc")
	for _, options := range []string{"", "arrays: {names: {data_type: uint8}}\n"} {
		dir, env := t.TempDir(), environment()
		job := func(target, options string) *jobfile.Job {
			j, err := jobfile.Parse("job.yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: "+source+", include: [names, time, short]}\ntarget: "+target+"\n"+options), dir, jobfile.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		if _, err := execute(t, job("{url: out.zarr}", options), env, Options{}); err != nil {
			t.Fatal(err)
		}
		more := job("{url: out.zarr, existing: append, append: {dimension: time, overlap: skip}}", "run: {checkpoint: {url: other}}\n")
		r, err := execute(t, more, env, Options{})
		if err != nil || !r.Nothing {
			t.Errorf("%q: %v, %+v", options, err, r)
		}
	}
}
