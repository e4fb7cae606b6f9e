package raw_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/raw"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/zarr"
)

// write writes a file of n bytes. Byte i is (first + i) mod 251.
func write(t *testing.T, dir, name string, first, n int) string {
	t.Helper()
	data := make([]byte, n)
	for i := range data {
		data[i] = byte((first + i) % 251)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, arrays ...raw.Array) sources.Source {
	t.Helper()
	src, err := raw.Open(t.Context(), arrays, raw.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseLater(t, src)
	return src
}

func TestConformance(t *testing.T) {
	dir := t.TempDir()
	one := write(t, dir, "one.bin", 0, 12+4*6*5*7)
	var days []string
	for i := range 5 {
		days = append(days, write(t, dir, fmt.Sprintf("day%d.bin", i), 10*i, 3+2*4*6))
	}
	parts := []string{
		write(t, dir, "part0.bin", 0, 8*3*2*4), write(t, dir, "part1.bin", 1, 0), write(t, dir, "part2.bin", 2, 8*3*5*4),
	}
	src := open(t,
		raw.Array{Name: "c", URLs: []string{one}, Type: dtype.Float32, Order: dtype.Big, Shape: []int{6, 5, 7}, Offset: 12},
		raw.Array{Name: "group/f", URLs: []string{one}, Type: dtype.Int32, Order: dtype.Little, Shape: []int{6, 5, 7}, FOrder: true, Offset: 12},
		raw.Array{Name: "group/deep/bytes", URLs: []string{one}, Type: dtype.Uint8, Shape: []int{12 + 840}},
		raw.Array{Name: "stack", URLs: days, Type: dtype.Int16, Order: dtype.Big, Shape: []int{4, 6}, Offset: 3, Stack: "day"},
		raw.Array{Name: "stackf", URLs: days, Type: dtype.Int16, Order: dtype.Big, Shape: []int{4, 6}, Offset: 3, Stack: "day", FOrder: true, DimensionNames: []string{"y", "x"}},
		raw.Array{Name: "concat", URLs: parts, Type: dtype.Float64, Order: dtype.Little, Shape: []int{3, 0, 4}, Concat: "t", DimensionNames: []string{"y", "t", "x"}},
		raw.Array{Name: "concatf", URLs: parts, Type: dtype.Complex64, Order: dtype.Big, Shape: []int{3, 0, 4}, Concat: "t", DimensionNames: []string{"y", "t", "x"}, FOrder: true},
		raw.Array{Name: "scalar", URLs: []string{write(t, dir, "scalar.bin", 7, 16)}, Type: dtype.Complex128, Order: dtype.Big},
		raw.Array{Name: "empty", URLs: []string{write(t, dir, "empty.bin", 7, 4)}, Type: dtype.Uint16, Order: dtype.Big, Shape: []int{0, 8}, Offset: 4},
	)
	sourcetest.Run(t, src)
	if got := len(slices.Collect(src.Files())); got != 11 {
		t.Errorf("%d files, want 11: a file of several arrays is one", got)
	}
	var groups []string
	for _, g := range src.Groups() {
		groups = append(groups, g.Path)
	}
	if diff := cmp.Diff([]string{"", "group", "group/deep"}, groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// elements reads an array of bytes.
func elements(t *testing.T, src sources.Source, name string) (*sources.Info, []byte) {
	t.Helper()
	a, err := src.Array(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return a.Info(), sourcetest.ReadAll(t, a).Data
}

func TestOrders(t *testing.T) {
	dir := t.TempDir()
	a, b := write(t, dir, "a", 0, 6), write(t, dir, "b", 10, 6)
	long := write(t, dir, "long", 20, 9)
	names := []string{"y", "x"}
	attributes := zarr.Attributes{{Name: "units", Value: []byte(`"m"`)}}
	for name, test := range map[string]struct {
		array   raw.Array
		shape   []int
		names   []string
		slowest []int
		want    []byte
	}{
		"C": {raw.Array{URLs: []string{a}, Shape: []int{2, 3}}, []int{2, 3}, nil, nil, []byte{0, 1, 2, 3, 4, 5}},
		"F": {raw.Array{URLs: []string{a}, Shape: []int{2, 3}, FOrder: true}, []int{2, 3}, nil, []int{1, 0}, []byte{0, 2, 4, 1, 3, 5}},
		"stack": {raw.Array{URLs: []string{b, a}, Shape: []int{2, 3}, Stack: "t"},
			[]int{2, 2, 3}, []string{"t", "", ""}, nil, []byte{10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5}},
		"stack of one in F order": {raw.Array{URLs: []string{a}, Shape: []int{2, 3}, Stack: "t", FOrder: true, DimensionNames: names},
			[]int{1, 2, 3}, []string{"t", "y", "x"}, []int{0, 2, 1}, []byte{0, 2, 4, 1, 3, 5}},
		"concat along the first": {raw.Array{URLs: []string{a, long}, Shape: []int{0, 3}, Concat: "y", DimensionNames: names},
			[]int{5, 3}, names, nil, []byte{0, 1, 2, 3, 4, 5, 20, 21, 22, 23, 24, 25, 26, 27, 28}},
		"concat along the last": {raw.Array{URLs: []string{a, b}, Shape: []int{2, 0}, Concat: "x", DimensionNames: names},
			[]int{2, 6}, names, []int{1, 0}, []byte{0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15}},
		"concat in F order": {raw.Array{URLs: []string{a, long}, Shape: []int{3, 0}, Concat: "x", DimensionNames: names, FOrder: true},
			[]int{3, 5}, names, []int{1, 0}, []byte{0, 3, 20, 23, 26, 1, 4, 21, 24, 27, 2, 5, 22, 25, 28}},
	} {
		t.Run(name, func(t *testing.T) {
			test.array.Name, test.array.Type, test.array.Attributes = "v", dtype.Uint8, attributes
			info, got := elements(t, open(t, test.array), "v")
			want := &sources.Info{Path: "v", Type: dtype.Uint8, Shape: test.shape, DimensionNames: test.names, Attributes: attributes, Slowest: test.slowest, LongRun: 256 << 10}
			if diff := cmp.Diff(want, info, cmp.Comparer(dtype.Same), cmpopts.IgnoreFields(sources.Info{}, "Layout")); diff != "" {
				t.Errorf("info (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("elements (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSizesMustFit(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "file.bin", 0, 100)
	for name, test := range map[string]struct {
		array raw.Array
		want  string
	}{
		"too short":     {raw.Array{Shape: []int{26}}, `file.bin: the size does not fit: the file has 100 bytes, but an offset of 0 bytes and elements of shape [26] and data type int32 need 104`},
		"too long":      {raw.Array{Shape: []int{24}}, "the file has 100 bytes, but an offset of 0 bytes and elements of shape [24] and data type int32 need 96"},
		"only a header": {raw.Array{Shape: []int{1}, Offset: 200}, "the file has 100 bytes, but an offset of 200 bytes and elements of shape [1] and data type int32 need 204"},
		"concat": {raw.Array{Shape: []int{0, 7}, Concat: "t", DimensionNames: []string{"t", "x"}},
			`the file has 100 bytes; after the first 0, it needs 28 for each index of "t"`},
		"concat of another extent": {raw.Array{Shape: []int{4, 5}, Concat: "t", DimensionNames: []string{"t", "x"}}, "has 4 along"},
		"concat of nothing":        {raw.Array{Shape: []int{0, 0}, Concat: "t", DimensionNames: []string{"t", "x"}}, "after the first 0, it needs 0 for each index"},
	} {
		t.Run(name, func(t *testing.T) {
			test.array.Name, test.array.Type, test.array.Order, test.array.URLs = "v", dtype.Int32, dtype.Big, []string{file}
			_, err := open(t, test.array).Array(t.Context(), "v")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// TestAllFilesNamed: the error names every file that is missing or has the wrong size.
func TestAllFilesNamed(t *testing.T) {
	dir := t.TempDir()
	urls := []string{write(t, dir, "a", 0, 4), write(t, dir, "b", 0, 5), filepath.Join(dir, "c"), write(t, dir, "d", 0, 3)}
	_, err := open(t, raw.Array{Name: "v", Type: dtype.Uint8, Shape: []int{4}, Stack: "t", URLs: urls}).Array(t.Context(), "v")
	if err == nil {
		t.Fatal("the array was opened")
	}
	for _, want := range []string{"3 files do not fit", filepath.Join(dir, "b") + ": the size does not fit", filepath.Join(dir, "c"), "has 3 bytes"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestMissingFileHarmsNoOtherArray(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "file.bin", 0, 8)
	src := open(t,
		raw.Array{Name: "good", Type: dtype.Uint8, Shape: []int{8}, URLs: []string{file}},
		raw.Array{Name: "bad", Type: dtype.Uint8, Shape: []int{8}, URLs: []string{file, filepath.Join(dir, "missing.bin")}, Stack: "t"},
	)
	if _, err := src.Array(t.Context(), "bad"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "missing.bin") {
		t.Errorf("got %v, want an error about the missing file", err)
	}
	if _, got := elements(t, src, "good"); !slices.Equal(got, []byte{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("got %v", got)
	}
}

// TestUnreadableFile has a file without permission to read it. Opening the array
// reports this.
func TestUnreadableFile(t *testing.T) {
	name := write(t, t.TempDir(), "a.bin", 0, 8)
	src := open(t, raw.Array{Name: "a", URLs: []string{name}, Type: dtype.Uint8, Shape: []int{8}})
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, err := src.Array(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name) {
		t.Errorf("got %v", err)
	}
}

func TestDescriptionsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		array raw.Array
		want  string
	}{
		"no type":         {raw.Array{Type: nil}, "no data type"},
		"no byte order":   {raw.Array{Order: dtype.NoOrder}, "needs a byte order"},
		"negative offset": {raw.Array{Offset: -1}, "offset -1 is negative"},
		"no files":        {raw.Array{URLs: []string{}}, "no files"},
		"both":            {raw.Array{Stack: "a", Concat: "x"}, "exclude each other"},
		"neither":         {raw.Array{URLs: []string{"a", "b"}}, "need stack or concat"},
		"names":           {raw.Array{DimensionNames: []string{"x", "y"}}, "2 dimension names for the 1 dimensions"},
		"stack twice":     {raw.Array{Stack: "x"}, `dimension "x" is in the files already`},
		"concat unknown":  {raw.Array{Concat: "z"}, `dimension "z" is not one of`},
		"negative":        {raw.Array{Shape: []int{-1}}, "negative or too large"},
		"too large":       {raw.Array{Shape: []int{1 << 61}}, "negative or too large"},
		"reserved name":   {raw.Array{Name: "__a"}, "reserved"},
	} {
		t.Run(name, func(t *testing.T) {
			a := test.array
			if a.Name == "" {
				a.Name = "v"
			}
			if name != "no type" {
				a.Type = dtype.Int32
			}
			if name != "no byte order" {
				a.Order = dtype.Little
			}
			if a.URLs == nil {
				a.URLs = []string{"file.bin"}
			}
			if a.Shape == nil {
				a.Shape = []int{3}
			}
			if a.DimensionNames == nil {
				a.DimensionNames = []string{"x"}
			}
			_, err := raw.Open(t.Context(), []raw.Array{a}, raw.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
	twice := raw.Array{Name: "v", Type: dtype.Uint8, URLs: []string{"file.bin"}}
	if _, err := raw.Open(t.Context(), []raw.Array{twice, twice}, raw.Options{}); err == nil {
		t.Error("one name for two arrays was accepted")
	}
}

// TestThousandsOfFiles reads one row across all files of a stack.
func TestThousandsOfFiles(t *testing.T) {
	dir := t.TempDir()
	const n = 3000
	urls := make([]string, n)
	for i := range urls {
		urls[i] = write(t, dir, fmt.Sprintf("%04d.bin", i), i, 4)
	}
	src := open(t, raw.Array{Name: "v", Type: dtype.Uint8, Shape: []int{4}, URLs: urls, Stack: "t"})
	a, err := src.Array(t.Context(), "v")
	if err != nil {
		t.Fatal(err)
	}
	column := ndarray.New(dtype.Uint8, []int{n, 1})
	if err := a.ReadRegion(t.Context(), column, []int{0, 2}); err != nil {
		t.Fatal(err)
	}
	for i, v := range column.Data {
		if int(v) != (i+2)%251 {
			t.Fatalf("element %d is %d", i, v)
		}
	}
}

func TestRemote(t *testing.T) {
	memory := &store.Memory{}
	opt := store.Options{Memory: memory}
	s, err := store.Open(t.Context(), "mem://bucket/dir", opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := s.Put(t.Context(), fmt.Sprintf("%d.bin", i), []byte{byte(i), 1, 2, 3}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Sync(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	src, err := raw.Open(t.Context(), []raw.Array{{
		Name: "v", Type: dtype.Uint16, Order: dtype.Big, Shape: []int{2}, Stack: "t",
		URLs: []string{"mem://bucket/dir/0.bin", "mem://bucket/dir/1.bin", "mem://bucket/dir/2.bin"},
	}}, raw.Options{Store: opt})
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseLater(t, src)
	sourcetest.Run(t, src)
	if got, want := slices.Collect(src.Files())[1].URL, "mem://bucket/dir/1.bin"; got != want {
		t.Errorf("file is %q, want %q", got, want)
	}
}

func TestCanceledOpen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := write(t, t.TempDir(), "file.bin", 0, 4)
	_, err := raw.Open(ctx, []raw.Array{{Name: "v", Type: dtype.Uint8, Shape: []int{4}, URLs: []string{file}}}, raw.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
