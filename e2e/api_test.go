package e2e

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
	zarrdoc "github.com/zmigrate/zmigrate/zarr"
)

// TestAPI writes what jobs have written once more, through package sinks: by Append, and
// in regions that end within chunks, by several goroutines, with little memory. The
// hierarchies are equal, byte for byte.
func TestAPI(t *testing.T) {
	for name, set := range map[string]string{
		"chunks": `arrays={"*WND": {"chunks": [5, 40, 64]}, "SST": {"chunks": [5, 40, 64]}}`,
		"shards": `arrays={"*WND": {"chunks": [2, 30, 45], "shards": [6, 90, 90], "codecs": ["bytes", "crc32c"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := fast(t)
			file, err := filepath.Abs(example)
			if err != nil {
				t.Fatal(err)
			}
			job, err := json.Marshal(map[string]any{
				"zmigrate": 1,
				"source":   map[string]any{"driver": "netcdf", "url": file, "include": []string{"*WND", "SST"}},
				"target":   map[string]any{"url": filepath.Join(dir, "job.zarr")},
			})
			if err != nil {
				t.Fatal(err)
			}
			undisturbed(t, write(t, dir, "job.json", job), filepath.Join(dir, "job.zarr"), set)
			for _, memory := range []int{0, 1 << 20} {
				again := filepath.Join(fast(t), "again.zarr")
				writeAgain(t, filepath.Join(dir, "job.zarr"), again, memory)
				if diff := cmp.Diff(tree(t, filepath.Join(dir, "job.zarr")), tree(t, again)); diff != "" {
					t.Errorf("memory %d: (-job +API):\n%.2000s", memory, diff)
				}
			}
		})
	}
}

// TestInteropAPI writes arrays of every data type and codec chain through package sinks.
// They equal those of a job, and the peers read them.
func TestInteropAPI(t *testing.T) {
	p := findPeers(t)
	dir := filepath.Join(t.TempDir(), "raw")
	p.run(t, "raw_sources.py", dir, interopSeed)
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "job.json"))
	target, again := filepath.Join(dir, "target.zarr"), filepath.Join(dir, "again.zarr")
	writeAgain(t, target, again, 0)
	if diff := cmp.Diff(tree(t, target), tree(t, again)); diff != "" {
		t.Errorf("(-job +API):\n%.2000s", diff)
	}
	p.check(t, "check.py", filepath.Join(dir, "expected.json"), again)
}

// TestInteropOpen opens hierarchies that xarray and zarr-python have written, and appends
// rows to their arrays. The peers read the result.
func TestInteropOpen(t *testing.T) {
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "opened.py", "make", dir)
	for _, name := range []string{"xarray.zarr", "zarr.zarr"} {
		w, err := sinks.Open(t.Context(), filepath.Join(dir, name), sinks.Options{})
		if err != nil {
			t.Fatal(err)
		}
		paths, err := w.Arrays(t.Context())
		if err != nil || len(paths) < 2 {
			t.Fatalf("%s: arrays %q, error %v", name, paths, err)
		}
		for _, path := range paths {
			appendNumbers(t, w, path)
		}
		if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	p.check(t, "opened.py", "check", dir)
}

// appendNumbers appends the rows 10 to 24 in two steps, and writes element 3 again. It
// makes what opened.py checks.
func appendNumbers(t *testing.T, w *sinks.Writer, path string) {
	t.Helper()
	a, err := w.Array(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	kind := a.Metadata().Type
	for _, rows := range [][2]int{{10, 11}, {11, 25}} {
		values := ndarray.New(kind, []int{rows[1] - rows[0], 4})
		for i := range values.Len() {
			element, err := dtype.ParseFill(kind, dtype.V3, []byte(strconv.Itoa(4*rows[0]+i)))
			if err != nil {
				t.Fatal(err)
			}
			copy(values.Data[i*kind.Size():], element)
		}
		if _, err := a.Append(t.Context(), values, "time"); err != nil {
			t.Fatal(err)
		}
	}
	err = errors.Join(a.WriteRegion(t.Context(), ndarray.New(kind, []int{1, 1}), []int{0, 3}),
		w.SetAttributes(t.Context(), path, zarrdoc.Attributes{{Name: "rows", Value: []byte("25")}}))
	if err != nil {
		t.Fatal(err)
	}
}

// writeAgain copies a hierarchy through package sinks.
func writeAgain(t *testing.T, from, to string, memory int) {
	t.Helper()
	src, err := zarr.Open(t.Context(), from, zarr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close() //nolint:errcheck // it was only read
	groups := src.Groups()
	w, err := sinks.Create(t.Context(), to, sinks.Options{Attributes: groups[0].Attributes, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups[1:] {
		if err := w.CreateGroup(t.Context(), g.Path, g.Attributes); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range src.Arrays() {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		writeArrayAgain(t, w, a)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeArrayAgain appends the elements of an array in three steps. In each step, two
// goroutines write slabs.
func writeArrayAgain(t *testing.T, w *sinks.Writer, from sources.Array) {
	t.Helper()
	info := from.Info()
	chunks := info.Chunks
	if info.Shards != nil {
		chunks = info.Shards // the chain is that of a shard, so a chunk is a shard
	}
	values := ndarray.New(info.Type, info.Shape)
	if err := from.ReadRegion(t.Context(), values, make([]int, len(info.Shape))); err != nil {
		t.Fatal(err)
	}
	spec := sinks.ArraySpec{
		Type: info.Type, Shape: slices.Clone(info.Shape), Chunks: chunks, Codecs: info.Codecs,
		FillValue: info.FillValue(), DimensionNames: info.DimensionNames, Attributes: info.Attributes,
	}
	steps := []int{0}
	if len(info.Shape) > 0 {
		n := info.Shape[0]
		spec.Shape[0], steps = 0, []int{0, n / 3, n / 2, n}
	}
	a, err := w.CreateArray(t.Context(), info.Path, spec)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Shape) == 0 {
		if err := a.WriteRegion(t.Context(), values, nil); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, begin := range steps[:len(steps)-1] {
		part := ndarray.Region{Start: make([]int, len(info.Shape)), Shape: slices.Clone(info.Shape)}
		part.Start[0], part.Shape[0] = begin, steps[i+1]-begin
		if i < 2 {
			if _, err := a.Append(t.Context(), values.Sub(part), ""); err != nil {
				t.Fatal(err)
			}
			continue
		}
		// The last step first appends values that are then overwritten.
		empty := ndarray.New(info.Type, part.Shape)
		if _, err := a.Append(t.Context(), empty, ""); err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for half := range 2 {
			both.Go(func() {
				for at := part.Start[0] + half; at < part.Start[0]+part.Shape[0]; at += 2 {
					slab := ndarray.Region{Start: slices.Clone(part.Start), Shape: slices.Clone(part.Shape)}
					slab.Start[0], slab.Shape[0] = at, 1
					if err := a.WriteRegion(t.Context(), values.Sub(slab), slab.Start); err != nil {
						t.Error(err)
					}
				}
			})
		}
		both.Wait()
	}
}
