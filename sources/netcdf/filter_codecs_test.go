package netcdf

import (
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// TestCodecOf has the filters that are codecs, also with parameters that the file does
// not state.
func TestCodecOf(t *testing.T) {
	for _, test := range []struct {
		filter hdf5.Filter
		want   string // configuration; "": no codec
	}{
		{hdf5.Filter{ID: hdf5.FilterDeflate, Parameters: []uint32{6}}, `numcodecs.zlib {"level":6}`},
		{hdf5.Filter{ID: hdf5.FilterDeflate}, ""},
		{hdf5.Filter{ID: hdf5.FilterShuffle, Parameters: []uint32{8}}, `numcodecs.shuffle {"elementsize":8}`},
		{hdf5.Filter{ID: hdf5.FilterShuffle}, ""},
		{hdf5.Filter{ID: hdf5.FilterFletcher32}, "numcodecs.fletcher32 "},
		{hdf5.Filter{ID: hdf5.FilterZstd, Parameters: []uint32{22}}, `zstd {"level":22,"checksum":false}`},
		{hdf5.Filter{ID: hdf5.FilterZstd, Parameters: []uint32{0xfffffffb}}, `zstd {"level":-5,"checksum":false}`},
		{hdf5.Filter{ID: hdf5.FilterZstd}, `zstd {"level":0,"checksum":false}`},
		{hdf5.Filter{ID: hdf5.FilterBzip2, Parameters: []uint32{5}}, `numcodecs.bz2 {"level":5}`},
		{hdf5.Filter{ID: hdf5.FilterBzip2}, `numcodecs.bz2 {"level":9}`},
		{hdf5.Filter{ID: hdf5.FilterBlosc, Parameters: []uint32{2, 2, 4, 64, 5, 1, 7}}, ""},
		{hdf5.Filter{ID: hdf5.FilterLZF}, ""},
	} {
		spec, ok := codecOf(test.filter)
		if !ok {
			if test.want != "" {
				t.Errorf("%v %v: no codec", test.filter, test.filter.Parameters)
			}
			continue
		}
		if got := spec.Name + " " + string(spec.Configuration); got != test.want {
			t.Errorf("%v %v is %s, want %s", test.filter, test.filter.Parameters, got, test.want)
		}
		chunk := codecs.Chunk{Type: dtype.Int32, Shape: []int{4}, Fill: dtype.Int32.Default()}
		if _, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{{Name: "bytes", Configuration: []byte(`{"endian":"little"}`)}, spec}, chunk); err != nil {
			t.Errorf("%v: %v", test.filter, err)
		}
	}
}
