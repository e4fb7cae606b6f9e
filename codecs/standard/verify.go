package standard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/zmigrate/zmigrate/codecs"
)

// pieces reads an Input from its beginning to its end, piece by piece.
type pieces struct {
	read      func(p []byte, off int64) error
	off, size int64
	err       error // the error of the Input
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

// walk lets f read a whole Input and check it. An error of f is ErrCorrupt, but an
// error of the Input is returned as it is.
func walk(ctx context.Context, in codecs.Input, f func(*bufio.Reader) error) error {
	size := int(min(in.Size(), codecs.VerifyPiece))
	if _, ok := in.(codecs.InMemory); ok {
		size = 16 << 10
	}
	from := &pieces{size: in.Size(), read: func(p []byte, off int64) error { return in.ReadAt(ctx, p, off) }}
	err := f(bufio.NewReaderSize(from, size))
	switch {
	case from.err != nil:
		return from.err
	case err != nil && !errors.Is(err, codecs.ErrCorrupt):
		return fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return err
}

// discard is a writer for content that nobody needs.
type discard struct{}

func (discard) Write(p []byte) (int, error)         { return len(p), nil }
func (discard) ReadFrom(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) }
func (discard) Close() error                        { return nil }
