package blosc2

import (
	"encoding/binary"
	"errors"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/blosc"
)

// mostDictionary is the most bytes of a dictionary, BLOSC2_MAXDICTSIZE.
const mostDictionary = 128 << 10

// dictionary decodes streams that need a dictionary. Its zero value is ready.
type dictionary struct {
	of   []byte // the dictionary of zstd
	zstd *zstd.Decoder
}

// errLength means that a stream does not have the length of its part of the block.
var errLength = errors.New("it decodes to another number of bytes")

// decode decodes a stream of LZ4 or zstd that needs a dictionary.
func (d *dictionary) decode(codec blosc.Codec, bytes, dst, src []byte) error {
	if codec == blosc.LZ4 {
		n, err := lz4.UncompressBlockWithDict(src, dst, bytes)
		if err == nil && n != len(dst) {
			err = errLength
		}
		return err
	}
	if err := d.use(bytes); err != nil {
		return err
	}
	data, err := d.zstd.DecodeAll(src, dst[:0:len(dst)])
	if err == nil && len(data) != len(dst) {
		err = errLength
	}
	return err
}

// use makes the decoder of a dictionary of zstd. Bytes that do not begin as such a dictionary are
// content alone.
func (d *dictionary) use(bytes []byte) error {
	const magic = 0xec30a437
	if d.zstd != nil && len(d.of) == len(bytes) && &d.of[0] == &bytes[0] {
		return nil
	}
	how := zstd.WithDecoderDictRaw(0, bytes)
	if len(bytes) >= 4 && binary.LittleEndian.Uint32(bytes) == magic {
		how = zstd.WithDecoderDicts(bytes)
	}
	var err error
	d.of = bytes
	d.zstd, err = zstd.NewReader(nil, how, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	return err
}
