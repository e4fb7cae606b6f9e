package codecs

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/codecs/lz4"
	"github.com/zmigrate/zmigrate/codecs/xz"
	fastzstd "github.com/zmigrate/zmigrate/codecs/zstd"
)

// pieces reads an Input from its beginning to its end, in pieces.
type pieces struct {
	read      func(p []byte, off int64) error
	off, size int64
	err       error // of the Input
}

// Read implements [io.Reader].
func (r *pieces) Read(p []byte) (int, error) {
	n := min(int64(len(p)), r.size-r.off)
	switch {
	case r.err != nil:
		return 0, r.err
	case n == 0:
		return 0, io.EOF
	}
	if r.err = r.read(p[:n], r.off); r.err != nil {
		return 0, r.err
	}
	r.off += n
	return int(n), nil
}

// walk has f read all of an Input and judge it. What f says is ErrCorrupt, unless
// it is the Input that failed.
func walk(ctx context.Context, in Input, f func(*bufio.Reader) error) error {
	size := int(min(in.Size(), VerifyPiece))
	if _, ok := in.(InMemory); ok {
		size = 16 << 10
	}
	from := &pieces{size: in.Size(), read: func(p []byte, off int64) error { return in.ReadAt(ctx, p, off) }}
	err := f(bufio.NewReaderSize(from, size))
	switch {
	case from.err != nil:
		return from.err
	case err != nil:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return nil
}

// all returns the bytes of an Input.
func all(ctx context.Context, in Input) ([]byte, error) {
	if data, ok := in.(InMemory); ok {
		return data, nil
	}
	data := make([]byte, in.Size())
	return data, in.ReadAt(ctx, data, 0)
}

// verifies implements [verifier]: all of these formats have a checksum at the end,
// or may have.
func (b *streamBound) verifies() verification {
	return verification{all: true, sum: true, pieces: true, memory: b.scratch()}
}

// verify implements [verifier]: the stream is decoded, and thrown away.
func (b *streamBound) verify(ctx context.Context, in Input) error {
	decoded := 0
	err := walk(ctx, in, func(from *bufio.Reader) error {
		old, _ := b.readers.Get().(io.Reader)
		r, err := b.reader(old, from)
		if err != nil {
			return err
		}
		defer b.readers.Put(r)
		most := int64(b.in.Max) + 1
		n, err := io.Copy(io.Discard, io.LimitReader(r, most))
		if decoded = int(n); err != nil || n == most {
			return err
		}
		if _, err := from.Peek(1); err == nil {
			return errors.New("there are bytes behind the end")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return decodedSize(b.in, decoded)
}

// usualContent is the size up to which memory is there for content with a checksum
// that the configuration does not tell of.
const usualContent = 16 << 20

// verifies implements [verifier]. It is the content that takes memory where frames
// have a checksum of it, as each tells by itself.
func (b *zstdBound) verifies() verification {
	v := verification{all: true, sum: b.checksum, pieces: b.in.Unbounded}
	if b.decodes() && !b.in.Unbounded {
		v.memory = b.in.Max
	}
	return v
}

// decodes tells whether a checksum of the content is compared if there is one.
func (b *zstdBound) decodes() bool {
	return b.checksum || b.in.Unbounded || b.in.Max <= usualContent
}

// verify implements [verifier]: by the headers of frames and blocks. Where there
// is a checksum of the content, that is decoded, and thrown away.
func (b *zstdBound) verify(ctx context.Context, in Input) error {
	var content fastzstd.Content
	err := walk(ctx, in, func(r *bufio.Reader) (err error) {
		content, err = fastzstd.Frames(r)
		return err
	})
	switch {
	case err != nil:
		return err
	case content.Size > int64(b.in.Max):
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, content.Size, b.in.Max)
	case content.Checksum && b.in.Unbounded:
		return b.decodeAway(ctx, in)
	case content.Checksum && b.decodes():
		data, err := all(ctx, in)
		if err == nil {
			_, err = b.AppendDecode(nil, data)
		}
		return err
	case content.Size >= 0:
		return decodedSize(b.in, int(content.Size))
	}
	return nil
}

// decodeAway decodes frames with no more of them in memory than their window.
func (b *zstdBound) decodeAway(ctx context.Context, in Input) error {
	return walk(ctx, in, func(from *bufio.Reader) error {
		r, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(b.in.Max)))
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(io.Discard, r)
		return err
	})
}

// verifies implements [verifier].
func (b *lz4Bound) verifies() verification { return verification{all: true, pieces: true} }

// verify implements [verifier]: by the stated size, and by the sequences.
func (b *lz4Bound) verify(ctx context.Context, in Input) error {
	head := make([]byte, lz4Header)
	if in.Size() < lz4Header {
		_, err := b.AppendDecode(nil, head[:in.Size()])
		return err
	}
	if err := in.ReadAt(ctx, head, 0); err != nil {
		return err
	}
	stated := int64(binary.LittleEndian.Uint32(head))
	if err := decodedSize(b.in, int(stated)); err != nil {
		return err
	}
	if stated == 0 && in.Size() <= lz4Header+1 {
		data, err := all(ctx, in)
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

// verifies implements [verifier].
func (b *checksumBound) verifies() verification {
	return verification{all: true, sum: true, pieces: b.sum.pieces != nil}
}

// verifies implements [verifier].
func (b *bloscBound) verifies() verification { return verification{pieces: true} }

// verifies implements [verifier].
func (b *lzmaBound) verifies() verification {
	return verification{all: true, sum: b.options.Check != xz.None, memory: 2 * b.in.Max} // the content, and what repetitions reach back to
}

// verify implements [verifier]: the stream is decoded, and thrown away.
func (b *lzmaBound) verify(ctx context.Context, in Input) error {
	data, err := all(ctx, in)
	if err == nil {
		_, err = b.AppendDecode(nil, data)
	}
	return err
}
