package netcdf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/sourcetest"

	"github.com/zmigrate/zmigrate/dtype/netcdftype"
)

// write writes files with the given headers and their records. Variables without
// records have the same values in all files.
func write(t *testing.T, files ...*classic) []string {
	t.Helper()
	dir := t.TempDir()
	var urls []string
	for i, c := range files {
		path := filepath.Join(dir, fmt.Sprintf("%d.nc", i))
		if err := os.WriteFile(path, c.encode(int(c.records)), 0o600); err != nil {
			t.Fatal(err)
		}
		urls = append(urls, path)
	}
	return urls
}

// lengthwise returns a file whose fixed dimension z has length n.
func lengthwise(n int) *classic {
	return &classic{version: 5, dims: []dimension{{name: "y", length: 3}, {name: "z", length: n}},
		vars: []variable{{name: "v", kind: 6, dims: []int{0, 1}}, {name: "z", kind: 5, dims: []int{1}}}}
}

func TestConcat(t *testing.T) {
	for name, test := range map[string]struct {
		dim    string
		files  []*classic
		shapes map[string][]int
	}{
		"records": {"t", []*classic{small(1, 2), small(1, 0), small(1, 5)},
			map[string][]int{"x": {5}, "scalar": {}, "text": {3}, "bytes": {7, 3}, "field": {7, 3, 5}}},
		"a fixed, inner dimension": {"z", []*classic{lengthwise(2), lengthwise(4)}, map[string][]int{"v": {3, 6}, "z": {6}}},
		"one file":                 {"t", []*classic{small(2, 3)}, map[string][]int{"x": {5}, "scalar": {}, "text": {3}, "bytes": {3, 3}, "field": {3, 3, 5}}},
	} {
		t.Run(name, func(t *testing.T) {
			urls := write(t, test.files...)
			src, err := openSource(t, Options{Combine: combine.Options{Concat: test.dim}}, urls...)
			if err != nil {
				t.Fatal(err)
			}
			sourcetest.Run(t, src)
			if n := len(slices.Collect(src.Files())); n != len(urls) {
				t.Errorf("%d files, want %d", n, len(urls))
			}
			for name, shape := range test.shapes {
				a, err := src.Array(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(a.Info().Shape, shape) {
					t.Errorf("%s has shape %v, want %v", name, a.Info().Shape, shape)
				}
				checkParts(t, a, test.dim, urls)
			}
		})
	}
}

// checkParts compares a joined array with the same array of each file.
func checkParts(t *testing.T, a sources.Array, dim string, urls []string) {
	t.Helper()
	info := a.Info()
	whole := sourcetest.ReadAll(t, a)
	start := make([]int, len(info.Shape))
	k := slices.Index(info.DimensionNames, dim)
	for _, url := range urls {
		src, err := openSource(t, Options{}, url)
		if err != nil {
			t.Fatal(err)
		}
		part, err := src.Array(t.Context(), info.Path)
		if err != nil {
			t.Fatal(err)
		}
		want := sourcetest.ReadAll(t, part)
		got := ndarray.New(info.Type, want.Shape)
		ndarray.Copy(got, whole.Sub(ndarray.Region{Start: start, Shape: want.Shape}))
		if diff := cmp.Diff(want.Data, got.Data); diff != "" {
			t.Errorf("%s: the part of %s differs (-want +got):\n%s", info.Path, url, diff)
		}
		if k >= 0 {
			start[k] += want.Shape[k]
		}
	}
}

func TestConcatRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*classic)
		array  string
		want   []string
	}{
		"packing": {func(c *classic) { c.vars[4].attributes[0].values = []byte{0, 9} }, "field",
			[]string{"_FillValue is -1 in ", "0.nc and 9 in ", "1.nc"}},
		"packing in one": {func(c *classic) {
			c.vars[4].attributes = append(c.vars[4].attributes, attribute{"scale_factor", 6, f64(0.5), nil, false})
		}, "field", []string{"scale_factor is absent in ", "0.nc and 0.5 in "}},
		"type":       {func(c *classic) { c.vars[4].kind = 8 }, "field", []string{"is int16 in ", "0.nc and uint16 in "}},
		"length":     {func(c *classic) { c.dims[1].length = 4 }, "field", []string{`the length of dimension "y" is 3 in `, "and 4 in "}},
		"dimensions": {func(c *classic) { c.vars[4].dims = []int{0, 2, 1} }, "field", []string{`the list of dimensions is ["t" "y" "x"] in `, `and ["t" "x" "y"] in `}},
		"missing":    {func(c *classic) { c.vars[4].name = "other" }, "field", []string{`1.nc: no array "field", which `, "exclude it"}},
		"added":      {func(c *classic) { c.vars[4].name = "other" }, "other", []string{`0.nc: no array "other", which `}},
		"values": {func(c *classic) { c.attributes = append(c.attributes, attribute{"shift", 1, []byte{1}, nil, false}) }, "x",
			[]string{`array "x": the value at [0] is `, "exclude it"}},
	} {
		t.Run(name, func(t *testing.T) {
			changed := small(5, 2)
			test.change(changed)
			src, err := openSource(t, Options{Combine: combine.Options{Concat: "t"}}, write(t, small(5, 2), changed)...)
			if err != nil {
				t.Fatal(err)
			}
			_, err = src.Array(t.Context(), test.array)
			if err == nil {
				t.Fatal("the array was opened")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want an error with %q", err, want)
				}
			}
		})
	}
	urls := write(t, small(1, 1), lengthwise(1))
	if _, err := openSource(t, Options{}, urls...); err == nil || !strings.Contains(err.Error(), "need concat") {
		t.Errorf("several files without concat: %v", err)
	}
	if _, err := openSource(t, Options{Combine: combine.Options{Concat: "nowhere"}}, write(t, small(1, 1), small(1, 2))...); err == nil || !strings.Contains(err.Error(), `no array has the dimension "nowhere"`) {
		t.Errorf("a dimension that no file has: %v", err)
	}
	if _, err := openSource(t, Options{}); err == nil {
		t.Error("no files were accepted")
	}
}

func TestConcatNotesDifferences(t *testing.T) {
	changed := small(5, 2)
	changed.vars[4].attributes = append(changed.vars[4].attributes, attribute{"comment", netcdftype.Char, []byte("K"), nil, false})
	src, err := openSource(t, Options{Combine: combine.Options{Concat: "t"}}, write(t, small(5, 2), changed, changed)...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := src.Array(t.Context(), "field")
	if err != nil {
		t.Fatal(err)
	}
	notes := a.Info().Notes
	if len(notes) != 2 || !strings.HasPrefix(notes[0], "the attribute comment is absent in ") || !strings.Contains(notes[0], `"K" in `) ||
		notes[1] != "the attribute comment differs from the first in 2 files" {
		t.Errorf("notes %q", notes)
	}
}

// TestRemote counts the requests for a file in a bucket.
func TestRemote(t *testing.T) {
	data, err := os.ReadFile("../../examples/data/coads_climatology.cdf")
	if err != nil {
		t.Fatal(err)
	}
	requests := 0
	opt := store.Options{Memory: &store.Memory{}, Fault: func(op, _ string) error {
		if op == "read" || op == "stat" || op == "list" {
			requests++
		}
		return nil
	}}
	s, err := store.Open(t.Context(), "mem://bucket", opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Put(t.Context(), "coads.cdf", data), s.Sync(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	src, err := openSource(t, Options{Store: opt}, "mem://bucket/coads.cdf")
	if err != nil {
		t.Fatal(err)
	}
	if requests != 2 {
		t.Errorf("opening took %d requests, want 2: the size and the header", requests)
	}
	// Each of the twelve records takes a request: the seven variables between two of
	// them are more bytes than a request is worth.
	for name, want := range map[string]int{"COADSX": 1, "TIME": 12, "SST": 12} {
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		requests = 0
		got := sourcetest.ReadAll(t, a)
		if requests > want {
			t.Errorf("%s took %d requests, want at most %d", name, requests, want)
		}
		local, err := openSource(t, Options{}, "../../examples/data/coads_climatology.cdf")
		if err != nil {
			t.Fatal(err)
		}
		if a, err = local.Array(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got.Data, sourcetest.ReadAll(t, a).Data); diff != "" {
			t.Errorf("%s differs between the bucket and the file", name)
		}
	}
}

// TestStack stacks files along a new dimension.
func TestStack(t *testing.T) {
	src, err := openSource(t, Options{Combine: combine.Options{Stack: "member"}}, write(t, small(5, 2), small(5, 2), small(5, 2))...)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.Run(t, src)
	a, err := src.Array(t.Context(), "field")
	if err != nil {
		t.Fatal(err)
	}
	info := a.Info()
	if diff := cmp.Diff([]string{"member", "t", "y", "x"}, info.DimensionNames); diff != "" || !slices.Equal(info.Shape, []int{3, 2, 3, 5}) {
		t.Errorf("shape %v, dimensions (-want +got):\n%s", info.Shape, diff)
	}
}
