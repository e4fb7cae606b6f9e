package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/inflate"
	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// Compressions of the specification.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecLZO    = 3
	codecBrotli = 4
	codecLZ4    = 5 // in the framing of Hadoop
	codecZstd   = 6
	codecLZ4Raw = 7
)

// mostRatio is more than the ratio of any block of a compression except Brotli: zstd
// writes a run of 128 KiB in 4 bytes.
const mostRatio = 1 << 15

// The footer states how many bytes all pages of a column have together. Some writers state
// the compressed size there. So a page of up to mostUnstated bytes is read even if the
// footer states fewer bytes.
const mostUnstated = 4 << 20

// Decompressed returns the most bytes of all pages together once they are decompressed:
// the size in the footer, if it is plausible.
func (c *Chunk) Decompressed() int64 {
	if c.Codec == codecNone {
		return c.Compressed
	}
	most := c.Uncompressed
	if most <= c.Compressed {
		most = max(c.Compressed, mostUnstated) // the stated size is not plausible
	}
	if c.Codec == codecBrotli || c.Compressed > math.MaxInt64/mostRatio {
		return most
	}
	return min(most, c.Compressed*mostRatio)
}

// decompressor decompresses pages. It serves one goroutine.
type decompressor struct {
	codec int
	gzip  inflate.Decoder
	zstd  zstd.Decoder
}

// into fills dst, which has the size that the page header states, with the content of
// src.
func (d *decompressor) into(dst, src []byte) error {
	n, err := 0, error(nil)
	switch d.codec {
	case codecSnappy:
		if n, err = snappy.DecodedLen(src); err == nil && n == len(dst) {
			_, err = snappy.Decode(dst, src)
		}
	case codecGzip:
		n, err = d.gzip.Gzip(dst, src)
	case codecBrotli:
		n, err = readFull(brotli.NewReader(bytes.NewReader(src)), dst)
	case codecZstd:
		n, err = d.zstd.Decode(dst, src)
	case codecLZ4Raw:
		n, err = lz4.UncompressBlock(src, dst)
	case codecLZ4:
		n, err = hadoopInto(dst, src)
	default: // see Chunk.Readable
		return fmt.Errorf("%w: compression %d", ErrUnsupported, d.codec)
	}
	if err == nil && n != len(dst) {
		err = fmt.Errorf("%d bytes instead of %d", n, len(dst))
	}
	if err != nil {
		return fmt.Errorf("%w: decompressing %d bytes: %w", ErrCorrupt, len(src), err)
	}
	return nil
}

// readFull fills dst. If r has more bytes, it counts one more.
func readFull(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	var more [1]byte
	k, err := r.Read(more[:])
	if err == io.EOF {
		err = nil
	}
	return n + k, err
}

// hadoopInto decompresses blocks in the framing of Hadoop: each begins with two
// big-endian numbers, its length and its compressed length. If src does not have this
// form, it is a single block without numbers, as older writers wrote it.
func hadoopInto(dst, src []byte) (int, error) {
	const head = 8
	n := 0
	for rest := src; len(rest) > 0; {
		if len(rest) < head {
			return lz4.UncompressBlock(src, dst)
		}
		size, stored := binary.BigEndian.Uint32(rest), binary.BigEndian.Uint32(rest[4:])
		if uint64(stored) > uint64(len(rest)-head) || uint64(size) > uint64(len(dst)-n) {
			return lz4.UncompressBlock(src, dst)
		}
		k, err := lz4.UncompressBlock(rest[head:head+stored], dst[n:n+int(size)])
		if err != nil || k != int(size) {
			return lz4.UncompressBlock(src, dst)
		}
		n, rest = n+k, rest[head+stored:]
	}
	return n, nil
}
