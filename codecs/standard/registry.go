package standard

import (
	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// Registry returns a new registry with the codecs of this package. types are the data
// types of the program.
func Registry(types *dtype.Registry) *codecs.Registry {
	r := codecs.NewRegistry(types)
	for _, d := range []codecs.Definition{
		// array → array
		transposeDefinition(), scaleOffsetDefinition(), castValueDefinition(types), bitroundDefinition(), reshapeDefinition(), zarrsSqueezeDefinition(),
		numcodecsAstypeDefinition(types), numcodecsBitroundDefinition(), numcodecsDeltaDefinition(types),
		numcodecsFixedscaleoffsetDefinition(types), numcodecsPackbitsDefinition(), numcodecsQuantizeDefinition(types),
		// array → bytes
		bytesDefinition(), shardingDefinition(r), vlenDefinition(vlenText), vlenDefinition(vlenBytes),
		packbitsDefinition(), zfpDefinition(), n5DefaultDefinition(r), numcodecsPcodecDefinition(), numcodecsZfpyDefinition(),
		// bytes → bytes
		bloscDefinition(), gzipDefinition(), zstdDefinition(), crc32cDefinition(), conditionalDefinition(r),
		numcodecsBloscDefinition(), numcodecsLZ4Definition(), numcodecsZlibDefinition(), numcodecsBz2Definition(),
		numcodecsLZMADefinition(), numcodecsGzipDefinition(), numcodecsZstdDefinition(), numcodecsShuffleDefinition(),
		numcodecsCRC32Definition(), numcodecsCRC32CDefinition(), numcodecsAdler32Definition(),
		numcodecsFletcher32Definition(), numcodecsJenkinsLookup3Definition(), zarrsGdeflateDefinition(),
	} {
		if err := r.Register(d); err != nil {
			panic(err) // two codecs of this package have one name
		}
	}
	return r
}
