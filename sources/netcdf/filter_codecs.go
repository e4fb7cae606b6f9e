package netcdf

import (
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// codecOf returns the codec that does the same as a filter, and false if there is none.
// The parameters are defined by the authors of the filters. Binding the codec refuses
// parameters that it does not know.
func codecOf(f hdf5.Filter) (codecs.Spec, bool) {
	p := f.Parameters
	switch {
	case f.ID == hdf5.FilterDeflate && len(p) > 0:
		return codecs.Spec{Name: standard.ZlibName, Configuration: fmt.Appendf(nil, `{"level":%d}`, p[0])}, true
	case f.ID == hdf5.FilterShuffle && len(p) > 0:
		return codecs.Spec{Name: standard.ShuffleName, Configuration: fmt.Appendf(nil, `{"elementsize":%d}`, p[0])}, true
	case f.ID == hdf5.FilterFletcher32:
		return codecs.Spec{Name: standard.Fletcher32Name}, true
	case f.ID == hdf5.FilterBzip2:
		level := uint32(9) // default of the filter
		if len(p) > 0 {
			level = p[0]
		}
		return codecs.Spec{Name: standard.Bz2Name, Configuration: fmt.Appendf(nil, `{"level":%d}`, level)}, true
	case f.ID == hdf5.FilterZstd:
		level := int32(0) // default of the library
		if len(p) > 0 {
			level = int32(p[0])
		}
		return codecs.Spec{Name: standard.ZstdName, Configuration: fmt.Appendf(nil, `{"level":%d,"checksum":false}`, level)}, true
	case f.ID == hdf5.FilterBlosc && len(p) >= 7:
		return bloscOf(p)
	default:
		return codecs.Spec{}, false
	}
}

// bloscOf returns the codec of the filter blosc. The parameters of the filter are two
// versions, the bytes of an element and of a chunk, level, shuffle and compressor.
func bloscOf(p []uint32) (codecs.Spec, bool) {
	shuffles := []string{"noshuffle", "shuffle", "bitshuffle"}
	compressors := []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}
	size, level, shuffle, compressor := p[2], p[4], p[5], p[6]
	if shuffle >= uint32(len(shuffles)) || compressor >= uint32(len(compressors)) {
		return codecs.Spec{}, false
	}
	return codecs.Spec{Name: standard.BloscName, Configuration: fmt.Appendf(nil, `{"cname":%q,"clevel":%d,"shuffle":%q,"typesize":%d,"blocksize":0}`,
		compressors[compressor], level, shuffles[shuffle], size)}, true
}
