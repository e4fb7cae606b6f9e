package standard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"

	fastzstd "github.com/zmigrate/zmigrate/codecs/zstd"

	"github.com/zmigrate/zmigrate/codecs"
)

// ZstdName is the name of the codec.
const ZstdName = "zstd"

// zstdDefinition is the codec "zstd" of the Zarr extension registry: frames of
// RFC 8878.
func zstdDefinition() codecs.Definition {
	d := zstdNamed(ZstdName, 3)
	d.V2 = "zstd"
	return d
}

// numcodecsZstdDefinition is the codec "numcodecs.zstd": the bytes of "zstd"
// with another default of the level.
func numcodecsZstdDefinition() codecs.Definition { return zstdNamed("numcodecs.zstd", 0) }

func zstdNamed(name string, level int) codecs.Definition {
	shared := &zstdShared{encoders: map[zstdEncoder]*zstdEncoders{}}
	return codecs.Definition{
		Name: name, Kind: codecs.KindBytesToBytes,
		Summary: "Zstandard",
		Fields: []codecs.Field{
			{Name: "level", Type: "integer −131072…22", Default: fmt.Sprint(level), Doc: "0 means 3; higher is smaller and slower"},
			{Name: "checksum", Type: "boolean", Default: "false", Doc: "whether each frame ends with a checksum of its content"},
		},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := struct {
				Level    int  `json:"level"`
				Checksum bool `json:"checksum"`
			}{Level: level}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Level < -131072 || c.Level > 22 {
				return nil, codecs.Fieldf("level", "%d: want −131072 to 22", c.Level)
			}
			return zstdCodec{name, c.Level, c.Checksum, shared}, nil
		},
	}
}

// zstdShared holds what the codecs of one registry share: encoders, whose tables
// and windows take some MiB each, and one decoder, which is safe for concurrent
// use. Nothing is ever closed: as used here there are no goroutines.
type zstdShared struct {
	mu       sync.Mutex
	encoders map[zstdEncoder]*zstdEncoders
	decoder  fastzstd.Decoder
}

// zstdEncoder says how encoders work; those that are equal do alike.
type zstdEncoder struct {
	fast     int // the level of our own encoder, or zero for the library's, for which the rest is
	effort   zstd.EncoderLevel
	literals bool
	window   int // bytes
	checksum bool
}

// zstdWindow is how many bytes an encoder of an effort looks back as the library
// has it, for content of at most n bytes: no more than these, rounded up to a
// power of two, which makes no difference to what is written.
func zstdWindow(effort zstd.EncoderLevel, n int) int {
	window := 8 << 20
	if effort == zstd.SpeedFastest {
		window = 4 << 20
	}
	return min(window, max(1<<20, 1<<bits.Len(uint(n))))
}

func (e zstdEncoder) make() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(e.effort),
		zstd.WithWindowSize(e.window),
		zstd.WithAllLitEntropyCompression(e.literals),
		zstd.WithEncoderCRC(e.checksum),
		zstd.WithZeroFrames(true), // an empty chunk is a frame, too
	)
}

// zstdEncoders are encoders that work alike, of which no more are at work than
// there are processors, however many workers there are.
type zstdEncoders struct {
	slots chan struct{}
	fast  *fastzstd.Encoder // or nil
	idle  sync.Pool         // of *zstd.Encoder
}

func (z *zstdEncoders) appendEncode(dst, src []byte) []byte {
	z.slots <- struct{}{}
	defer func() { <-z.slots }()
	if z.fast != nil {
		return z.fast.AppendEncode(dst, src)
	}
	e := z.idle.Get().(*zstd.Encoder)
	defer z.idle.Put(e)
	return e.EncodeAll(src, dst)
}

// alike returns encoders that work as e says.
func (s *zstdShared) alike(e zstdEncoder) (*zstdEncoders, error) {
	if s.encoders[e] != nil {
		return s.encoders[e], nil
	}
	z := &zstdEncoders{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	if e.fast > 0 {
		fast, err := fastzstd.NewEncoder(fastzstd.Options{Level: e.fast, Checksum: e.checksum})
		if err != nil {
			return nil, err
		}
		z.fast = fast
	} else {
		first, err := e.make()
		if err != nil {
			return nil, err
		}
		z.idle.New = func() any {
			next, err := e.make()
			if err != nil {
				panic(err) // the first one was made
			}
			return next
		}
		z.idle.Put(first)
	}
	s.encoders[e] = z
	return z, nil
}

type zstdCodec struct {
	name     string
	level    int
	checksum bool
	shared   *zstdShared
}

func (c zstdCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	s := c.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	e := zstdEffort(c.level, in.Max)
	e.checksum = c.checksum
	encoders, err := s.alike(e)
	if err != nil {
		return nil, err
	}
	return &zstdBound{zstdCodec: c, in: in, with: e, encoders: encoders}, nil
}

// zstdEffort returns the encoder that works as the C library does at a level,
// for content of at most n bytes. From 1 to 5 that is our own; others are spread
// over the efforts that the library has. Blocks in which nothing repeats are
// coded by the frequency of their bytes, which is most of what noisy numbers have
// to gain, but at negative levels, as in C.
func zstdEffort(level, n int) zstdEncoder {
	if level == 0 {
		level = 3
	}
	if level > 0 && level <= fastzstd.MaxLevel {
		return zstdEncoder{fast: level}
	}
	effort := zstd.EncoderLevelFromZstd(level)
	return zstdEncoder{effort: effort, literals: level > 0, window: zstdWindow(effort, n)}
}

type zstdBound struct {
	zstdCodec
	in       codecs.Size
	with     zstdEncoder
	encoders *zstdEncoders
}

// Scratch is what an encoder takes at levels from 10 on, most of it tables.
// Others take some MiB, which is not worth waiting for.
func (b *zstdBound) Scratch() int {
	if b.with.effort < zstd.SpeedBestCompression {
		return 0
	}
	return 72<<20 + 2*b.with.window
}

func (b *zstdBound) Spec() codecs.Spec {
	text := fmt.Appendf(nil, `{"level":%d`, b.level)
	if b.checksum {
		text = append(text, `,"checksum":true`...)
	}
	return codecs.Spec{Name: b.name, Configuration: append(text, '}')}
}

// Size allows for raw blocks with three bytes of header each, and for the
// frame's header and checksum.
func (b *zstdBound) Size() codecs.Size { return codecs.Size{Max: b.in.Max + b.in.Max>>10 + 64} }

func (b *zstdBound) AppendEncode(dst, src []byte) ([]byte, error) {
	return b.encoders.appendEncode(dst, src), nil
}

func (b *zstdBound) AppendDecode(dst, src []byte) ([]byte, error) {
	from := len(dst)
	room := b.in.Max
	if b.in.Unbounded {
		var err error
		if room, err = b.DecodedLength(src); err != nil {
			return nil, err
		}
	}
	// A frame states its size, or cannot expand more than its blocks allow
	// (128 KiB for four bytes): do not make room that cannot be needed.
	if most := len(src)/4 + 1; most < room>>17 {
		room = most << 17
	}
	dst = grow(dst, room)
	n, err := b.shared.decoder.Decode(dst[from:from+room], src)
	switch {
	case errors.Is(err, fastzstd.ErrTooLarge):
		return nil, fmt.Errorf("%w: %w", codecs.ErrTooLarge, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return dst[:from+n], b.in.Check(n)
}

// stream returns a reader of what frames decode to.
func (b *zstdBound) stream(src []byte) (*zstd.Decoder, error) {
	r, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(b.in.Max)))
	if err != nil {
		return nil, fmt.Errorf("%w: zstd: %w", codecs.ErrCorrupt, err)
	}
	return r, nil
}

// DecodedLength implements [codecs.DecodedSized]: what frames tell of themselves, else
// what they decode to.
func (b *zstdBound) DecodedLength(src []byte) (int, error) {
	content, err := fastzstd.Frames(bufio.NewReader(bytes.NewReader(src)))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	case content.Size > int64(b.in.Max) || content.Size>>17 > int64(len(src)/4): // a block is 128 KiB in four bytes at best
		return 0, fmt.Errorf("%w: zstd: %d bytes claim to be %d", codecs.ErrTooLarge, len(src), content.Size)
	case content.Size >= 0:
		return int(content.Size), nil
	}
	r, err := b.stream(src)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return lengthOf(r, b.in)
}

// Verification implements [codecs.Verifier]. It is the content that takes memory where frames
// have a checksum of it, or tell no size, as each tells by itself.
func (b *zstdBound) Verification() codecs.Verification {
	v := codecs.Verification{All: true, Checksum: b.checksum, InPieces: b.in.Unbounded}
	switch {
	case b.in.Unbounded:
	case b.atOnce():
		v.Memory = b.in.Max
	default:
		v.Memory = usualContent
	}
	return v
}

// atOnce tells whether content that is decoded for verify has memory for all of it.
func (b *zstdBound) atOnce() bool {
	return !b.in.Unbounded && (b.checksum || b.in.Max <= usualContent)
}

// Verify implements [codecs.Verifier]: by the headers of frames and blocks. Where there
// is a checksum of the content, or where nothing tells its size, that is decoded, and
// thrown away.
func (b *zstdBound) Verify(ctx context.Context, in codecs.Input) error {
	var content fastzstd.Content
	err := walk(ctx, in, func(r *bufio.Reader) (err error) {
		content, err = fastzstd.Frames(r)
		return err
	})
	switch {
	case err != nil:
		return err
	case content.Size > int64(b.in.Max):
		return fmt.Errorf("%w: %d bytes, at most %d", codecs.ErrTooLarge, content.Size, b.in.Max)
	case content.Size >= 0:
		err = b.in.Check(int(content.Size))
	}
	switch {
	case err != nil || !content.Checksum && (content.Size >= 0 || !b.in.Fixed):
		return err
	case b.atOnce():
		data, err := codecs.ReadAll(ctx, in)
		if err == nil {
			_, err = b.AppendDecode(nil, data)
		}
		return err
	}
	return b.VerifyInto(ctx, in, discard{})
}

// VerifyInto implements [codecs.Streaming]: it decodes frames with no more of them in memory than their window, which
// is at most usualContent unless nothing bounds the content. Frames with a longer one
// are not decoded.
func (b *zstdBound) VerifyInto(ctx context.Context, in codecs.Input, to io.WriteCloser) error {
	decoded := 0
	err := walk(ctx, in, func(from *bufio.Reader) error {
		options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(b.in.Max))}
		if !b.in.Unbounded {
			options = append(options, zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(usualContent))
		}
		r, err := zstd.NewReader(from, options...)
		if err != nil {
			return err
		}
		defer r.Close()
		n, err := io.Copy(to, r)
		if decoded = int(n); err != nil {
			return err
		}
		return to.Close()
	})
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded) && !b.in.Unbounded:
		return nil
	case err != nil:
		return err
	}
	return b.in.Check(decoded)
}

// usualContent is the size up to which memory is there for content with a checksum
// that the configuration does not tell of.
const usualContent = 16 << 20
