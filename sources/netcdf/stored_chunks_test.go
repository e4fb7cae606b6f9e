package netcdf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/zarr"
)

// all wants the stored chunks of every variable.
func all(string) bool { return true }

// checkStored decodes the objects of an array by the chain of its Info, and compares
// them with its elements. It returns the number of objects.
func checkStored(t *testing.T, a sources.Array) (found int) {
	t.Helper()
	info, stored := a.Info(), sources.AsStored(a)
	fill := info.Fill
	if fill == nil {
		fill = info.Type.Default()
	}
	chain, err := standard.Registry(dtype.Standard()).Bind(info.Codecs, codecs.Chunk{Type: info.Type, Shape: info.Chunks, Fill: fill})
	if err != nil {
		t.Fatal(err)
	}
	whole := sourcetest.ReadAll(t, a)
	grid := zarr.Grid{Shape: info.Shape, Chunk: info.Chunks}
	for n := range grid.Len() {
		index := grid.Index(n)
		in, err := stored.OpenStored(t.Context(), index)
		if err != nil {
			t.Fatal(err)
		}
		decoded := ndarray.New(info.Type, info.Chunks)
		if in == nil {
			ndarray.Fill(decoded, fill)
		} else {
			found++
			data := make([]byte, in.Size())
			err := errors.Join(in.ReadAt(t.Context(), data, 0), stored.VerifyStored(t.Context(), index, codecs.InMemory(data)))
			if err == nil {
				err = chain.DecodeRegion(t.Context(), &ndarray.Pool{}, decoded, make([]int, len(index)), codecs.InMemory(data))
			}
			if err != nil {
				t.Fatalf("%s: chunk %v: %v", info.Path, index, err)
			}
		}
		box := grid.Region(index)
		want := ndarray.New(info.Type, box.Shape)
		ndarray.Copy(want, whole.Sub(box))
		got := ndarray.New(info.Type, box.Shape)
		ndarray.Copy(got, decoded.Sub(ndarray.Region{Start: make([]int, len(index)), Shape: box.Shape}))
		if !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s: chunk %v decodes to other elements than are read", info.Path, index)
		}
	}
	return found
}

// TestStored has all datasets of files with every kind of chunk index. The chunks of
// most datasets are those of a chain; for the others a note says why not.
func TestStored(t *testing.T) {
	folder := sourcetest.Unzip(t, "hdf5/testdata/golden.zip")
	for _, name := range []string{"earliest.h5", "latest.h5", "userblock.h5"} {
		src := open(t, netcdf.Options{Kept: all}, filepath.Join(folder, name))
		obstacles := map[string]string{}
		for _, path := range src.Arrays() {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				continue
			}
			if sources.AsStored(a) == nil {
				obstacles[path] = a.Info().Obstacle
				continue
			}
			checkStored(t, a)
			obstacles[path] = ""
		}
		for path, want := range map[string]string{
			"layouts/fixed": "", "layouts/fixed_filtered": "", "layouts/extensible": "", "layouts/btree": "", "layouts/btree_plain": "",
			"layouts/single": "", "layouts/single_filtered": "", "layouts/paged_sparse": "", "layouts/sparse": "", "layouts/never_chunked": "",
			"layouts/grown": "", "layouts/shrunk": "", "layouts/implicit": "",
			"layouts/contiguous":        "the dataset is not stored in chunks",
			"layouts/compact":           "the dataset is not stored in chunks",
			"layouts/extensible_second": "no codec of Zarr undoes lzf (filter 32000)",
			"filters/all":               "",
			"filters/all_big":           "",
			"filters/zstd":              "", "filters/bzip2_big": "", "filters/blosc_lz4": "",
			"filters/blosc_blosclz_big": "the chunk at element [0 0] did not go through blosc (filter 32001)",
			"filters/lz4":               "no codec of Zarr undoes lz4 (filter 32004)",
			"filters/nbit_i4":           "no codec of Zarr undoes nbit (filter 5)",
			"types/bool":                "the dataset is not stored in chunks",
			"types/text_chunked":        "the elements are not stored in the form in which Zarr stores string",
		} {
			got, ok := obstacles[path]
			switch {
			case name == "userblock.h5" && !strings.HasPrefix(path, "layouts/"):
			case name == "userblock.h5":
				if got = obstacles[strings.TrimPrefix(path, "layouts/")]; got != want {
					t.Errorf("%s: %s: obstacle %q, want %q", name, path, got, want)
				}
			case !ok || got != want:
				t.Errorf("%s: %s: obstacle %q, want %q", name, path, got, want)
			}
		}
		if got := obstacles["layouts/raw_edges"]; name == "latest.h5" && got != "the chunk at element [0 4] did not go through deflate (filter 1)" {
			t.Errorf("edges that filters left alone: %q", got)
		}
	}
}

// TestStoredIsAskedFor: arrays have objects only if Kept asks for them.
func TestStoredIsAskedFor(t *testing.T) {
	file := filepath.Join(sourcetest.Unzip(t, "hdf5/testdata/golden.zip"), "latest.h5")
	a, err := open(t, netcdf.Options{}, file).Array(t.Context(), "filters/all")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range a.Info().Codecs {
		names = append(names, c.Name)
	}
	if want := []string{"bytes", "numcodecs.shuffle", "numcodecs.zlib", "numcodecs.fletcher32"}; !slices.Equal(names, want) {
		t.Errorf("codecs %q, want %q", names, want)
	}
	if sources.AsStored(a) != nil {
		t.Error("the index of chunks was read")
	}
}

// TestDamagedStored finds a chunk whose bytes do not match the checksum of its filter.
func TestDamagedStored(t *testing.T) {
	file := filepath.Join(sourcetest.Unzip(t, "hdf5/testdata/golden.zip"), "tiny_checked.h5")
	opened := func() sources.Stored {
		a, err := open(t, netcdf.Options{Kept: all}, file).Array(t.Context(), "g/fixed")
		if err != nil {
			t.Fatal(err)
		}
		return sources.AsStored(a)
	}
	read := func(s sources.Stored) ([]byte, error) {
		in, err := s.OpenStored(t.Context(), []int{1, 1})
		if err != nil {
			t.Fatal(err)
		}
		chunk := make([]byte, in.Size())
		if err := in.ReadAt(t.Context(), chunk, 0); err != nil {
			t.Fatal(err)
		}
		return chunk, s.VerifyStored(t.Context(), []int{1, 1}, codecs.InMemory(chunk))
	}
	chunk, err := read(opened())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[bytes.Index(data, chunk)+3] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(opened()); !errors.Is(err, codecs.ErrCorrupt) || !strings.Contains(err.Error(), `tiny_checked.h5: array "g/fixed": chunk [1 1]`) {
		t.Errorf("the error about a damaged chunk is %v", err)
	}
}

// TestStoredMask ignores bits of a chunk's mask that belong to no filter.
func TestStoredMask(t *testing.T) {
	file := filepath.Join(sourcetest.Unzip(t, "hdf5/testdata/golden.zip"), "earliest.h5")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const firstMask = 28 // place in a node, behind the size of its first chunk
	for at, n := 0, 0; ; at += n + 1 {
		if n = bytes.Index(data[at:], []byte("TREE\x01\x00")); n < 0 {
			break
		}
		binary.LittleEndian.PutUint32(data[at+n+firstMask:], 1<<31)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	src := open(t, netcdf.Options{Kept: all}, file)
	for _, path := range []string{"layouts/btree", "layouts/btree_plain", "filters/all"} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if sources.AsStored(a) == nil {
			t.Errorf("%s: obstacle %q", path, a.Info().Obstacle)
			continue
		}
		checkStored(t, a)
	}
}

// TestStoredJoined joins files. If each file ends with a whole chunk, the chunks of the
// files are those of the joined array.
func TestStoredJoined(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/netcdf4.zip")
	joined := func(names ...string) sources.Array {
		t.Helper()
		for i := range names {
			names[i] = filepath.Join(folder, names[i])
		}
		a, err := open(t, netcdf.Options{Combine: combine.Options{Concat: "t"}, Kept: all}, names...).Array(t.Context(), "v")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	whole := joined("part_0.nc", "part_1.nc")
	if o := whole.Info().Obstacle; o == "" && checkStored(t, whole) == 0 {
		t.Error("no chunks")
	} else if o != "" {
		t.Errorf("obstacle %q, chunks %v", o, whole.Info().Chunks)
	}
	if mixed := joined("part_0.nc", "part_2.nc"); sources.AsStored(mixed) != nil || mixed.Info().Obstacle == "" {
		t.Error("the values of a classic file are chunks")
	}
}

// TestStoredMany has so many files that each may take little memory. With their chunks
// they take about as much memory as without.
func TestStoredMany(t *testing.T) {
	folder := sourcetest.Unzip(t, "testdata/netcdf4.zip")
	var files []string
	for i := range 300 {
		name := filepath.Join(folder, fmt.Sprintf("copy_%d.nc", i))
		if err := os.Link(filepath.Join(folder, "part_0.nc"), name); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // pools drop their memory in the second collection
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	taken := func(kept func(string) bool) (sources.Array, int) {
		before := heap()
		a, err := open(t, netcdf.Options{Combine: combine.Options{Concat: "t", Override: true}, Kept: kept}, files...).Array(t.Context(), "v")
		if err != nil {
			t.Fatal(err)
		}
		return a, (heap() - before) / len(files)
	}
	_, without := taken(nil)
	a, with := taken(all)
	if found := checkStored(t, a); found < len(files) {
		t.Errorf("%d chunks, want at least one of each file", found)
	}
	t.Logf("a file takes %d bytes, %d with its chunks", without, with)
	if with > without+2<<10 {
		t.Errorf("a file takes %d bytes, %d with its chunks", without, with)
	}
}
