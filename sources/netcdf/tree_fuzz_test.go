package netcdf

import (
	"os"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/zarr"
)

// FuzzTree reads the groups, variables and dimensions of arbitrary files.
func FuzzTree(f *testing.F) {
	for _, name := range []string{"classic_model.nc", "scales.h5"} {
		f.Add(sourcetest.Zipped(f, "testdata/netcdf4.zip", name))
	}
	for _, name := range []string{"scales_latest.h5", "old_arrays.h5", "reserved.h5", "tcompound.h5"} {
		f.Add(sourcetest.Zipped(f, "testdata/foreign.zip", name))
	}
	for _, name := range []string{"hdf5/testdata/tiny_types.h5", "hdf5/testdata/tiny_linked.h5", "testdata/regions.h5", "testdata/std_references.h5", "testdata/blosc2.h5"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(sourcetest.Zipped(f, "testdata/nested.zip", "nested.h5"))
	nothing, err := store.Open(f.Context(), "mem://nothing", store.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		opened := &sources.OpenFile{Store: nothing, File: sources.File{URL: "f.nc", Size: int64(len(data))}}
		s := &source{shared: hdf5.NewShared(1 << 20), fields: true, follow: sources.Following{Nothing: true}}
		c, err := s.readTree(t.Context(), opened, data)
		if err != nil {
			return
		}
		whole := &file{OpenFile: opened, contents: c, lean: true}
		for _, g := range whole.Groups() {
			if _, err := g.Attributes.MarshalJSON(); err != nil {
				t.Error(err)
			}
			if list, err := whole.Details(t.Context(), g.Path); err == nil && g.Path == "" && list == nil {
				t.Error("no details of the file")
			}
		}
		for _, name := range whole.Arrays() {
			if list, err := whole.Details(t.Context(), name); err == nil && len(list) == 1 && list[0].Text == "" {
				t.Errorf("%s: a type without a name", name)
			}
			a, err := whole.Array(t.Context(), name)
			if err != nil {
				continue
			}
			if _, err := (zarr.Attributes)(a.Info().Attributes).MarshalJSON(); err != nil {
				t.Error(err)
			}
		}
	})
}
