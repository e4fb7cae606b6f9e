package run

import (
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestFirstRunNeedsTheDimension plans a target that does not exist yet. The first run refuses
// everything for which the next run would fail.
func TestFirstRunNeedsTheDimension(t *testing.T) {
	for name, test := range map[string]struct {
		edit []string
		want string
	}{
		"no such dimension": {[]string{"append: time", "append: depth"}, `no array has the dimension "depth" to append along; the dimensions of the arrays are ["lat" "time"]`},
		"renamed":           {[]string{"chunks: [4, 2]", "chunks: [4, 2], dimension_names: [t, lat]", "chunks: [4]}", "chunks: [4], dimension_names: [t]}"}, `no array has the dimension "time" to append along; the dimensions of the arrays are ["lat" "t"]`},
		"other lengths":     {[]string{"v_0.raw, data_type: float32, shape: [3, 2]", "v_0.raw, data_type: float32, shape: [2, 3]"}, `array "g/v" has 2 rows along time, array "g/time" has 3: nothing could be appended to them`},
		"twice":             {[]string{"names: [time, lat]", "names: [time, time]"}, `array "g/v" has the dimension "time" twice`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := execute(t, night{0, 3}.job(t, t.TempDir(), test.edit...), jobtest.Environment(), Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestCheckNeedsTheDimension has drivers whose files have no unlimited dimension.
func TestCheckNeedsTheDimension(t *testing.T) {
	const raw = "driver: raw, arrays: {v: {url: v, data_type: int8, shape: [1], dimension_names: [t]}}"
	for job, wrong := range map[string]bool{
		"source: {" + raw + "}\ntarget: {url: out.zarr, existing: append}":                            true,
		"source: {" + raw + ", stack: x}\ntarget: {url: out.zarr, existing: append}":                  false,
		"source: {" + raw + "}\ntarget: {url: out.zarr, existing: append, append: t}":                 false,
		"source: {" + raw + "}\ntarget: {url: out.zarr}":                                              false,
		"source: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr, existing: append}":             true,
		"source: {driver: arrow, url: in.parquet}\ntarget: {url: out.zarr, existing: append}":         true,
		"source: {driver: netcdf, url: in.nc}\ntarget: {url: out.zarr, existing: append}":             false,
		"source: {driver: zarr, url: '*.zarr', concat: t}\ntarget: {url: out.zarr, existing: append}": false,
	} {
		j := jobtest.Parse(t, t.TempDir(), "zmigrate: 1\n"+job)
		got := j.Check(jobtest.Environment().Codecs).Err()
		if wrong != (got != nil) || wrong && !strings.Contains(got.Error(), "have none that is unlimited (target.append: NAME)") {
			t.Errorf("%s: %v", job, got)
		}
	}
}
