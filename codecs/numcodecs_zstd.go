package codecs

import (
	"encoding/json"

	"github.com/klauspost/compress/zstd"
)

// numcodecsZstdDefinition is the codec "numcodecs.zstd": the bytes of "zstd"
// with another default of the level.
func numcodecsZstdDefinition() Definition {
	d := zstdDefinition()
	d.Name = "numcodecs.zstd"
	d.Fields[0].Default = "0"
	shared := &zstdShared{encoders: map[zstdCodec]*zstd.Encoder{}}
	d.Parse = func(text json.RawMessage) (Codec, error) {
		var c struct {
			Level    int  `json:"level"`
			Checksum bool `json:"checksum"`
		}
		if err := configuration(text, &c); err != nil {
			return nil, err
		}
		if c.Level < -131072 || c.Level > 22 {
			return nil, field("level", "%d: want −131072 to 22", c.Level)
		}
		return renamedCodec{zstdCodec{c.Level, c.Checksum, shared}, d.Name}, nil
	}
	return d
}
