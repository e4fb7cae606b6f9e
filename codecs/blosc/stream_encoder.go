package blosc

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	pierrec "github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/blosc/internal/blosclz"
	"github.com/zmigrate/zmigrate/codecs/lz4"
	fastzstd "github.com/zmigrate/zmigrate/codecs/zstd"
)

// streamEncoder compresses src to the start of dst. It returns the number of bytes, or
// 0 if dst is too short. It may write anywhere in dst. It is for one goroutine.
type streamEncoder func(dst, src []byte) int

// newStreamEncoder returns the encoder of a codec at a level from 1 to 9, for streams
// of up to size bytes. A longer stream is compressed less well.
func newStreamEncoder(codec Codec, level, size int) (streamEncoder, error) {
	switch codec {
	case BloscLZ:
		e := blosclz.NewEncoder(level)
		return e.Encode, nil
	case LZ4:
		e := &lz4.Encoder{}
		return func(dst, src []byte) int { return e.Encode(dst, src, 10-level) }, nil
	case LZ4HC:
		c := &pierrec.CompressorHC{Level: 1 << max(level-1, 1)} // number of attempts, as in lz4hc
		return func(dst, src []byte) int { return fitting(c.CompressBlock(src, dst)) }, nil
	case Snappy:
		var scratch []byte
		return func(dst, src []byte) int {
			scratch = s2.EncodeSnappy(scratch[:cap(scratch)], src)
			return copyFitting(dst, scratch)
		}, nil
	case Zlib:
		return newZlibEncoder(level)
	case Zstd:
		return newZstdEncoder(level, size)
	}
	return nil, unsupported("codec %d", codec)
}

// fitting returns n, or 0 if there is an error, which means that dst is too short.
func fitting(n int, err error) int {
	if err != nil {
		return 0
	}
	return n
}

// copyFitting copies src to dst and returns its length, or 0 if it does not fit.
func copyFitting(dst, src []byte) int {
	if len(src) > len(dst) {
		return 0
	}
	return copy(dst, src)
}

// newZlibEncoder maps levels of zlib to levels of the library that give streams of
// about the same length. Below 7 the library finds little in short streams. At 9 it is
// slow, and finds little in long runs.
func newZlibEncoder(level int) (streamEncoder, error) {
	switch {
	case level >= 7:
		level = 8
	case level >= 4:
		level = 7
	}
	sink := &limitedBuffer{}
	w, err := zlib.NewWriterLevel(sink, level)
	if err != nil {
		return nil, fmt.Errorf("blosc: %w", err)
	}
	return func(dst, src []byte) int {
		sink.bytes = dst[:0:len(dst)]
		w.Reset(sink)
		if _, err := w.Write(src); err != nil {
			return 0
		}
		if err := w.Close(); err != nil {
			return 0
		}
		return len(sink.bytes)
	}, nil
}

// limitedBuffer collects bytes up to the capacity of its slice.
type limitedBuffer struct{ bytes []byte }

var errFull = errors.New("no room")

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if len(p) > cap(b.bytes)-len(b.bytes) {
		return 0, errFull
	}
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}

// newZstdEncoder maps levels as c-blosc does, to 2×level−1 of zstd.
func newZstdEncoder(level, size int) (streamEncoder, error) {
	level = 2*level - 1
	if level > fastzstd.MaxLevel {
		return newHighZstdEncoder(level, size)
	}
	e, err := fastzstd.NewEncoder(fastzstd.Options{Level: level})
	if err != nil {
		return nil, fmt.Errorf("blosc: %w", err)
	}
	var scratch []byte
	return func(dst, src []byte) int {
		scratch = e.AppendEncode(scratch[:0], src)
		return copyFitting(dst, scratch)
	}, nil
}

// newHighZstdEncoder returns the library's encoder for a level of zstd. The planes of shuffled bytes
// often have no repetitions but few values, so literals are always entropy-coded.
func newHighZstdEncoder(level, size int) (streamEncoder, error) {
	window := 1 << bits.Len(uint(max(size, zstd.MinWindowSize)-1))
	e, err := zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithAllLitEntropyCompression(true),
		zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true),
		zstd.WithWindowSize(min(window, zstd.MaxWindowSize)),
		zstd.WithLowerEncoderMem(true),
	)
	if err != nil {
		return nil, fmt.Errorf("blosc: %w", err)
	}
	return func(dst, src []byte) int {
		// If dst was too short at any time, the result is in other memory, even if it
		// fits in the end.
		return copyFitting(dst, e.EncodeAll(src, dst[:0:len(dst)]))
	}, nil
}
