package netcdf

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestDimensionOfTexts has characters along a dimension that other variables have, too. They
// are those of texts unless some variable has the dimension for something else.
func TestDimensionOfTexts(t *testing.T) {
	const char, float = netcdftype.Char, netcdftype.Float
	type other = []variable
	for name, test := range map[string]struct {
		dims   []int
		others []variable
		want   sources.Characters
	}{
		"alone":                    {[]int{1, 2}, nil, sources.LastDimension},
		"one text":                 {[]int{2}, nil, sources.LastDimension},
		"records":                  {[]int{0, 2}, nil, sources.LastDimension},
		"other texts":              {[]int{1, 2}, other{{name: "b", kind: char, dims: []int{0, 2}}, {name: "c", kind: char, dims: []int{2}}}, sources.LastDimension},
		"numbers":                  {[]int{1, 2}, other{{name: "b", kind: float, dims: []int{1, 2}}}, sources.SingleCharacters},
		"another place":            {[]int{1, 2}, other{{name: "b", kind: char, dims: []int{2, 1}}}, sources.SingleCharacters},
		"a coordinate":             {[]int{1, 2}, other{{name: "n", kind: char, dims: []int{2}}}, sources.SingleCharacters},
		"a variable of this name":  {[]int{1, 2}, other{{name: "n", kind: float, dims: []int{1}}}, sources.SingleCharacters},
		"the record dimension":     {[]int{0}, nil, sources.SingleCharacters},
		"no dimension":             {nil, nil, sources.SingleCharacters},
		"numbers elsewhere":        {[]int{1, 2}, other{{name: "b", kind: float, dims: []int{0, 1}}}, sources.LastDimension},
		"twice the same dimension": {[]int{2, 2}, nil, sources.SingleCharacters},
	} {
		t.Run(name, func(t *testing.T) {
			c := &classic{version: 1, dims: []dimension{{name: "t", record: true}, {name: "x", length: 2}, {name: "n", length: 4}},
				vars: append([]variable{{name: "a", kind: char, dims: test.dims}}, test.others...)}
			src, err := openSource(t, Options{}, save(t, "f.nc", c.encode(3)))
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Info().Characters; got != test.want || a.Info().Type != dtype.Uint8 {
				t.Errorf("characters %d of type %s, want %d", got, a.Info().Type.Name(), test.want)
			}
		})
	}
}

// TestTexts reads texts of a NetCDF-4 file in regions, into an array with gaps. Python has
// written the file.
func TestTexts(t *testing.T) {
	src, err := openSource(t, Options{}, filepath.Join(sourcetest.Unzip(t, "testdata/netcdf4.zip"), "model.nc"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := src.Array(t.Context(), "names")
	if err != nil {
		t.Fatal(err)
	}
	all := ndarray.New(dtype.Uint8, a.Info().Shape)
	if err := a.ReadRegion(t.Context(), all, []int{0, 0}); err != nil {
		t.Fatal(err)
	}
	texts, ok := sources.Texts(a)
	rows, length := a.Info().Shape[0], a.Info().Shape[1]
	if !ok || texts.Info().Type.Size() != length {
		t.Fatalf("%v: no texts of %d characters", ok, length)
	}
	if diff := cmp.Diff([]int{rows}, texts.Info().Shape); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a.Info().DimensionNames[:1], texts.Info().DimensionNames); diff != "" {
		t.Error(diff)
	}
	for start := range rows {
		for n := range rows - start + 1 {
			wide := ndarray.New(texts.Info().Type, []int{n, 3})
			some := wide.Sub(ndarray.Region{Start: []int{0, 1}, Shape: []int{n, 1}})
			some.Shape, some.Strides = some.Shape[:1], some.Strides[:1]
			if err := texts.ReadRegion(t.Context(), some, []int{start}); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if got, want := some.Data[some.Offset+i*some.Strides[0]:][:length], all.Data[(start+i)*length:][:length]; string(got) != string(want) {
					t.Errorf("text %d: %q, want %q", start+i, got, want)
				}
			}
		}
	}
	if err := texts.ReadRegion(t.Context(), ndarray.New(texts.Info().Type, []int{1}), []int{rows}); err == nil {
		t.Error("no error behind the last text")
	}
}
