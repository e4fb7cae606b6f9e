package codecs

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/codecs/blosc"
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
	case err != nil && !errors.Is(err, ErrCorrupt):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
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
func (b *streamBound) verify(ctx context.Context, in Input) error { return b.verifyInto(ctx, in, nil) }

// verifyInto implements [streamer].
func (b *streamBound) verifyInto(ctx context.Context, in Input, to *vlenCheck) error {
	decoded := 0
	err := walk(ctx, in, func(from *bufio.Reader) error {
		old, _ := b.readers.Get().(io.Reader)
		r, err := b.reader(old, from)
		if err != nil {
			return err
		}
		defer b.readers.Put(r)
		most := int64(b.in.Max) + 1
		n, err := io.Copy(to.writer(), io.LimitReader(r, most))
		if decoded = int(n); err != nil || n == most {
			return err
		}
		if _, err := from.Peek(1); err == nil {
			return errors.New("there are bytes behind the end")
		}
		return to.end()
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
// have a checksum of it, or tell no size, as each tells by itself.
func (b *zstdBound) verifies() verification {
	v := verification{all: true, sum: b.checksum, pieces: b.in.Unbounded}
	switch {
	case b.in.Unbounded:
	case b.atOnce():
		v.memory = b.in.Max
	default:
		v.memory = usualContent
	}
	return v
}

// atOnce tells whether content that is decoded for verify has memory for all of it.
func (b *zstdBound) atOnce() bool {
	return !b.in.Unbounded && (b.checksum || b.in.Max <= usualContent)
}

// verify implements [verifier]: by the headers of frames and blocks. Where there
// is a checksum of the content, or where nothing tells its size, that is decoded, and
// thrown away.
func (b *zstdBound) verify(ctx context.Context, in Input) error { return b.verifyInto(ctx, in, nil) }

// verifyInto implements [streamer].
func (b *zstdBound) verifyInto(ctx context.Context, in Input, to *vlenCheck) error {
	if to != nil {
		return b.decodeAway(ctx, in, to)
	}
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
	case content.Size >= 0:
		err = decodedSize(b.in, int(content.Size))
	}
	switch {
	case err != nil || !content.Checksum && (content.Size >= 0 || !b.in.Fixed):
		return err
	case b.atOnce():
		data, err := all(ctx, in)
		if err == nil {
			_, err = b.AppendDecode(nil, data)
		}
		return err
	}
	return b.decodeAway(ctx, in, nil)
}

// decodeAway decodes frames with no more of them in memory than their window, which
// is at most usualContent unless nothing bounds the content. Frames with a longer one
// are not decoded.
func (b *zstdBound) decodeAway(ctx context.Context, in Input, to *vlenCheck) error {
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
		n, err := io.Copy(to.writer(), r)
		if decoded = int(n); err != nil {
			return err
		}
		return to.end()
	})
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded) && !b.in.Unbounded:
		return nil
	case err != nil:
		return err
	}
	return decodedSize(b.in, decoded)
}

// verifies implements [verifier].
func (b *lz4Bound) verifies() verification {
	v := verification{all: true, pieces: true}
	if b.in.Unbounded {
		v.memory = VerifyPiece
	}
	return v
}

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

// verifyInto implements [streamer], for content that is short enough.
func (b *lz4Bound) verifyInto(ctx context.Context, in Input, to *vlenCheck) error {
	if err := b.verify(ctx, in); err != nil || in.Size() > VerifyPiece {
		return err
	}
	data, err := all(ctx, in)
	if err != nil || len(data) < lz4Header || binary.LittleEndian.Uint32(data) > VerifyPiece {
		return err
	}
	content, err := b.AppendDecode(nil, data)
	if err != nil {
		return err
	}
	return to.all(content)
}

// verifies implements [verifier].
func (b *checksumBound) verifies() verification {
	return verification{all: true, sum: true, pieces: b.sum.pieces != nil}
}

// without returns what the checksum in an object is of.
func (b *checksumBound) without(in Input) Input {
	begin, n := int64(0), in.Size()-checksumSize
	if b.front {
		begin = checksumSize
	}
	if data, ok := in.(InMemory); ok {
		return data[begin:][:n]
	}
	return section{in, begin, n}
}

// verifies implements [verifier].
func (b *bloscBound) verifies() verification {
	v := verification{pieces: true, all: b.in.Unbounded}
	if b.in.Unbounded {
		v.memory = VerifyPiece
	}
	return v
}

// verifyInto implements [streamer], for buffers that are in memory: blocks are decoded
// one after the other, and thrown away.
func (b *bloscBound) verifyInto(ctx context.Context, in Input, to *vlenCheck) error {
	data, ok := in.(InMemory)
	if err := b.verify(ctx, in); err != nil || !ok {
		return err
	}
	h, err := blosc.ParseHeader(data)
	if err != nil || h.BlockSize > VerifyPiece {
		return bloscError(err)
	}
	step := max(h.BlockSize, VerifyPiece/max(h.BlockSize, 1)*h.BlockSize)
	buffer := make([]byte, min(step, h.Size))
	for at := 0; at < h.Size; at += step {
		piece := buffer[:min(step, h.Size-at)]
		if err := b.decoder.DecodeRange(piece, data, at); err != nil {
			return bloscError(err)
		}
		if _, err := to.Write(piece); err != nil {
			return err
		}
	}
	return to.end()
}

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

// verifies implements [verifier]: what was applied to a chunk is undone.
func (b *conditionalBound) verifies() verification {
	return verification{all: true, sum: true, memory: b.scratch() + b.in.Max}
}

// verify implements [verifier].
func (b *conditionalBound) verify(ctx context.Context, in Input) error {
	data, err := all(ctx, in)
	if err == nil {
		_, err = b.AppendDecode(nil, data)
	}
	return err
}

// verifies implements [verifier].
func (b *gdeflateBound) verifies() verification { return verification{pieces: true} }

// verify implements [verifier]: by the stated size, and by the sizes of the pages.
func (b *gdeflateBound) verify(ctx context.Context, in Input) error {
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
			return fmt.Errorf("%w: a page of %d bytes, %d are left", ErrCorrupt, size, left)
		}
		left -= size
	}
	if left > 0 {
		return fmt.Errorf("%w: %d bytes behind the last page", ErrCorrupt, left)
	}
	return nil
}

// verifies implements [verifier]. Blocks are small enough to be in memory.
func (b *n5Bound) verifies() verification {
	return verification{all: true, sum: true, memory: b.chain.VerifyMemory(true)}
}

// verify implements [verifier]: by the header, and as the chain of the elements does.
func (b *n5Bound) verify(ctx context.Context, in Input) error {
	data, err := all(ctx, in)
	if err != nil {
		return err
	}
	chain, data, err := b.open(data)
	if err != nil {
		return err
	}
	return chain.Verify(ctx, InMemory(data))
}
