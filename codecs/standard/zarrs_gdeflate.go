package standard

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/gdeflate"
)

// zarrsGdeflateDefinition is the codec "zarrs.gdeflate". An encoding is
//
//	u64                     size of the content
//	u64                     number of pages
//	u64 for each page       its size
//	each page               GDeflate of the next 64 KiB of the content
//
// with all words little-endian.
func zarrsGdeflateDefinition() codecs.Definition {
	return codecs.Definition{
		Name:    "zarrs.gdeflate",
		Aliases: []string{"https://codec.zarrs.dev/bytes_to_bytes/gdeflate"},
		Kind:    codecs.KindBytesToBytes,
		Summary: "DEFLATE dealt out to 32 lanes, for graphics processors",
		Fields: []codecs.Field{{
			Name: "level", Type: "integer 0…12",
			Doc: "0 stores, 1 is fastest, 9 and above smallest",
		}},
		Example: json.RawMessage(`{"level":6}`),
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Level *int `json:"level"`
			}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Level == nil {
				return nil, codecs.Fieldf("level", "is required")
			}
			if *c.Level < 0 || *c.Level > gdeflate.MaxLevel {
				return nil, codecs.Fieldf("level", "%d: want 0 to %d", *c.Level, gdeflate.MaxLevel)
			}
			return gdeflateCodec{*c.Level}, nil
		},
	}
}

type gdeflateCodec struct{ level int }

func (c gdeflateCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	b := &gdeflateBound{gdeflateCodec: c, in: in}
	b.encoders.New = func() any {
		e, err := gdeflate.NewEncoder(c.level)
		if err != nil {
			panic(err) // the level has been checked
		}
		return e
	}
	b.decoders.New = func() any { return new(gdeflate.Decoder) }
	return b, nil
}

type gdeflateBound struct {
	gdeflateCodec
	in       codecs.Size
	encoders sync.Pool // of *gdeflate.Encoder
	decoders sync.Pool // of *gdeflate.Decoder
}

func (b *gdeflateBound) Spec() codecs.Spec {
	return codecs.Spec{Name: "zarrs.gdeflate", Configuration: fmt.Appendf(nil, `{"level":%d}`, b.level)}
}

// gdeflateWord is the size of a word of the header, in bytes.
const gdeflateWord = 8

// gdeflatePages returns how many pages n bytes take.
func gdeflatePages(n int) int { return (n + gdeflate.PageSize - 1) / gdeflate.PageSize }

func (b *gdeflateBound) Size() codecs.Size {
	n := b.in.Max
	full, rest := n/gdeflate.PageSize, n%gdeflate.PageSize
	size := (2 + gdeflatePages(n)) * gdeflateWord
	size += full*gdeflate.MaxEncodedSize(gdeflate.PageSize) + gdeflate.MaxEncodedSize(rest)
	return codecs.Size{Max: size, Unbounded: b.in.Unbounded}
}

func (b *gdeflateBound) AppendEncode(dst, src []byte) ([]byte, error) {
	e := b.encoders.Get().(*gdeflate.Encoder)
	defer b.encoders.Put(e)
	pages := gdeflatePages(len(src))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(src)))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(pages))
	sizes := len(dst)
	dst = append(dst, make([]byte, pages*gdeflateWord)...)
	for i := range pages {
		from := len(dst)
		var err error
		dst, err = e.AppendEncode(dst, src[:min(len(src), gdeflate.PageSize)])
		if err != nil {
			return nil, err
		}
		src = src[min(len(src), gdeflate.PageSize):]
		binary.LittleEndian.PutUint64(dst[sizes+i*gdeflateWord:], uint64(len(dst)-from))
	}
	return dst, nil
}

// header parses the header of an encoding of size bytes: the size of the content, and
// the number of pages.
func (b *gdeflateBound) header(src []byte, size int64) (total, pages uint64, err error) {
	if len(src) < 2*gdeflateWord {
		return 0, 0, fmt.Errorf("%w: %d bytes hold no header", codecs.ErrCorrupt, len(src))
	}
	total, pages = binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[gdeflateWord:])
	if total > uint64(b.in.Max) {
		return 0, 0, fmt.Errorf("%w: %d bytes, at most %d", codecs.ErrTooLarge, total, b.in.Max)
	}
	if err := b.in.Check(int(total)); err != nil {
		return 0, 0, err
	}
	// Every page takes a word in the header and at least MinPageSize bytes.
	if rest := size - 2*gdeflateWord; pages > uint64(rest/(gdeflateWord+gdeflate.MinPageSize)) {
		return 0, 0, fmt.Errorf("%w: %d bytes cannot hold %d pages", codecs.ErrCorrupt, rest, pages)
	}
	if total > pages*gdeflate.PageSize {
		return 0, 0, fmt.Errorf("%w: %d pages cannot hold %d bytes", codecs.ErrCorrupt, pages, total)
	}
	return total, pages, nil
}

func (b *gdeflateBound) AppendDecode(dst, src []byte) ([]byte, error) {
	total, pages, err := b.header(src, int64(len(src)))
	if err != nil {
		return nil, err
	}
	src = src[2*gdeflateWord:]
	d := b.decoders.Get().(*gdeflate.Decoder)
	defer b.decoders.Put(d)
	sizes, data := src[:pages*gdeflateWord], src[pages*gdeflateWord:]
	dst = grow(dst, int(total))
	from := len(dst)
	dst = dst[:from+int(total)]
	for out := dst[from:]; len(sizes) > 0; sizes = sizes[gdeflateWord:] {
		size := binary.LittleEndian.Uint64(sizes)
		if size > uint64(len(data)) {
			return nil, fmt.Errorf("%w: a page of %d bytes, %d are left", codecs.ErrCorrupt, size, len(data))
		}
		n := min(len(out), gdeflate.PageSize)
		if err := d.Decode(out[:n], data[:size]); err != nil {
			return nil, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
		}
		out, data = out[n:], data[size:]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%w: %d bytes behind the last page", codecs.ErrCorrupt, len(data))
	}
	return dst, nil
}

// Verification implements [codecs.Verifier].
func (b *gdeflateBound) Verification() codecs.Verification {
	return codecs.Verification{InPieces: true}
}

// Verify implements [codecs.Verifier]. It checks the stated size and the sizes of the
// pages.
func (b *gdeflateBound) Verify(ctx context.Context, in codecs.Input) error {
	head := make([]byte, min(2*gdeflateWord, in.Size()))
	if err := in.ReadAt(ctx, head, 0); err != nil {
		return err
	}
	_, pages, err := b.header(head, in.Size())
	if err != nil {
		return err
	}
	sizes := make([]byte, pages*gdeflateWord)
	if err := in.ReadAt(ctx, sizes, 2*gdeflateWord); err != nil {
		return err
	}
	left := uint64(in.Size()) - 2*gdeflateWord - uint64(len(sizes))
	for ; len(sizes) > 0; sizes = sizes[gdeflateWord:] {
		size := binary.LittleEndian.Uint64(sizes)
		if size > left {
			return fmt.Errorf("%w: a page of %d bytes, %d are left", codecs.ErrCorrupt, size, left)
		}
		left -= size
	}
	if left > 0 {
		return fmt.Errorf("%w: %d bytes behind the last page", codecs.ErrCorrupt, left)
	}
	return nil
}
