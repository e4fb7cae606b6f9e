package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/zarr"
)

// chosen writes a job that appends some days of joined files, with parts of the other
// dimensions, new names of dimensions, and attributes.
func chosen(t *testing.T, dir, name, part string) (job string) {
	t.Helper()
	return write(t, dir, name, fmt.Appendf(nil, `zmigrate: 1
source:
  driver: netcdf
  url: day*.nc
  concat: time
  include: [field_0, field_1]
  select: {time: %s, lat: [-30, 60], lon: "1:8:3"}
target: {url: out.zarr, existing: append, append: time}
attributes: {title: some days}
dimensions: {time: t, lat: latitude}
defaults: {chunks: {time: 4, lat: 2}}
arrays:
  field_1: {chunks: {time: 2}, shards: {time: 4, lat: 4, lon: 4}, attributes: {source: a model}}
`, part))
}

// chosenShape returns the shape of an array of the target of a chosen job.
func chosenShape(t *testing.T, target, name string) []int {
	t.Helper()
	source, err := zarr.Open(t.Context(), target, zarr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close() //nolint:errcheck // only read
	a, err := source.Array(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return a.Info().Shape
}

// TestEveryDurableOperationOfAChosenPartFails breaks a run over parts of joined files at
// each operation, and then a run that appends another part. Each is run again and makes
// what an undisturbed run makes. Both together make what one run over both parts makes.
func TestEveryDurableOperationOfAChosenPartFails(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	target := filepath.Join(dir, "out.zarr")
	days(t, dir, 8)
	whole := undisturbed(t, chosen(t, dir, "whole.yaml", "2000-01-02/2000-01-08"), target, oneWorkerEach...)
	removeTarget(t, target)
	first := chosen(t, dir, "first.yaml", "2000-01-02/2000-01-04")
	breakEverywhere(t, first, target, func() { removeTarget(t, target) }, func(t *testing.T, finished map[string]string) {
		checkUnfinished(t, target, finished)
	})
	before := filepath.Join(dir, "before")
	for _, folder := range []string{"out.zarr", "out.zarr.zmigrate"} {
		if err := os.CopyFS(filepath.Join(before, folder), os.DirFS(filepath.Join(dir, folder))); err != nil {
			t.Fatal(err)
		}
	}
	reset := func() {
		t.Helper()
		removeTarget(t, target)
		if err := os.CopyFS(dir, os.DirFS(before)); err != nil {
			t.Fatal(err)
		}
	}
	breakEverywhere(t, chosen(t, dir, "second.yaml", "2000-01-05/"), target, reset, func(t *testing.T, _ map[string]string) {
		if shape := chosenShape(t, target, "field_0"); !slices.Equal(shape, []int{3, 3, 3}) && !slices.Equal(shape, []int{7, 3, 3}) {
			t.Errorf("the shape is %v", shape)
		}
	})
	if diff := cmp.Diff(whole, tree(t, target)); diff != "" {
		t.Errorf("(-at once +in two runs):\n%s", diff)
	}
}

// TestKilledChosenPart kills runs over a part of an array, with a step, at random moments.
// The last run makes what an undisturbed run makes.
func TestKilledChosenPart(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	cube(t, dir, 64, "gzip")
	target := filepath.Join(dir, "part.zarr")
	job := write(t, dir, "part.yaml", []byte(`zmigrate: 1
source:
  driver: raw
  select: {z: "3:61:2", y: ":60", x: "5:"}
  arrays:
    v: {url: data.bin, data_type: float32, shape: [64, 64, 64], dimension_names: [z, y, x], attributes: {cell_methods: "z: mean"}}
target: {url: part.zarr}
dimensions: {z: depth}
defaults: {chunks: [2, 16, 16], codecs: [bytes, gzip]}
`))
	killedOften(t, job, target)
}

// TestChosenPartOverHTTP counts what a run over a part of an array gets from a server:
// the chunks of a hierarchy that have selected elements, and few bytes of a file.
func TestChosenPartOverHTTP(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	job, _ := cube(t, dir, 64, "zstd")
	undisturbed(t, job, filepath.Join(dir, "out.zarr"), "arrays[\"field/values\"].chunks=[16,16,16]", "arrays[\"field/values\"].codecs=[bytes]")
	var mu sync.Mutex
	chunks, sent := map[string]int{}, 0
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &countedBody{ResponseWriter: w}
		files.ServeHTTP(c, r)
		mu.Lock()
		defer mu.Unlock()
		sent += c.n
		if _, key, ok := strings.Cut(r.URL.Path, "field/values/c/"); ok && r.Method == http.MethodGet {
			chunks[key]++
		}
	}))
	t.Cleanup(server.Close)
	copied := func(source string) (bytes int) {
		t.Helper()
		to := t.TempDir()
		file := write(t, to, "copy.yaml", fmt.Appendf(nil, `{zmigrate: 1, source: %s, target: {url: out.zarr}}`, source))
		undisturbed(t, file, filepath.Join(to, "out.zarr"))
		mu.Lock()
		defer mu.Unlock()
		bytes, sent = sent, 0
		return bytes
	}
	copied(fmt.Sprintf(`{driver: zarr, url: "%s/out.zarr", include: [field/values], select: {z: "20:30", y: "0:64:40", x: "16:48"}}`, server.URL))
	want := map[string]int{"1/0/1": 1, "1/0/2": 1, "1/2/1": 1, "1/2/2": 1} // y is 0 and 40
	if diff := cmp.Diff(want, chunks); diff != "" {
		t.Errorf("chunks that were asked for (-want +got):\n%s", diff)
	}
	const layer = 64 * 64 * 4
	const raw = `{driver: raw, arrays: {a: {url: "%s/data.bin", data_type: float32, shape: [64, 64, 64], dimension_names: [z, y, x]}}, select: {z: "20:24"}}`
	if n := copied(fmt.Sprintf(raw, server.URL)); n > 5*layer {
		t.Errorf("%d bytes were read of a raw file, and 4 layers have %d", n, 4*layer)
	}
	whole, _ := os.ReadFile(example)
	write(t, dir, "example.cdf", whole)
	if n := copied(fmt.Sprintf(`{driver: netcdf, url: "%s/example.cdf", include: [SST], select: {TIME: "2:3"}}`, server.URL)); n > len(whole)/8 {
		t.Errorf("%d of %d bytes were read for one of twelve months of one of four fields", n, len(whole))
	}
}

// countedBody counts the bytes of an answer.
type countedBody struct {
	http.ResponseWriter
	n int
}

func (c *countedBody) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n += n
	return n, err
}
