package plan

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestCharacters plans texts of a NetCDF file. Options that only numbers can have make them
// numbers.
func TestCharacters(t *testing.T) {
	source := filepath.Join(sourcetest.Unzip(t, "../../sources/netcdf/testdata/netcdf4.zip"), "model.nc")
	job := func(options string) *jobfile.Job {
		j, err := jobfile.Parse("job.yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: "+source+", include: [names]}\ntarget: {url: out.zarr}\n"+options), t.TempDir(), jobfile.LoadOptions{})
		if err != nil {
			t.Fatal(options, err)
		}
		return j
	}
	for options, texts := range map[string]bool{
		"":                                 true,
		"arrays: {names: {chunks: [2]}}\n": true,
		"arrays: {names: {chunks: {y: 2, chars: 8}}}\n":       true,
		"defaults: {chunks: [2, 8]}\n":                        true,
		"arrays: {names: {fill_value: IA==}}\n":               true,
		"arrays: {names: {dimension_names: [a]}}\n":           true,
		"arrays: {names: {chunks: [2, 8]}}\n":                 false,
		"arrays: {names: {chunks: [5, 8], shards: [5, 8]}}\n": false,
		"arrays: {names: {data_type: uint8}}\n":               false,
		"arrays: {names: {data_type: int32}}\n":               false,
		"arrays: {names: {fill_value: 32}}\n":                 false,
		"arrays: {names: {dimension_names: [a, b]}}\n":        false,
		"arrays: {names: {codecs: keep}}\n":                   false,
		"arrays: {names: {data_type: {name: \"null_terminated_bytes\", configuration: {length_bytes: 8}}}}\n": true,
	} {
		is := planOf(t, job(options)).Arrays[0].Meta
		_, number := is.Type.(dtype.Numeric)
		if got := dtype.Same(is.Type, dtype.NullTerminated(8)); got != texts || number == texts || len(is.Grid.Shape) != len(is.DimensionNames) || (len(is.Grid.Shape) == 1) != texts {
			t.Errorf("%q: %s of shape %v, dimensions %q", options, is.Type.Name(), is.Grid.Shape, is.DimensionNames)
		}
	}

	// Targets of earlier versions keep numbers.
	manifest, err := planOf(t, job("arrays: {names: {data_type: uint8}}\n")).Manifest()
	if err != nil {
		t.Fatal(err)
	}
	was, err := ReadManifest(json.RawMessage(manifest))
	if err != nil {
		t.Fatal(err)
	}
	j := job("")
	beginCheckpoint(t, j, string(manifest))
	again, err := planOf(t, j).Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if is, err := ReadManifest(json.RawMessage(again)); err != nil || is.Arrays[0].Digest != was.Arrays[0].Digest {
		t.Errorf("%v: the target would change from %+v to %+v", err, was.Arrays[0], is.Arrays[0])
	}
}
