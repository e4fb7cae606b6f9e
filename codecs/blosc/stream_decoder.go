package blosc

import (
	"errors"

	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/blosc/internal/blosclz"
	"github.com/zmigrate/zmigrate/codecs/inflate"
	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// errLength means that a stream does not have the length of its part of the block.
var errLength = errors.New("it decodes to another number of bytes")

// streamDecoder decodes streams of all codecs, one at a time. Its zero value
// is ready.
type streamDecoder struct {
	zlib inflate.Decoder
	zstd zstd.Decoder
}

// decode decodes src into the whole of dst.
func (s *streamDecoder) decode(codec Codec, dst, src []byte) error {
	n, err := 0, error(nil)
	switch codec {
	case BloscLZ:
		return blosclz.Decode(dst, src)
	case LZ4:
		n, err = lz4.UncompressBlock(src, dst)
	case Snappy:
		n, err = s2.DecodedLen(src)
		if err == nil && n == len(dst) {
			_, err = s2.Decode(dst, src)
		}
	case Zlib:
		n, _, err = s.zlib.Zlib(dst, src)
	case Zstd:
		n, err = s.zstd.Decode(dst, src)
	}
	if err == nil && n != len(dst) {
		err = errLength
	}
	return err
}
