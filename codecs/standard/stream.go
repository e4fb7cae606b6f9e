package standard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/inflate"
)

// streamCodec is a bytes → bytes codec whose compressor is a writer and whose
// decompressor is a reader.
type streamCodec struct {
	spec codecs.Spec
	// most returns the most bytes that n bytes can become.
	most func(n int) int
	// memory, if not nil, returns how many bytes the compressor takes for n bytes. The
	// decompressor takes less. It is nil if both take less than a MiB.
	memory func(n int) int
	// writer returns a new compressor. The compressor is reset before each use.
	writer func() streamWriter
	// reader returns a reader of the one stream in r. old is nil, or a reader that is
	// no longer needed and may be used again.
	reader func(old io.Reader, r io.Reader) (io.Reader, error)
	// whole, if not nil, decodes src, all of which is one stream, into dst. It is faster
	// than reader, and for content whose length is known.
	whole func(d *inflate.Decoder, dst, src []byte) (int, error)
}

type streamWriter interface {
	io.WriteCloser
	Reset(w io.Writer) error
}

func (c streamCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	b := &streamBound{streamCodec: c, in: in}
	b.writers.New = func() any { return c.writer() }
	return b, nil
}

type streamBound struct {
	streamCodec
	in      codecs.Size
	writers sync.Pool // of streamWriter
	readers sync.Pool // of io.Reader
	wholes  sync.Pool // of *inflate.Decoder
}

func (b *streamBound) Spec() codecs.Spec { return b.spec }

func (b *streamBound) Size() codecs.Size {
	return codecs.Size{Max: b.most(b.in.Max), Unbounded: b.in.Unbounded}
}

func (b *streamBound) Scratch() int {
	if b.memory == nil {
		return 0
	}
	return b.memory(b.in.Max)
}

func (b *streamBound) AppendEncode(dst, src []byte) ([]byte, error) {
	w := b.writers.Get().(streamWriter)
	defer b.writers.Put(w)
	out := appender{dst}
	err := w.Reset(&out)
	if err == nil {
		_, err = w.Write(src)
	}
	if err == nil {
		err = w.Close()
	}
	return out.b, err
}

func (b *streamBound) AppendDecode(dst, src []byte) ([]byte, error) {
	// A short stream gets no large buffer.
	if b.whole != nil && b.in.Fixed && b.in.Max/inflate.MostRatio <= len(src) {
		return b.appendWhole(dst, src)
	}
	in := bytes.NewReader(src)
	old, _ := b.readers.Get().(io.Reader)
	r, err := b.reader(old, in)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	out, err := appendRead(dst, r, b.in)
	if err != nil {
		return nil, err
	}
	b.keep(r)
	if in.Len() > 0 {
		return nil, fmt.Errorf("%w: %d bytes behind the end", codecs.ErrCorrupt, in.Len())
	}
	return out, nil
}

// keep keeps a reader for later streams. It must have come to the end of its stream: that of
// bzip2 would give bytes that nobody has read to the reader of the next stream.
func (b *streamBound) keep(r io.Reader) { b.readers.Put(r) }

// appendWhole is AppendDecode for a length that is known.
func (b *streamBound) appendWhole(dst, src []byte) ([]byte, error) {
	d, ok := b.wholes.Get().(*inflate.Decoder)
	if !ok {
		d = new(inflate.Decoder)
	}
	defer b.wholes.Put(d)
	from := len(dst)
	dst = grow(dst, b.in.Max)
	n, err := b.whole(d, dst[from:from+b.in.Max], src)
	switch {
	case errors.Is(err, inflate.ErrTooLarge):
		return nil, fmt.Errorf("%w: more than %d bytes", codecs.ErrTooLarge, b.in.Max)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return dst[:from+n], b.in.Check(n)
}

// DecodedLength implements [codecs.DecodedSized]. It decodes everything and keeps
// nothing, which takes time but no memory.
func (b *streamBound) DecodedLength(src []byte) (int, error) {
	old, _ := b.readers.Get().(io.Reader)
	r, err := b.reader(old, bytes.NewReader(src))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	n, err := lengthOf(r, b.in)
	if err == nil {
		b.keep(r)
	}
	return n, err
}

// lengthOf counts the bytes that r returns, at most want.
func lengthOf(r io.Reader, want codecs.Size) (int, error) {
	n, err := io.Copy(io.Discard, io.LimitReader(r, int64(want.Max)+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	case n > int64(want.Max):
		return 0, fmt.Errorf("%w: more than %d bytes", codecs.ErrTooLarge, want.Max)
	}
	return int(n), nil
}

// Verification implements [codecs.Verifier]. All these formats have a checksum at the
// end, or may have one.
func (b *streamBound) Verification() codecs.Verification {
	return codecs.Verification{All: true, Checksum: true, InPieces: true, Memory: b.Scratch()}
}

// Verify implements [codecs.Verifier]. It decodes the stream and keeps nothing.
func (b *streamBound) Verify(ctx context.Context, in codecs.Input) error {
	return b.VerifyInto(ctx, in, discard{})
}

// VerifyInto implements [codecs.Streaming].
func (b *streamBound) VerifyInto(ctx context.Context, in codecs.Input, to io.WriteCloser) error {
	decoded := 0
	err := walk(ctx, in, func(from *bufio.Reader) error {
		old, _ := b.readers.Get().(io.Reader)
		r, err := b.reader(old, from)
		if err != nil {
			return err
		}
		most := int64(b.in.Max) + 1
		n, err := io.Copy(to, io.LimitReader(r, most))
		if decoded = int(n); err != nil || n == most {
			return err
		}
		b.keep(r)
		if _, err := from.Peek(1); err == nil {
			return errors.New("there are bytes behind the end")
		}
		return to.Close()
	})
	if err != nil {
		return err
	}
	return b.in.Check(decoded)
}
