package plan

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestCharacters plans characters of a NetCDF file, as numbers and as texts.
func TestCharacters(t *testing.T) {
	source := filepath.Join(sourcetest.Unzip(t, "../../sources/netcdf/testdata/netcdf4.zip"), "model.nc")
	job := func(options string) *jobfile.Job {
		return jobtest.Parse(t, t.TempDir(), "zmigrate: 1\nsource: {driver: netcdf, url: "+source+", include: [names, short, time]}\ntarget: {url: out.zarr}\n"+options)
	}
	const text = "data_type: null_terminated_bytes"
	for options, texts := range map[string]bool{
		"":                             false,
		"defaults: {chunks: [2, 8]}\n": false,
		"arrays: {names: {data_type: uint8, chunks: [2, 8]}}\n":                                  false,
		"arrays: {names: {" + text + "}}\n":                                                      true,
		"arrays: {names: {" + text + ", chunks: [2]}}\n":                                         true,
		"arrays: {names: {" + text + ", fill_value: IA==}}\n":                                    true,
		"defaults: {" + text + "}\n":                                                             true,
		"defaults: {" + text + "}\narrays: {names: {chunks: {y: 2}}, short: {chunks: {x: 2}}}\n": true,
		"defaults: {" + text + "}\narrays: {names: {data_type: uint8}}\n":                        false,
	} {
		found := 0
		for _, a := range planOf(t, job(options)).Arrays {
			if found++; a.Target != "names" {
				if a.Meta.Type == dtype.Uint8 {
					t.Errorf("%q: %s is uint8", options, a.Target)
				}
				continue
			}
			want, rank := dtype.Type(dtype.Uint8), 2
			if texts {
				want, rank = dtype.NullTerminated(8), 1
			}
			if !dtype.Same(a.Meta.Type, want) || len(a.Meta.Grid.Shape) != rank || len(a.Meta.DimensionNames) != rank || len(a.Meta.Grid.Chunk) != rank {
				t.Errorf("%q: %s of shape %v, dimensions %q", options, a.Meta.Type.Name(), a.Meta.Grid.Shape, a.Meta.DimensionNames)
			}
		}
		if found != 4 {
			t.Errorf("%q: %d arrays", options, found)
		}
	}
	_, err := New(t.Context(), job("arrays: {short: {"+text+"}}\n"), jobtest.Environment())
	if err == nil || !strings.Contains(err.Error(), `array "short": null_terminated_bytes without length_bytes is for characters of NetCDF, and the array has int32 of shape [9 6]`) {
		t.Errorf("numbers as texts: %v", err)
	}
}
