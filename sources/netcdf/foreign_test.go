package netcdf_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestForeign reads files with the faults and old forms of other writers, and compares
// the result with that of h5py and netCDF4-python; see testdata/README.md.
func TestForeign(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/foreign.zip")
	for name, want := range readGolden(t, filepath.Join(folder, "expected.json")) {
		t.Run(name, func(t *testing.T) { checkGolden(t, filepath.Join(folder, name), want) })
	}
}

// TestZeroBytes has names with a zero byte within them: a finding lists a few of them.
func TestZeroBytes(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/foreign.zip")
	for name, want := range map[string]string{
		"zero_bytes_classic.nc":      `7 names of dimensions, variables or attributes contain a zero byte and are cut off there: "x\x00", "longer\x00\x00\x00", "r\x00", "title\x00", "x\x00"`,
		"ref_nctest_64bit_offset.nc": `of dimensions, variables or attributes contain a zero byte and are cut off there: `,
		"zero_bytes_64bit_data.nc":   `7 names of`,
		"zero_bytes_64bit_offset.nc": `7 names of`,
	} {
		findings := open(t, netcdf.Options{}, filepath.Join(folder, name)).Groups()[0].Findings
		if len(findings) != 1 || findings[0].Code != sources.Renamed || !strings.Contains(findings[0].Message, want) {
			t.Errorf("%s: findings %+v, want one with %q", name, findings, want)
		}
	}
	if list := open(t, netcdf.Options{}, coads).Groups()[0].Findings; len(list) != 0 {
		t.Errorf("findings of a sound file: %+v", list)
	}
}

// TestArrayColumn reads a table of PyTables in which arrays are structs.
func TestArrayColumn(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/foreign.zip")
	a, err := open(t, netcdf.Options{}, filepath.Join(folder, "pytables_zlib.h5")).Array(t.Context(), "table")
	if err != nil {
		t.Fatal(err)
	}
	v3, err := a.Info().Type.V3()
	if err != nil {
		t.Fatal(err)
	}
	var of struct {
		Configuration struct {
			Fields []struct {
				Name string          `json:"name"`
				Type json.RawMessage `json:"data_type"`
			}
		}
	}
	if err := json.Unmarshal(v3, &of); err != nil {
		t.Fatal(err)
	}
	for _, f := range of.Configuration.Fields {
		want := map[string]string{
			"vector": `{"name":"struct","configuration":{"fields":[{"name":"0","data_type":"float32"},{"name":"1","data_type":"float32"},{"name":"2","data_type":"float32"}]}}`,
			"number": `"int32"`, "z": `"complex128"`,
		}[f.Name]
		if want != "" && string(f.Type) != want {
			t.Errorf("%s has type %s, want %s", f.Name, f.Type, want)
		}
	}
	if notes := strings.Join(a.Info().Notes, "\n"); !strings.Contains(notes, `member "matrix": its [2 2] elements are fields of a struct, 0_0 to 1_1`) {
		t.Errorf("notes %s", notes)
	}
}
