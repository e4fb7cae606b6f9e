package codecs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// zstdDefinition is the codec "zstd" of the Zarr extension registry: frames of
// RFC 8878.
func zstdDefinition() Definition {
	shared := &zstdShared{encoders: map[zstdCodec]*zstd.Encoder{}}
	return Definition{
		Name: "zstd", Kind: KindBytesToBytes,
		Summary: "Zstandard",
		Fields: []Field{
			{Name: "level", Type: "integer −131072…22", Default: "3", Doc: "0 means 3; higher is smaller and slower"},
			{Name: "checksum", Type: "boolean", Default: "false", Doc: "whether each frame ends with a checksum of its content"},
		},
		Parse: func(text json.RawMessage) (Codec, error) {
			c := struct {
				Level    int  `json:"level"`
				Checksum bool `json:"checksum"`
			}{Level: 3}
			if err := configuration(text, &c); err != nil {
				return nil, err
			}
			if c.Level < -131072 || c.Level > 22 {
				return nil, field("level", "%d: want −131072 to 22", c.Level)
			}
			return zstdCodec{c.Level, c.Checksum, shared}, nil
		},
	}
}

// zstdShared holds what the codecs of one registry share: an encoder for each
// configuration, whose tables take some MiB for each processor, and one
// decoder. Both are safe for concurrent use and never closed: they hold no
// goroutines as used here.
type zstdShared struct {
	mu       sync.Mutex
	encoders map[zstdCodec]*zstd.Encoder
	decoder  *zstd.Decoder
}

type zstdCodec struct {
	level    int
	checksum bool
	shared   *zstdShared
}

func (c zstdCodec) BindBytesToBytes(in Size) (BytesToBytes, error) {
	s := c.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.encoders[c] == nil {
		effort, literals := zstdEffort(c.level)
		e, err := zstd.NewWriter(nil,
			zstd.WithEncoderLevel(effort),
			zstd.WithAllLitEntropyCompression(literals),
			zstd.WithEncoderCRC(c.checksum),
			zstd.WithZeroFrames(true), // an empty chunk is a frame, too
		)
		if err != nil {
			return nil, err
		}
		s.encoders[c] = e
	}
	if s.decoder == nil {
		d, err := zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(0),
			zstd.WithDecodeAllCapLimit(true),
			zstd.WithDecoderMaxMemory(math.MaxInt64), // the limit is the room in each call's dst
		)
		if err != nil {
			return nil, err
		}
		s.decoder = d
	}
	return &zstdBound{zstdCodec: c, in: in, encoder: s.encoders[c], decoder: s.decoder}, nil
}

// zstdEffort spreads the levels of the C library over the four that there are.
// literals tells whether blocks in which nothing repeats are coded by the
// frequency of their bytes: that is most of what noisy numbers have to gain, and
// the C library leaves it out at negative levels alone.
func zstdEffort(level int) (effort zstd.EncoderLevel, literals bool) {
	if level == 0 {
		level = 3
	}
	return zstd.EncoderLevelFromZstd(level), level > 0
}

type zstdBound struct {
	zstdCodec
	in      Size
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func (b *zstdBound) Spec() Spec {
	text := fmt.Appendf(nil, `{"level":%d`, b.level)
	if b.checksum {
		text = append(text, `,"checksum":true`...)
	}
	return Spec{Name: "zstd", Configuration: append(text, '}')}
}

// Size allows for raw blocks with three bytes of header each, and for the
// frame's header and checksum.
func (b *zstdBound) Size() Size { return Size{Max: b.in.Max + b.in.Max>>10 + 64} }

func (b *zstdBound) AppendEncode(dst, src []byte) ([]byte, error) {
	return b.encoder.EncodeAll(src, dst), nil
}

func (b *zstdBound) AppendDecode(dst, src []byte) ([]byte, error) {
	if b.in.Unbounded {
		return b.appendStream(dst, src)
	}
	from := len(dst)
	room := b.in.Max
	// A frame states its size, or cannot expand more than its blocks allow
	// (128 KiB for four bytes): do not make room that cannot be needed.
	if most := len(src)/4 + 1; most < room>>17 {
		room = most << 17
	}
	dst = grow(dst, room)
	out, err := b.decoder.DecodeAll(src, dst[:from:from+room])
	// For a frame that does not state its size the library has no error of its
	// own when it fills the room: that is then ErrCorrupt.
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return nil, fmt.Errorf("%w: %w", ErrTooLarge, err)
	case err != nil:
		return nil, fmt.Errorf("%w: zstd: %w", ErrCorrupt, err)
	}
	return out, decodedSize(b.in, len(out)-from)
}

// appendStream decodes what has no bound worth making room for: memory grows
// with what comes out.
func (b *zstdBound) appendStream(dst, src []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(b.in.Max)))
	if err != nil {
		return nil, fmt.Errorf("%w: zstd: %w", ErrCorrupt, err)
	}
	defer r.Close()
	return appendRead(dst, r, b.in)
}
