package kerchunk

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/internal/store"
)

const (
	gzipBegins = "\x1f\x8b"         // RFC 1952, section 2.3.1
	zstdBegins = "\x28\xb5\x2f\xfd" // RFC 8878, section 3.1.1
	// mostExpanded bounds the text of a compressed table. A table with a longer text takes
	// more than mostMemory, or has little but spaces.
	mostExpanded = 4 * mostMemory
	// mostWindow bounds the window of Zstandard: the most that the levels of its program use.
	mostWindow = 128 << 20
)

// Beginning is how many bytes of a file [Begins] wants, if the file has as many: at least a block
// of Zstandard.
const Beginning = 160 << 10

// Compressed reports whether a file with these first bytes is compressed by gzip or Zstandard.
func Compressed(first []byte) bool {
	return bytes.HasPrefix(first, []byte(gzipBegins)) || bytes.HasPrefix(first, []byte(zstdBegins))
}

// Begins reports whether a file with these first bytes may be a table in JSON. Of a compressed
// file, it wants the first [Beginning] bytes.
func Begins(first []byte) bool {
	text, done, err := expanded(bytes.NewReader(first), mostExpanded)
	if err != nil {
		return false
	}
	defer done()
	var begins [16]byte
	n, _ := io.ReadFull(text, begins[:]) // the beginning of a stream is an error at its end
	return strings.HasPrefix(strings.TrimLeft(string(begins[:n]), "\xef\xbb\xbf \t\r\n"), "{")
}

// expanded returns the text of a table, which may be compressed by gzip or Zstandard: the first
// bytes say so. Its reader returns an error behind most bytes. The caller calls done.
func expanded(in io.Reader, most int64) (text io.Reader, done func(), err error) {
	r := bufio.NewReader(in)
	first, _ := r.Peek(len(zstdBegins)) // an error comes again when the text is read
	switch {
	case bytes.HasPrefix(first, []byte(gzipBegins)):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, damaged("gzip: %v", err)
		}
		return &limited{in: z, left: most}, func() {}, nil
	case bytes.HasPrefix(first, []byte(zstdBegins)):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
		if err != nil {
			return nil, nil, damaged("zstd: %v", err)
		}
		return &limited{in: z, left: most}, z.Close, nil
	}
	return r, func() {}, nil
}

// limited is a reader of a compressed text that must not become too long.
type limited struct {
	in   io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("%w: a compressed table of references with more than %d MiB of text: write it as Parquet, which is read in parts", store.ErrTooLarge, mostExpanded>>20)
	}
	return n, err
}
