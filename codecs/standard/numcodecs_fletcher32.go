package standard

import (
	"encoding/json"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/fletcher32"
)

// Fletcher32Name is the name of the codec.
const Fletcher32Name = "numcodecs.fletcher32"

// numcodecsFletcher32Definition is the codec "numcodecs.fletcher32". It appends the
// checksum of HDF5's filter of that name to the bytes.
//
// Versions 0.19 to 0.23 of the zarrs library left the last of an odd number of bytes
// out of the checksum. Such checksums are accepted, too.
func numcodecsFletcher32Definition() codecs.Definition {
	// zarr-python demands that there is a configuration.
	spec := codecs.Spec{Name: Fletcher32Name, Configuration: json.RawMessage(`{}`)}
	return codecs.Definition{
		Name:    spec.Name,
		Aliases: []string{"fletcher32", "https://codec.zarrs.dev/bytes_to_bytes/fletcher32"},
		Kind:    codecs.KindBytesToBytes,
		Summary: "appends HDF5's Fletcher-32 of all bytes, checked on reading",
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			return checksumCodec{spec, checksum{name: "Fletcher-32", sum: fletcher32.Sum, old: withoutLast}, false}, codecs.ReadConfiguration(text, &struct{}{})
		},
	}
}

// withoutLast reports whether stored is the checksum of data without its last byte, if
// data has an odd number of bytes. It is false if the sum before that byte is zero,
// because another last byte could then have the same checksum.
func withoutLast(data []byte, stored uint32) bool {
	if len(data)%2 == 0 {
		return false
	}
	return stored&0xffff != 0 && stored&0xffff != 0xffff && fletcher32.Sum(data[:len(data)-1]) == stored
}
