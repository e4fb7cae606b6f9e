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

// zstdDefinition is the codec "zstd" of the Zarr extension registry: frames of RFC
// 8878.
func zstdDefinition() codecs.Definition {
	d := zstdNamed(ZstdName, 3)
	d.V2 = "zstd"
	return d
}

// numcodecsZstdDefinition is the codec "numcodecs.zstd". It makes the bytes of "zstd",
// but has another default level.
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

// zstdShared is what the codecs of one registry share: encoders, whose tables and
// windows take some MiB each, and one decoder. It is safe for concurrent use. Nothing
// is ever closed, because encoders and decoders that are used in this way have no
// goroutines.
type zstdShared struct {
	mu       sync.Mutex
	encoders map[zstdEncoder]*zstdEncoders
	decoder  fastzstd.Decoder
}

// zstdEncoder is how an encoder works. Encoders with equal values work alike.
type zstdEncoder struct {
	fast     int               // the level of this module's encoder, or 0 for the library's
	effort   zstd.EncoderLevel // of the library's encoder
	literals bool
	window   int // in bytes
	checksum bool
}

// zstdWindow returns how many bytes the library's encoder of an effort looks back, for
// content of at most n bytes. It looks back no further than n, rounded up to a power of
// two. That makes no difference to the result.
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

// zstdEncoders is a pool of encoders that work alike. At most as many of them work at
// the same time as there are processors, however many workers there are.
type zstdEncoders struct {
	slots chan struct{}
	fast  *fastzstd.Encoder // nil if the library's encoder is used
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

// alike returns the pool of encoders that work as e says.
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
				panic(err) // making the first one succeeded
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

// zstdEffort returns the encoder that corresponds to a level of the C library, for
// content of at most n bytes. Levels 1 to 9 use this module's encoder. The other levels are
// spread over the library's efforts. From level 10 on, blocks without repetitions are
// entropy-coded, which is most of what compressing noisy numbers gains. At negative levels they
// are not, as in C.
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

// Scratch implements [codecs.Scratching]: what an encoder takes at levels from 10 on,
// mostly for tables. At other levels it is a few MiB, which is not worth waiting for.
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

// Size implements [codecs.BytesToBytes]: raw blocks have headers of three bytes, and
// the frame has a header and a checksum.
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
	// A block of four bytes decodes to at most 128 KiB. Do not allocate more than a
	// frame of this length can need.
	if most := len(src)/4 + 1; most < room>>17 {
		room = most << 17
	}
	dst = grow(dst, room)
	n, err := b.shared.decoder.Decode(dst[from:from+room], src)
	if err != nil {
		return nil, zstdDamage(err)
	}
	return dst[:from+n], b.in.Check(n)
}

// DecodeFront implements [codecs.Stopping].
func (b *zstdBound) DecodeFront(dst, src []byte, n int) error {
	there, err := b.shared.decoder.DecodeUpTo(dst, src, n)
	switch {
	case err != nil:
		return zstdDamage(err)
	case there < n:
		return b.in.Check(there)
	}
	return nil
}

func zstdDamage(err error) error {
	if errors.Is(err, fastzstd.ErrTooLarge) {
		return fmt.Errorf("%w: %w", codecs.ErrTooLarge, err)
	}
	return fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
}

// stream returns a reader of what frames decode to.
func (b *zstdBound) stream(src []byte) (*zstd.Decoder, error) {
	r, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(b.in.Max)))
	if err != nil {
		return nil, fmt.Errorf("%w: zstd: %w", codecs.ErrCorrupt, err)
	}
	return r, nil
}

// DecodedLength implements [codecs.DecodedSized]. It returns the sizes that the frames
// state. If a frame states none, it decodes.
func (b *zstdBound) DecodedLength(src []byte) (int, error) {
	content, err := fastzstd.Frames(bufio.NewReader(bytes.NewReader(src)))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	case content.Size > int64(b.in.Max) || content.Size>>17 > int64(len(src)/4): // a block decodes to at most 128 KiB and takes at least four bytes
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

// Verification implements [codecs.Verifier]. Verify takes memory for the content if the
// frames have a checksum of it, or do not state its size. Each frame says so itself.
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

// atOnce reports whether Verify has memory for the whole content when it decodes.
func (b *zstdBound) atOnce() bool {
	return !b.in.Unbounded && (b.checksum || b.in.Max <= usualContent)
}

// Verify implements [codecs.Verifier]. It checks the headers of frames and blocks. If
// there is a checksum of the content, or if nothing states the content's size, it
// decodes the content and keeps nothing.
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

// VerifyInto implements [codecs.Streaming]. It decodes frames with at most their window
// in memory. The window is at most usualContent, unless the content is unbounded.
// Frames with a longer window are not decoded.
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

// usualContent is how much memory Verify has for content with a checksum that the
// configuration does not mention.
const usualContent = 16 << 20
