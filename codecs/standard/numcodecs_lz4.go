package standard

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sync"

	peer "github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/lz4"
)

// numcodecsLZ4Definition is the codec "numcodecs.lz4". It stores the size of the
// content as a little-endian uint32, and then one block in the LZ4 block format.
func numcodecsLZ4Definition() codecs.Definition {
	return codecs.Definition{
		Name: "numcodecs.lz4", Aliases: []string{"lz4"}, Kind: codecs.KindBytesToBytes,
		Summary: "LZ4: very fast, for chunks of less than 2 GiB",
		Fields: []codecs.Field{{
			Name: "acceleration", Type: "integer", Default: "1",
			Doc: "the larger, the faster and the less compressed; less than 1 means 1",
		}},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := struct {
				Acceleration int `json:"acceleration"`
			}{Acceleration: 1}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Acceleration < math.MinInt32 || c.Acceleration > math.MaxInt32 {
				return nil, codecs.Fieldf("acceleration", "%d: want %d to %d", c.Acceleration, math.MinInt32, math.MaxInt32)
			}
			return lz4Codec{c.Acceleration}, nil
		},
	}
}

const (
	// lz4Header is the length of the stored size.
	lz4Header = 4
	// lz4Most is the most bytes that the LZ4 library encodes as one block.
	lz4Most = 0x7e000000
	// lz4Expansion is more than a block can expand: a byte stands for at most 255
	// bytes.
	lz4Expansion = 255
)

type lz4Codec struct{ acceleration int }

func (c lz4Codec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	if in.Max > lz4Most && !in.Unbounded {
		return nil, lz4TooLong(in.Max)
	}
	b := &lz4Bound{lz4Codec: c, in: in}
	b.encoders.New = func() any { return new(lz4.Encoder) }
	return b, nil
}

func lz4TooLong(n int) error {
	return fmt.Errorf("LZ4 takes at most %d bytes, not %d: make chunks smaller", lz4Most, n)
}

type lz4Bound struct {
	lz4Codec
	in       codecs.Size
	encoders sync.Pool // of *lz4.Encoder
}

func (b *lz4Bound) Spec() codecs.Spec {
	return codecs.Spec{Name: "numcodecs.lz4", Configuration: fmt.Appendf(nil, `{"acceleration":%d}`, b.acceleration)}
}

func (b *lz4Bound) Size() codecs.Size {
	return codecs.Size{Max: lz4Header + lz4.MaxEncodedSize(b.in.Max), Unbounded: b.in.Unbounded}
}

func (b *lz4Bound) AppendEncode(dst, src []byte) ([]byte, error) {
	if len(src) > lz4Most {
		return nil, lz4TooLong(len(src))
	}
	e := b.encoders.Get().(*lz4.Encoder)
	defer b.encoders.Put(e)
	room := lz4.MaxEncodedSize(len(src))
	dst = binary.LittleEndian.AppendUint32(grow(dst, lz4Header+room), uint32(len(src)))
	n := e.Encode(dst[len(dst):len(dst)+room], src, max(b.acceleration, 1))
	return dst[:len(dst)+n], nil
}

func (b *lz4Bound) AppendDecode(dst, src []byte) ([]byte, error) {
	if len(src) < lz4Header {
		return nil, fmt.Errorf("%w: %d bytes do not hold a size", codecs.ErrCorrupt, len(src))
	}
	n, block := int(binary.LittleEndian.Uint32(src)), src[lz4Header:]
	if err := b.in.Check(n); err != nil {
		return nil, err
	}
	if n > lz4Expansion*len(block) {
		return nil, fmt.Errorf("%w: lz4: %d bytes cannot expand to %d", codecs.ErrCorrupt, len(block), n)
	}
	if n == 0 {
		// The library fails if it has no memory to write to.
		if len(block) > 1 || len(block) == 1 && block[0] != 0 {
			return nil, fmt.Errorf("%w: lz4: a block of %d bytes stands for no content", codecs.ErrCorrupt, len(block))
		}
		return dst, nil
	}
	dst = grow(dst, n)
	from := len(dst)
	dst = dst[:from+n]
	// The capacity is limited, because the library would write behind the slice.
	switch got, err := peer.UncompressBlock(block, dst[from:from+n:from+n]); {
	case err != nil:
		return nil, fmt.Errorf("%w: lz4: %w", codecs.ErrCorrupt, err)
	case got != n:
		return nil, fmt.Errorf("%w: lz4: decodes to %d bytes, not %d as stated", codecs.ErrCorrupt, got, n)
	}
	return dst, nil
}

// DecodedLength implements [codecs.DecodedSized].
func (b *lz4Bound) DecodedLength(src []byte) (int, error) {
	if len(src) < lz4Header {
		return 0, nil // AppendDecode refuses it
	}
	n := int(binary.LittleEndian.Uint32(src))
	return min(n, lz4Expansion*len(src)), nil
}

// Verification implements [codecs.Verifier].
func (b *lz4Bound) Verification() codecs.Verification {
	v := codecs.Verification{All: true, InPieces: true}
	if b.in.Unbounded {
		v.Memory = codecs.VerifyPiece
	}
	return v
}

// Verify implements [codecs.Verifier]. It checks the stored size and the sequences.
func (b *lz4Bound) Verify(ctx context.Context, in codecs.Input) error {
	head := make([]byte, lz4Header)
	if in.Size() < lz4Header {
		_, err := b.AppendDecode(nil, head[:in.Size()])
		return err
	}
	if err := in.ReadAt(ctx, head, 0); err != nil {
		return err
	}
	stated := int64(binary.LittleEndian.Uint32(head))
	if err := b.in.Check(int(stated)); err != nil {
		return err
	}
	if stated == 0 && in.Size() <= lz4Header+1 {
		data, err := codecs.ReadAll(ctx, in)
		if err == nil {
			_, err = b.AppendDecode(nil, data)
		}
		return err
	}
	return walk(ctx, in, func(r *bufio.Reader) error {
		if _, err := r.Discard(lz4Header); err != nil {
			return err
		}
		n, err := lz4.DecodedSize(r, stated)
		if err == nil && n != stated {
			err = fmt.Errorf("lz4: decodes to %d bytes, not %d as stated", n, stated)
		}
		return err
	})
}

// VerifyInto implements [codecs.Streaming] for short content.
func (b *lz4Bound) VerifyInto(ctx context.Context, in codecs.Input, to io.WriteCloser) error {
	if err := b.Verify(ctx, in); err != nil || in.Size() > codecs.VerifyPiece {
		return err
	}
	data, err := codecs.ReadAll(ctx, in)
	if err != nil || len(data) < lz4Header || binary.LittleEndian.Uint32(data) > codecs.VerifyPiece {
		return err
	}
	content, err := b.AppendDecode(nil, data)
	if err != nil {
		return err
	}
	if _, err := to.Write(content); err != nil {
		return err
	}
	return to.Close()
}
