package standard

import (
	"encoding/json"
	"hash"
	"hash/crc32"

	"github.com/zmigrate/zmigrate/codecs"
)

// castagnoli is the table of the polynomial of CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC32CName is the name of the codec for CRC-32C checksums.
const CRC32CName = "crc32c"

// crc32cDefinition is the codec "crc32c" of Zarr v3 core. It appends a little-endian
// CRC-32C (RFC 3720) to the bytes.
func crc32cDefinition() codecs.Definition {
	return codecs.Definition{
		Name: CRC32CName, Kind: codecs.KindBytesToBytes,
		Summary: "appends a CRC-32C of all bytes, checked on reading",
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			return checksumCodec{codecs.Spec{Name: CRC32CName}, crc32cSum, false}, codecs.ReadConfiguration(text, &struct{}{})
		},
	}
}

// crc32cSum is the checksum of this codec and of numcodecs.crc32c.
var crc32cSum = checksum{
	name:   "CRC-32C",
	sum:    func(data []byte) uint32 { return crc32.Checksum(data, castagnoli) },
	pieces: func() hash.Hash32 { return crc32.New(castagnoli) },
}
