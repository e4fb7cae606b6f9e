package arrow

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/zmigrate/zmigrate/sources"
)

// windowBytes is the size of a read of a file's metadata. The end of the file is read
// first: for most files this request has the whole footer.
const windowBytes = 64 << 10

// maxMetadata bounds the footer of a file and the metadata of a message.
const maxMetadata = 256 << 20

// file reads the metadata of a file through a window, which holds the bytes that were
// read last.
type file struct {
	*sources.OpenFile
	window []byte
	at     int64 // beginning of the window in the file
}

// bytes returns n bytes of the file, from the window or from a new window that begins
// at them. They must not be modified.
func (f *file) bytes(ctx context.Context, at int64, n int) ([]byte, error) {
	if at < 0 || n < 0 || n > maxMetadata || at > f.Size-int64(n) {
		return nil, fmt.Errorf("%d bytes of metadata at byte %d of %d: %w", n, at, f.Size, io.ErrUnexpectedEOF)
	}
	if at < f.at || at+int64(n) > f.at+int64(len(f.window)) {
		if err := f.read(ctx, at, int(min(f.Size-at, int64(max(n, windowBytes))))); err != nil {
			return nil, err
		}
	}
	return f.window[at-f.at:][:n], nil
}

// footer returns the footer of a file that ends with the footer, the length of the footer as
// 32 bits, and the magic bytes. The file is at least as long as the last two. An impossible
// length is an error that wraps corrupt.
func (f *file) footer(ctx context.Context, magic string, corrupt error) ([]byte, error) {
	end := f.Size - int64(4+len(magic))
	bits, err := f.bytes(ctx, end, 4)
	if err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(bits))
	if length > min(maxMetadata, end) {
		return nil, fmt.Errorf("%w: a footer of %d bytes in a file of %d", corrupt, length, f.Size)
	}
	return f.bytes(ctx, end-length, int(length))
}

// exactly returns n bytes without a new window. It may be called concurrently.
func (f *file) exactly(ctx context.Context, at int64, n int) ([]byte, error) {
	if n > maxMetadata {
		return nil, fmt.Errorf("%d bytes of metadata at byte %d, more than %d", n, at, maxMetadata)
	}
	if at >= f.at && at+int64(n) <= f.at+int64(len(f.window)) {
		return f.window[at-f.at:][:n], nil
	}
	p := make([]byte, n)
	return p, f.Store.ReadRange(ctx, f.Key, p, at)
}

func (f *file) read(ctx context.Context, at int64, n int) error {
	window := make([]byte, n)
	if err := f.Store.ReadRange(ctx, f.Key, window, at); err != nil {
		return err
	}
	f.window, f.at = window, at
	return nil
}

const (
	parquetMagic   = "PAR1"
	encryptedMagic = "PARE"
	ipcMagic       = "ARROW1"
	featherMagic   = "FEA1"
)
