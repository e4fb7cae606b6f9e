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

// StreamDecoder decodes single streams of all codecs, as they are in blocks; Blosc 2 has the
// same streams. Its zero value is ready. It is for one goroutine.
type StreamDecoder struct {
	zlib inflate.Decoder
	zstd zstd.Decoder
}

// Decode decodes src into dst. It is an error if src decodes to another number of bytes. After
// an error the bytes of dst are undefined.
func (s *StreamDecoder) Decode(codec Codec, dst, src []byte) error {
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
