package remote

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the MD5 that the server compares or tells; it guards against accidents
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Castagnoli is the polynomial of the checksums of Google Cloud Storage.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ReadBody fills p with all of a body, and reads on to the end of the body. Clients
// report a wrong checksum only there, or with the last bytes.
func ReadBody(body io.Reader, p []byte) error {
	var more [1]byte
	for n := 0; ; {
		room := p[n:]
		if len(room) == 0 {
			room = more[:]
		}
		m, err := body.Read(room)
		switch {
		case m > 0 && n == len(p):
			return fmt.Errorf("there are more than %d bytes", len(p))
		case errors.Is(err, io.EOF) && n+m < len(p):
			return io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		n += m
	}
}

// AnswerSums holds the checksums that an answer has of all bytes of an object. The zero
// value holds none.
type AnswerSums struct {
	Crc driver.Sum
	Md5 []byte
	// Guess is set if Md5 is an ETag, which may be something else than the MD5. On most
	// servers the ETag of an object that was stored in one piece is its MD5.
	Guess bool
}

// HeaderSums returns the checksums in the header of a whole object. Google Cloud Storage
// sends the checksum of the stored bytes. If it decompresses what it sends, that checksum
// does not apply.
func HeaderSums(header http.Header) (sums AnswerSums) {
	if encoding := header.Get("X-Goog-Stored-Content-Encoding"); encoding == "" || encoding == "identity" {
		for text := range strings.SplitSeq(strings.Join(header.Values("X-Goog-Hash"), ","), ",") {
			value, ok := strings.CutPrefix(strings.TrimSpace(text), "crc32c=")
			if sum, err := base64.StdEncoding.DecodeString(value); ok && err == nil && len(sum) == 4 {
				sums.Crc = driver.Sum{Table: Castagnoli, Value: binary.BigEndian.Uint32(sum)}
			}
		}
	}
	if sum, err := base64.StdEncoding.DecodeString(header.Get("Content-MD5")); err == nil && len(sum) == md5.Size {
		sums.Md5 = sum
	}
	return sums
}

// EtagKind is what is known of a server's ETags: 0 nothing, 1 that an ETag is the MD5
// of its object, -1 that it is not.
type EtagKind struct{ atomic.Int32 }

// Compare compares the bytes of an object with the checksums of the answer. The error is
// transient, as for bytes that were damaged on the way. An ETag that differs from the MD5
// is an error only if another object of the server had its MD5 as its ETag.
func (g *EtagKind) Compare(data []byte, sums AnswerSums) error {
	if t := sums.Crc.Table; t != nil {
		if got := crc32.Checksum(data, t); got != sums.Crc.Value {
			return damagedBody("CRC-32C", got, sums.Crc.Value)
		}
		return nil
	}
	if sums.Md5 == nil || sums.Guess && g.Load() < 0 {
		return nil
	}
	got := md5.Sum(data) //nolint:gosec // as above
	same := bytes.Equal(got[:], sums.Md5)
	if sums.Guess && same {
		g.CompareAndSwap(0, 1)
	}
	if same || sums.Guess && (g.CompareAndSwap(0, -1) || g.Load() < 0) {
		return nil
	}
	return damagedBody("MD5", got, sums.Md5)
}

func damagedBody(name string, got, want any) error {
	return driver.ConnectionError{Cause: fmt.Errorf("the bytes that came have the %s %08x, the server says %08x", name, got, want)}
}
