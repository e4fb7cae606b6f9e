package sinks_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// tree returns the contents of all files below a folder, keyed by their paths.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		name, _ := filepath.Rel(dir, file)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sameFiles compares two trees.
func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: %s is not there", what, name)
		} else if got[name] != want[name] {
			t.Errorf("%s: %s is not what it has to be", what, name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is there", what, name)
		}
	}
}

// readBack reads all of an array.
func readBack(t *testing.T, dir, path string) ndarray.Array {
	t.Helper()
	src, err := zarr.Open(t.Context(), dir, zarr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close() //nolint:errcheck // it was only read
	a, err := src.Array(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	values := ndarray.New(a.Info().Type, a.Info().Shape)
	if err := a.ReadRegion(t.Context(), values, make([]int, len(values.Shape))); err != nil {
		t.Fatal(err)
	}
	return values
}

func create(t *testing.T, dir string, opt sinks.Options) *sinks.Writer {
	t.Helper()
	w, err := sinks.Create(t.Context(), dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func codec(name, configuration string) codecs.Spec {
	s := codecs.Spec{Name: name}
	if configuration != "" {
		s.Configuration = []byte(configuration)
	}
	return s
}

// writeSpecs are arrays of 23 by 17 elements.
var writeSpecs = map[string]sinks.ArraySpec{
	"chunks":  {Chunks: []int{5, 4}},
	"auto":    {},
	"shards":  {Chunks: []int{2, 3}, Shards: []int{6, 9}},
	"order":   {Chunks: []int{5, 4}, Codecs: []codecs.Spec{codec("transpose", `{"order":[1,0]}`), codec("bytes", `{"endian":"big"}`), codec("gzip", `{"level":1}`)}},
	"nearest": {Chunks: []int{5, 4}, Codecs: []codecs.Spec{codec("zfp", `{"mode":"reversible"}`)}},
	"index at the start": {Chunks: []int{6, 9}, Codecs: []codecs.Spec{codec("sharding_indexed",
		`{"chunk_shape":[2,3],"codecs":["bytes"],"index_location":"start"}`)}},
	"shards made whole": {Chunks: []int{6, 9}, Codecs: []codecs.Spec{codec("sharding_indexed", `{"chunk_shape":[2,3],"codecs":["bytes","crc32c"]}`), codec("zstd", `{"level":1}`)}},
	"shards behind transpose": {Chunks: []int{6, 9}, Codecs: []codecs.Spec{codec("transpose", `{"order":[1,0]}`),
		codec("sharding_indexed", `{"chunk_shape":[3,2],"codecs":["bytes","crc32c"]}`)}},
	"nothing as -1": {Chunks: []int{2, 3}, Shards: []int{6, 9}, FillValue: []byte("-1")},
}

// testValues are numbers with a large box of fill values.
func testValues(shape []int, fill float32) ndarray.Array {
	values := make([]float32, shape[0]*shape[1])
	for i := range values {
		if values[i] = float32(i + 1); i/shape[1] < 13 && i%shape[1] > 3 {
			values[i] = fill
		}
	}
	return ndarray.From(values, shape)
}

func fillOf(spec sinks.ArraySpec) float32 {
	if spec.FillValue != nil {
		return -1
	}
	return 0
}

// TestWriteRegion writes arrays at once, in regions of all sizes, by many goroutines at
// the same time, and with next to no memory. The objects are always the same.
func TestWriteRegion(t *testing.T) {
	shape := []int{23, 17}
	for name, spec := range writeSpecs {
		t.Run(name, func(t *testing.T) {
			spec.Type, spec.Shape, spec.DimensionNames = dtype.Float32, shape, []string{"y", ""}
			values := testValues(shape, fillOf(spec))
			once := t.TempDir() + "/once.zarr"
			write(t, once, spec, sinks.Options{}, values, []ndarray.Region{{Start: []int{0, 0}, Shape: shape}}, 1)
			if diff := cmp.Diff(values.Data, readBack(t, once, "g/a").Data); diff != "" {
				t.Fatalf("the array reads back as other values:\n%s", diff)
			}
			want := tree(t, once)
			for seed, test := range []struct{ memory, workers int }{{0, 1}, {2000, 8}, {1, 4}} {
				dir := t.TempDir() + "/regions.zarr"
				write(t, dir, spec, sinks.Options{Memory: test.memory}, values, cut(rand.New(rand.NewPCG(uint64(seed), 1)), shape), test.workers)
				sameFiles(t, fmt.Sprintf("memory %d, %d goroutines", test.memory, test.workers), tree(t, dir), want)
			}
		})
	}
}

// write creates the array g/a and writes regions of values to it.
func write(t *testing.T, dir string, spec sinks.ArraySpec, opt sinks.Options, values ndarray.Array, regions []ndarray.Region, workers int) {
	t.Helper()
	w := create(t, dir, opt)
	a, err := w.CreateArray(t.Context(), "g/a", spec)
	if err != nil {
		t.Fatal(err)
	}
	queue := make(chan ndarray.Region, len(regions))
	for _, r := range regions {
		queue <- r
	}
	close(queue)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for r := range queue {
				if err := a.WriteRegion(t.Context(), values.Sub(r), r.Start); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// cut cuts an array into regions, in any order.
func cut(r *rand.Rand, shape []int) []ndarray.Region {
	list := []ndarray.Region{{Start: make([]int, len(shape)), Shape: shape}}
	for range 1 + r.IntN(40) {
		i, dim := r.IntN(len(list)), r.IntN(len(shape))
		old := list[i]
		if old.Shape[dim] < 2 {
			continue
		}
		at := 1 + r.IntN(old.Shape[dim]-1)
		first, rest := ndarray.Region{Start: old.Start, Shape: slices.Clone(old.Shape)}, ndarray.Region{Start: slices.Clone(old.Start), Shape: slices.Clone(old.Shape)}
		first.Shape[dim], rest.Shape[dim] = at, old.Shape[dim]-at
		rest.Start[dim] += at
		list[i] = first
		list = append(list, rest)
	}
	r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return list
}

// TestOverwriteRegions writes regions over each other, also back to the fill value, and
// commits between.
func TestOverwriteRegions(t *testing.T) {
	shape := []int{23, 17}
	for name, spec := range writeSpecs {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 7))
			spec.Type, spec.Shape = dtype.Float32, shape
			for _, memory := range []int{0, 1} {
				dir := t.TempDir() + "/a.zarr"
				w := create(t, dir, sinks.Options{Memory: memory})
				a, err := w.CreateArray(t.Context(), "g/a", spec)
				if err != nil {
					t.Fatal(err)
				}
				values := testValues(shape, fillOf(spec))
				numbers, _ := ndarray.As[float32](values)
				for i := range numbers {
					numbers[i] = fillOf(spec) // nothing is written yet
				}
				for step := range 30 {
					region := ndarray.Region{Start: []int{r.IntN(23), r.IntN(17)}}
					region.Shape = []int{1 + r.IntN(23-region.Start[0]), 1 + r.IntN(17-region.Start[1])}
					number := float32(r.IntN(3))
					if r.IntN(2) == 0 {
						number = fillOf(spec)
					}
					part := values.Sub(region)
					ndarray.Fill(part, dtype.Scalar(ndarray.From([]float32{number}, nil).Data))
					if err := a.WriteRegion(t.Context(), part, region.Start); err != nil {
						t.Fatal(err)
					}
					if step%10 == 0 {
						if err := w.Commit(t.Context()); err != nil {
							t.Fatal(err)
						}
						if !bytes.Equal(values.Data, readBack(t, dir, "g/a").Data) {
							t.Fatalf("memory %d: after step %d the array reads back as other values", memory, step)
						}
					}
				}
				if err := w.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				once := t.TempDir() + "/once.zarr"
				write(t, once, spec, sinks.Options{}, values, []ndarray.Region{{Start: []int{0, 0}, Shape: shape}}, 1)
				sameFiles(t, fmt.Sprintf("memory %d", memory), tree(t, dir), tree(t, once))
			}
		})
	}
}

// TestAppend grows arrays along either dimension. The objects are those of an array that
// was as long from the beginning.
func TestAppend(t *testing.T) {
	shape := []int{23, 17}
	for name, spec := range writeSpecs {
		for dimension := range shape {
			t.Run(fmt.Sprint(name, " ", dimension), func(t *testing.T) {
				spec.Type, spec.Shape = dtype.Float32, shape
				if spec.Chunks == nil {
					spec.Chunks = []int{8, 8} // those of an empty array are others
				}
				values := testValues(shape, fillOf(spec))
				once := t.TempDir() + "/once.zarr"
				write(t, once, spec, sinks.Options{}, values, []ndarray.Region{{Start: []int{0, 0}, Shape: shape}}, 1)
				for _, commit := range []bool{false, dimension == 0} {
					dir := t.TempDir() + "/grown.zarr"
					w := create(t, dir, sinks.Options{})
					spec.Shape = slices.Clone(shape)
					spec.Shape[dimension] = 0
					a, err := w.CreateArray(t.Context(), "g/a", spec)
					if err != nil {
						t.Fatal(err)
					}
					for at := 0; at < shape[dimension]; {
						n := min(1+at%7, shape[dimension]-at)
						part := ndarray.Region{Start: []int{0, 0}, Shape: slices.Clone(shape)}
						part.Start[dimension], part.Shape[dimension] = at, n
						start, err := a.Append(t.Context(), values.Sub(part), strconv.Itoa(dimension))
						if err != nil || !slices.Equal(start, part.Start) {
							t.Fatalf("the elements from %v on were appended at %v, error %v", part.Start, start, err)
						}
						if at += n; commit {
							if err := w.Commit(t.Context()); err != nil {
								t.Fatal(err)
							}
							if got := readBack(t, dir, "g/a"); got.Shape[dimension] != at {
								t.Fatalf("the array has shape %v after %d elements", got.Shape, at)
							}
						}
					}
					if err := w.Commit(t.Context()); err != nil {
						t.Fatal(err)
					}
					sameFiles(t, fmt.Sprintf("commit after each: %v", commit), tree(t, dir), tree(t, once))
				}
			})
		}
	}
}

// TestAppendTogether appends by many goroutines. Each row is in the array once.
func TestAppendTogether(t *testing.T) {
	const rows = 64
	dir := t.TempDir() + "/a.zarr"
	w := create(t, dir, sinks.Options{Memory: 1000})
	a, err := w.CreateArray(t.Context(), "", sinks.ArraySpec{Type: dtype.Int32, Shape: []int{0, 3}, Chunks: []int{5, 2}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range int32(rows) {
		all.Go(func() {
			start, err := a.Append(t.Context(), ndarray.From([]int32{i + 1, i + 1, i + 1}, []int{1, 3}), "")
			if err != nil || start[0] < 0 || start[0] >= rows || start[1] != 0 {
				t.Errorf("row %d: appended at %v, error %v", i, start, err)
			}
		})
	}
	all.Wait()
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen := map[int32]int{}
	numbers, _ := ndarray.As[int32](readBack(t, dir, ""))
	for i := 0; i < len(numbers); i += 3 {
		if numbers[i] != numbers[i+1] || numbers[i] != numbers[i+2] {
			t.Errorf("row %d holds %v", i/3, numbers[i:i+3])
		}
		seen[numbers[i]]++
	}
	if len(seen) != rows || len(numbers) != 3*rows || seen[0] > 0 {
		t.Errorf("%d numbers, the rows are %v", len(numbers), seen)
	}
}

// TestWriteTexts writes elements of variable size in parts.
func TestWriteTexts(t *testing.T) {
	dir := t.TempDir() + "/a.zarr"
	w := create(t, dir, sinks.Options{Memory: 100})
	a, err := w.CreateArray(t.Context(), "texts", sinks.ArraySpec{Type: dtype.StringType, Shape: []int{10}, Chunks: []int{4}, FillValue: []byte(`"none"`)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"zero", "one", "", strings.Repeat("long", 100), "four", "none", "none", "none", "none", "nine"}
	for _, at := range []int{0, 1, 2, 3, 4, 9} {
		src := ndarray.New(dtype.StringType, []int{1})
		if err := src.SetItems(func() ([]byte, error) { return []byte(want[at]), nil }); err != nil {
			t.Fatal(err)
		}
		if err := a.WriteRegion(t.Context(), src, []int{at}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for item := range readBack(t, dir, "texts").Items() {
		got = append(got, string(item))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

// TestCreateRefusals: what cannot work is refused before anything is written, with the
// array and the fault.
func TestCreateRefusals(t *testing.T) {
	dir := t.TempDir() + "/a.zarr"
	w := create(t, dir, sinks.Options{})
	array := func(path string, spec sinks.ArraySpec) error {
		_, err := w.CreateArray(t.Context(), path, spec)
		return err
	}
	good := sinks.ArraySpec{Type: dtype.Float32, Shape: []int{10, 10}, Chunks: []int{4, 4}}
	if err := errors.Join(array("group/good", good), w.CreateGroup(t.Context(), "empty", nil)); err != nil {
		t.Fatal(err)
	}
	a, err := w.CreateArray(t.Context(), "b", good)
	if err != nil {
		t.Fatal(err)
	}
	region := func(src ndarray.Array, start ...int) error { return a.WriteRegion(t.Context(), src, start) }
	grow := func(src ndarray.Array, dimension int) error {
		_, err := a.Append(t.Context(), src, strconv.Itoa(dimension))
		return err
	}
	change := func(f func(*sinks.ArraySpec)) sinks.ArraySpec {
		s := good
		f(&s)
		return s
	}
	floats := ndarray.New(dtype.Float32, []int{2, 10})
	for _, test := range []struct {
		err  error
		want string
	}{
		{array("x", sinks.ArraySpec{}), `array "x": the field Type is required, such as dtype.Float32`},
		{array("x", change(func(s *sinks.ArraySpec) { s.Shape = []int{1, -1} })), `array "x": an array of shape [1 -1]`},
		{array("x", change(func(s *sinks.ArraySpec) { s.Chunks = []int{4} })), `array "x": chunks [4] have 1 dimensions`},
		{array("x", change(func(s *sinks.ArraySpec) { s.Chunks = []int{4, 0} })), `array "x": chunks [4 0]`},
		{array("x", change(func(s *sinks.ArraySpec) { s.Shards = []int{6, 8} })), `array "x": shards: codecs[0] (sharding_indexed): chunk_shape[0]: 4 does not divide`},
		{array("x", change(func(s *sinks.ArraySpec) { s.Chunks, s.Shards = nil, []int{6} })), `array "x": shards [6]: want 2 extents`},
		{array("x", change(func(s *sinks.ArraySpec) { s.FillValue = []byte("null") })), `array "x": fill value:`},
		{array("x", change(func(s *sinks.ArraySpec) { s.DimensionNames = []string{"y"} })), `array "x": there are 1 dimension names`},
		{array("x", change(func(s *sinks.ArraySpec) { s.Codecs = []codecs.Spec{codec("bytes", ""), codec("zip", "")} })), `array "x": codecs: `},
		{array("../x", good), `array "../x"`},
		{array("group/good", good), `array "group/good": file already exists`},
		{array("group", good), `array "group": the array "group/good" lies below it`},
		{array("empty", good), `array "empty": the group "empty" lies there`},
		{array("b/c", good), `array "b/c": "b" is an array and holds no nodes`},
		{array("", good), `array "": the array`},
		{w.CreateGroup(t.Context(), "b", nil), `group "b": file already exists: there is an array; choose another path`},
		{w.CreateGroup(t.Context(), "empty", nil), `group "empty": file already exists`},
		{region(ndarray.New(dtype.Int32, []int{1, 1}), 0, 0), `array "b": its data type is float32, that of src is int32`},
		{region(ndarray.Array{}, 0, 0), `array "b": its data type is float32`},
		{region(floats, 0), `array "b": it has 2 dimensions, but src has shape [2 10] and start is [0]`},
		{region(floats, 9, 0), `array "b": the region of shape [2 10] at [9 0] is not within the array of shape [10 10]`},
		{region(floats, -1, 0), `array "b": the region of shape [2 10] at [-1 0]`},
		{grow(floats, 1), `array "b": src has 2 elements along dimension 0, want 10 as in the array`},
		{grow(floats, 2), `array "b": there is no dimension "2": the dimensions have no names, their numbers are 0 to 1`},
		{grow(ndarray.New(dtype.Int8, []int{1, 10}), 0), `array "b": its data type is float32`},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("error %v, want %q", test.err, test.want)
		}
	}
	if got := a.Shape(); !slices.Equal(got, []int{10, 10}) {
		t.Errorf("after refusals the array has shape %v", got)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first region: %v", err)
	}
	if err := os.MkdirAll(dir+"/c", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/c/0", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := sinks.Create(t.Context(), dir, sinks.Options{}); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), `"c/0"`) {
		t.Errorf("Create over another object: %v", err)
	}
}

// TestCommit: nothing is visible before Commit, and Close gives up what was not
// committed. What Commit writes is what Hierarchy.Finish does.
func TestCommit(t *testing.T) {
	dir := t.TempDir() + "/a.zarr"
	w, err := sinks.Create(t.Context(), dir, sinks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.CreateGroup(t.Context(), "notes", nil); err != nil {
		t.Fatal(err)
	}
	a, err := w.CreateArray(t.Context(), "g/a", sinks.ArraySpec{Type: dtype.Uint8, Shape: []int{4}, Chunks: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.WriteRegion(t.Context(), ndarray.From([]uint8{1, 2, 3}, []int{3}), []int{0}); err != nil {
		t.Fatal(err)
	}
	for name := range treeOrNothing(t, dir) {
		if strings.HasSuffix(name, "zarr.json") {
			t.Errorf("before Commit there is %s", name)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := w.Commit(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit with an ended context: %v", err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range tree(t, dir) {
		names = append(names, name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"g/a/c/0", "g/a/c/1", "g/a/zarr.json", "g/zarr.json", "notes/zarr.json", "zarr.json"}, names); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if got := readBack(t, dir, "g/a").Data; !bytes.Equal(got, []byte{1, 2, 3, 0}) {
		t.Errorf("the array holds %v", got)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	beside, err := filepath.Glob(filepath.Dir(dir) + "/*")
	if err != nil || len(beside) != 1 {
		t.Errorf("beside the hierarchy: %v, error %v", beside, err)
	}
}

// treeOrNothing is tree for a folder that need not be there.
func treeOrNothing(t *testing.T, dir string) map[string]string {
	t.Helper()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return tree(t, dir)
}

// memoryArray is an array that WriteFrom reads.
type memoryArray struct{ values ndarray.Array }

func (m memoryArray) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	ndarray.Copy(dst, m.values.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

// failingArray cannot be read.
type failingArray struct{}

func (failingArray) ReadRegion(context.Context, ndarray.Array, []int) error {
	return errors.ErrUnsupported
}

// TestWriteFrom copies arrays. The objects are those of WriteRegion.
func TestWriteFrom(t *testing.T) {
	shape := []int{23, 17}
	for name, spec := range writeSpecs {
		t.Run(name, func(t *testing.T) {
			spec.Type, spec.Shape = dtype.Float32, shape
			values := testValues(shape, fillOf(spec))
			once := t.TempDir() + "/once.zarr"
			write(t, once, spec, sinks.Options{}, values, []ndarray.Region{{Start: []int{0, 0}, Shape: shape}}, 1)
			dir := t.TempDir() + "/copy.zarr"
			w := create(t, dir, sinks.Options{Memory: 1})
			a, err := w.CreateArray(t.Context(), "g/a", spec)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.WriteFrom(t.Context(), failingArray{}); !errors.Is(err, errors.ErrUnsupported) || !strings.HasPrefix(err.Error(), `array "g/a", `) {
				t.Errorf("from an array that cannot be read: %v", err)
			}
			if err := a.WriteFrom(t.Context(), memoryArray{values}); err != nil {
				t.Fatal(err)
			}
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			sameFiles(t, "WriteFrom", tree(t, dir), tree(t, once))
		})
	}
}
