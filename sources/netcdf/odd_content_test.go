package netcdf_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// odd is a file with content that a copy cannot keep, or has to change.
const odd = "testdata/odd.h5"

// openOdd opens an array of odd.
func openOdd(t *testing.T, src sources.Source, path string) sources.Array {
	t.Helper()
	a, err := src.Array(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestTextOfNoEncoding: elements that are not UTF-8 are refused when they are read. A fill
// value that is not UTF-8 is refused when the array is opened.
func TestTextOfNoEncoding(t *testing.T) {
	src := open(t, netcdf.Options{}, odd)
	a := openOdd(t, src, "latin")
	for name, region := range map[string]struct {
		start, shape []int
		wrong        bool
	}{
		"whole":        {[]int{0, 0}, []int{4, 5}, true},
		"the element":  {[]int{2, 3}, []int{1, 1}, true},
		"one row":      {[]int{2, 1}, []int{1, 4}, true},
		"its chunk":    {[]int{0, 2}, []int{2, 2}, false},
		"before it":    {[]int{0, 0}, []int{2, 5}, false},
		"the last row": {[]int{3, 0}, []int{1, 5}, false},
	} {
		err := a.ReadRegion(t.Context(), ndarray.New(a.Info().Type, region.shape), region.start)
		switch {
		case !region.wrong && err != nil:
			t.Errorf("%s: %v", name, err)
		case region.wrong && err == nil:
			t.Errorf("%s: no error", name)
		case region.wrong:
			for _, part := range []string{"odd.h5", `"latin"`, "[2 3]", `"\xff\xfe"`, "UTF-8", "exclude"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %q is not in %v", name, part, err)
				}
			}
		}
	}
	if _, err := src.Array(t.Context(), "fill"); err == nil || !strings.Contains(err.Error(), "fill value") || !strings.Contains(err.Error(), `"\xff"`) {
		t.Errorf("fill value: error %v", err)
	}
	if got := slices.Collect(sourcetest.ReadAll(t, openOdd(t, src, "utf8")).Items()); string(got[0]) != "é" {
		t.Errorf("text %q", got)
	}
}

// TestFindings reports attributes that are left out, or are not UTF-8.
func TestFindings(t *testing.T) {
	src := open(t, netcdf.Options{}, odd)
	latin := func(name string) cf.Finding {
		return cf.Finding{
			Code: sources.NotUTF8, Message: "the attribute " + name + ` is not UTF-8, so it is read as Latin-1: "°C"`,
			Hint: "if that is wrong, give the attribute in the job",
		}
	}
	want := map[string][]cf.Finding{
		"": {
			{Code: sources.LeftOut, Message: "the attribute complex is left out: data type complex128 has no NetCDF type: choose float64 with one more dimension of length 2"}, latin("latin"),
		},
		"plain": {
			latin("units"),
		},
		"group": nil,
	}
	got := map[string][]cf.Finding{"plain": openOdd(t, src, "plain").Info().Findings}
	for _, g := range src.Groups() {
		got[g.Path] = g.Findings
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestTextsWithZeros has attributes of one text with zero bytes, in the three ways in which HDF5 fills
// up texts. The texts are those that h5py reads.
func TestTextsWithZeros(t *testing.T) {
	all := openOdd(t, open(t, netcdf.Options{}, "testdata/texts.h5"), "d").Info().Attributes
	for name, want := range map[string][5]string{
		"terminated": {`"a"`, `"ab "`, `"ab   "`, `""`, `""`},
		"zeros":      {`"a\u0000b"`, `"ab "`, `"ab   "`, `"\u0000b\u0000  "`, `""`},
		"spaces":     {`"a\u0000b"`, `"ab "`, `"ab"`, `"\u0000b"`, `""`},
	} {
		for i := range want {
			if got := string(all.Get(fmt.Sprint(name, i))); got != want[i] {
				t.Errorf("attribute %s%d is %s, want %s", name, i, got, want[i])
			}
		}
	}
}

// TestAttributeForms has nested values of several dimensions. The first zero byte ends
// a terminated text of HDF5. In a text of NetCDF it is dropped.
func TestAttributeForms(t *testing.T) {
	all := openOdd(t, open(t, netcdf.Options{}, odd), "plain").Info().Attributes
	for name, want := range map[string]string{
		"matrix": "[[0,1,2],[3,4,5]]", "one": "[[7]]", "texts": `[["a","b"],["c","dé"]]`, "none": "[]", "units": `"°C"`, "zero": `"a\nb"`,
	} {
		if got := string(all.Get(name)); got != want {
			t.Errorf("attribute %s is %s, want %s", name, got, want)
		}
	}
	if got := string(open(t, netcdf.Options{}, "testdata/odd.nc").Groups()[0].Attributes.Get("zero")); got != `"a\nbc"` {
		t.Errorf("text of NetCDF with a zero byte: %s", got)
	}
}

// TestLetters has texts of one byte: in NetCDF they are characters, in other files
// texts like longer ones.
func TestLetters(t *testing.T) {
	a := openOdd(t, open(t, netcdf.Options{}, odd), "letters")
	if got, want := a.Info().Type.Name(), "null_terminated_bytes"; got != want {
		t.Errorf("type %s, want %s", got, want)
	}
	if got := string(sourcetest.ReadAll(t, a).Data); got != "a\x00c" {
		t.Errorf("elements %q", got)
	}
	folder := sourcetest.Unzip(t, "testdata/netcdf4.zip")
	if got := openOdd(t, open(t, netcdf.Options{}, filepath.Join(folder, "model.nc")), "names").Info().Type.Name(); got != "uint8" {
		t.Errorf("type %s of characters of NetCDF", got)
	}
}

// TestLinksToNoArray: links to no array are listed, and their error differs from that
// of arrays that cannot be read.
func TestLinksToNoArray(t *testing.T) {
	src := open(t, netcdf.Options{}, odd)
	for path, want := range map[string]string{
		"dangling": `the link "dangling" leads to "/nowhere"`, "through": `the link "through" leads to "/plain/below"`,
		"loop": `the link "loop" leads to "/loop"`, "group/external": `"/there" in the file "other.h5"`,
	} {
		if !slices.Contains(src.Arrays(), path) {
			t.Errorf("%s is not listed", path)
		}
		_, err := src.Array(t.Context(), path)
		if !errors.Is(err, sources.ErrNoArray) || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "the link") != 1 {
			t.Errorf("%s: error %v, want one with %s", path, err, want)
		}
	}
}
