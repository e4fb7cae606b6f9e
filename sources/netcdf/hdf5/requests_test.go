package hdf5_test

import (
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// TestRequests reads from files with thousands of chunks: the index of the
// chunks comes with few long reads, and is read once.
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
