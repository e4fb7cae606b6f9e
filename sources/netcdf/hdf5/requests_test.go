package hdf5_test

import (
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// TestRequests reads from files with thousands of chunks. The index of the chunks takes
// few long reads, and is read once.
func TestRequests(t *testing.T) {
	const most = 16
	files := readZip(t, "testdata/golden.zip")
	for _, name := range []string{"chunks_v108.h5", "chunks_v110.h5"} {
		m := &memory{data: files[name]}
		f, err := hdf5.Open(t.Context(), m, int64(len(m.data)), hdf5.Options{Gap: 64 << 10})
		if err != nil {
			t.Fatal(err)
		}
		root, err := f.Object(t.Context(), f.Root())
		if err != nil {
			t.Fatal(err)
		}
		links, err := root.Links(t.Context())
		if err != nil || len(links) == 0 {
			t.Fatal(links, err)
		}
		for _, l := range links {
			d, err := object(t, f, l.Name).Dataset(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n := d.Shape[0] / d.ChunkShape[0]; n != 6000 {
				t.Errorf("%s has %d chunks", l.Name, n)
			}
			read := func(at int, shape []int) int64 {
				before := m.requests.Load()
				start := make([]int, len(shape))
				start[0] = at
				if err := d.ReadRegion(t.Context(), ndarray.New(d.Native.Type, shape), start); err != nil {
					t.Fatal(err)
				}
				return m.requests.Load() - before
			}
			one := make([]int, len(d.Shape))
			for k := range one {
				one[k] = 1
			}
			if first, again, all := read(4000, one), read(3000, one), read(0, d.Shape); first > most || again > 1 || all > most {
				t.Errorf("%s: %d requests for the first element, %d for another one, %d for all", l.Name, first, again, all)
			}
		}
		if n := m.requests.Load(); n > 4*most {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

// TestIndexesAreKept reads single elements of one or two datasets in turn, and opens
// the dataset anew each time. The limit of the cache is less than their indexes. No
// index is read again nevertheless.
func TestIndexesAreKept(t *testing.T) {
	for _, name := range []string{"chunks_v108.h5", "chunks_v110.h5"} {
		m := &memory{data: readZip(t, "testdata/golden.zip")[name]}
		f, err := hdf5.Open(t.Context(), m, int64(len(m.data)), hdf5.Options{Shared: hdf5.NewShared(16 << 10), Page: 4 << 10})
		if err != nil {
			t.Fatal(err)
		}
		links, err := object(t, f, "/").Links(t.Context())
		if err != nil || len(links) == 0 {
			t.Fatal(links, err)
		}
		for round := range 10 {
			for _, l := range links[:min(len(links), 2)] {
				o, err := f.Object(t.Context(), l.Address)
				if err != nil {
					t.Fatal(err)
				}
				d, err := o.Dataset(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				shape := make([]int, len(d.Shape))
				for k := range shape {
					shape[k] = 1
				}
				before := m.requests.Load()
				if err := d.ReadRegion(t.Context(), ndarray.New(d.Native.Type, shape), make([]int, len(shape))); err != nil {
					t.Fatal(err)
				}
				if n := m.requests.Load() - before; round > 0 && n > 1 {
					t.Errorf("%s: %d requests for an element of %s in round %d", name, n, l.Name, round)
				}
			}
		}
	}
}

// TestMemory has datasets with less memory than is usually read at once. One read of
// ReadRegion takes no more than this memory.
func TestMemory(t *testing.T) {
	small := 0
	files, expected := goldens(t, "testdata/golden.zip")
	for name, want := range expected {
		m := &memory{data: files[name]}
		f, err := hdf5.Open(t.Context(), m, int64(len(m.data)), hdf5.Options{Gap: 512})
		if err != nil {
			t.Fatal(err)
		}
		for path := range want.Datasets {
			d, err := object(t, f, path).Dataset(t.Context())
			if err != nil || d.ChunkShape == nil {
				continue
			}
			shape := slices.Concat(d.Shape, d.Native.Shape)
			for range 2 { // the second time, the index need not be read
				m.bytes.Store(0)
				err = d.ReadRegion(t.Context(), ndarray.New(d.Native.Type, shape), make([]int, len(shape)))
			}
			if read := m.bytes.Load(); err == nil && d.Native.Type.Size() > 0 && read > int64(d.Memory()) {
				t.Errorf("%s: %d bytes are read with %d of memory", path, read, d.Memory())
			}
			if d.Memory() < 1<<20 {
				small++
			}
		}
	}
	if small < 20 {
		t.Errorf("%d datasets take little memory, want 20 at least", small)
	}
}
