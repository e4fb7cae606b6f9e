package netcdf_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestJoinFormats joins files, the last of which has a classic format.
func TestJoinFormats(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/netcdf4.zip")
	urls := []string{filepath.Join(folder, "part_0.nc"), filepath.Join(folder, "part_1.nc"), filepath.Join(folder, "part_2.nc")}
	src := open(t, netcdf.Options{Combine: combine.Options{Concat: "t"}}, urls...)
	sourcetest.Run(t, src)
	a, err := src.Array(t.Context(), "v")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{9, 4}, a.Info().Shape); diff != "" {
		t.Errorf("shape (-want +got):\n%s", diff)
	}
	var want []byte
	for _, url := range urls {
		part, err := open(t, netcdf.Options{}, url).Array(t.Context(), "v")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, sourcetest.ReadAll(t, part).Data...)
	}
	if !bytes.Equal(sourcetest.ReadAll(t, a).Data, want) {
		t.Error("the joined values are not those of the files")
	}
	if len(a.Info().Notes) != 0 {
		t.Errorf("notes %q", a.Info().Notes)
	}
}

// TestLabels reads the names that an enumeration gives to values.
func TestLabels(t *testing.T) {
	file := filepath.Join(sourcetest.Unzip(t, "testdata/netcdf4.zip"), "nc4_features.nc")
	a, err := open(t, netcdf.Options{}, file).Array(t.Context(), "cloud_type")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"0": "clear", "1": "cumulus"}, a.Info().Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

// TestManyPaths: a file whose groups are reached by a million paths is refused.
func TestManyPaths(t *testing.T) {
	_, err := netcdf.OpenAll(t.Context(), []string{"testdata/paths.h5"}, netcdf.Options{})
	if err == nil || !strings.Contains(err.Error(), "links lead to groups by more than 65536 other paths") {
		t.Errorf("error %.300v", err)
	}
}

// TestJoinNemo joins real files of the model NEMO, month by month.
func TestJoinNemo(t *testing.T) {
	urls, err := filepath.Glob(filepath.Join(more, "netcdf", "nemo_1m_*.nc"))
	if err != nil || len(urls) == 0 {
		t.Skipf("no such files in %q: set ZMIGRATE_GOLDEN to the folder of all goldens (%v)", more, err)
	}
	everything := func(string) bool { return true } // time_counter is 0 in all files
	how := combine.Options{Concat: "time_counter", Wanted: everything}
	if _, err := netcdf.OpenAll(t.Context(), urls, netcdf.Options{Combine: how}); err == nil || !strings.Contains(err.Error(), "both have this index") {
		t.Errorf("a coordinate of three equal values: %v", err)
	}
	how.Disordered = true
	src := open(t, netcdf.Options{Combine: how}, urls...)
	for _, name := range []string{"tos", "time_counter"} {
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Info().Shape[0]; got != len(urls) {
			t.Errorf("%s: %d months of %d files", name, got, len(urls))
		}
	}
}

// TestPackedNetCDF4 unpacks a variable of a NetCDF-4 file.
func TestPackedNetCDF4(t *testing.T) {
	file := filepath.Join(sourcetest.Unzip(t, "testdata/netcdf4.zip"), "nc4_features.nc")
	for mode, want := range map[cf.Mode]string{cf.Keep: "int16", cf.Codecs: "int16", cf.Unpack: "float64"} {
		src := open(t, netcdf.Options{CF: func(string) cf.Mode { return mode }}, file)
		a, err := src.Array(t.Context(), "packed")
		if err != nil {
			t.Fatal(err)
		}
		if info := a.Info(); info.Type.Name() != want || (info.Packing != nil) != (mode == cf.Codecs) {
			t.Errorf("mode %v: type %s, packing %v", mode, info.Type.Name(), info.Packing)
		}
	}
}

// TestWhatCannotBeOpened has links and datasets that are listed and cannot be opened.
func TestWhatCannotBeOpened(t *testing.T) {
	files := sourcetest.Unzip(t, "hdf5/testdata/golden.zip")
	src := open(t, netcdf.Options{}, filepath.Join(files, "earliest.h5"))
	for path, want := range map[string]string{
		"groups/external":    `"/there" in the file "other.h5"`,
		"groups/dangling":    `leads to "nowhere": no object of the file`,
		"groups/no such one": `no variable "groups/no such one"`,
	} {
		_, err := src.Array(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "earliest.h5") {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
	for _, path := range []string{"groups/soft", "groups/hard/v", "groups/absolute/inner/v"} {
		if !slices.Contains(src.Arrays(), path) {
			t.Errorf("%s is not listed", path)
		}
	}
	if _, err := src.Array(t.Context(), "types/type"); err == nil {
		t.Error("a committed datatype was opened")
	}
}

// TestNotes reports attributes that are left out, and the type of characters.
func TestNotes(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/netcdf4.zip")
	a, err := open(t, netcdf.Options{}, filepath.Join(folder, "model.nc")).Array(t.Context(), "names")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"stored as uint8: NetCDF characters have no core Zarr type; data_type: null_terminated_bytes makes texts of them"}; !slices.Equal(sources.Numbers(a).Info().Notes, want) || a.Info().Notes != nil {
		t.Errorf("notes %q, want %q for numbers", a.Info().Notes, want)
	}
	files := sourcetest.Unzip(t, "hdf5/testdata/golden.zip")
	a, err = open(t, netcdf.Options{}, filepath.Join(files, "latest.h5")).Array(t.Context(), "attributes/few")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"number": "1.5", "big": "[1,2,3]", "text": `"grün"`, "bytes": `"fixed"`, "texts": `["a","","ccc"]`, "flag": "1", "none": "[]", "empty": "[]",
	}
	for name, text := range want {
		if got := a.Info().Attributes.Get(name); string(got) != text {
			t.Errorf("attribute %s is %s, want %s", name, got, text)
		}
	}
}

// TestTruncatedNetCDF4 cuts a file in the middle.
func TestTruncatedNetCDF4(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(sourcetest.Unzip(t, "testdata/netcdf4.zip"), "classic_model.nc"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cut.nc")
	if err := os.WriteFile(file, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = netcdf.OpenAll(t.Context(), []string{file}, netcdf.Options{})
	if err == nil || !strings.Contains(err.Error(), "truncated") || !strings.Contains(err.Error(), "cut.nc") {
		t.Errorf("error %v", err)
	}
}

// TestHidden: bookkeeping is not among the attributes.
func TestHidden(t *testing.T) {
	src := open(t, netcdf.Options{}, filepath.Join(sourcetest.Unzip(t, "testdata/netcdf4.zip"), "model.nc"))
	var names []string
	for _, g := range src.Groups() {
		for _, a := range g.Attributes {
			names = append(names, a.Name)
		}
	}
	for _, path := range src.Arrays() {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, attr := range a.Info().Attributes {
			names = append(names, attr.Name)
		}
	}
	for _, name := range names {
		if name == "CLASS" || name == "DIMENSION_LIST" || strings.HasPrefix(name, "_N") {
			t.Errorf("the attribute %s is bookkeeping", name)
		}
	}
}
