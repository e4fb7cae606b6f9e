package store

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// castagnoli is the polynomial of the checksums of Google Cloud Storage.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// readBody fills p with all of a body, and reads on to the end of the body. Clients
// report a wrong checksum only there, or with the last bytes.
func readBody(body io.Reader, p []byte) error {
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

// answerSums holds the checksums that an answer has of all bytes of an object. The zero
// value holds none.
type answerSums struct {
	crc Sum
	md5 []byte
	// guess is set if md5 is an ETag, which may be something else than the MD5. On most
	// servers the ETag of an object that was stored in one piece is its MD5.
	guess bool
}

// headerSums returns the checksums in the header of a whole object. Google Cloud Storage
// sends the checksum of the stored bytes. If it decompresses what it sends, that checksum
// does not apply.
func headerSums(header http.Header) (sums answerSums) {
	if encoding := header.Get("X-Goog-Stored-Content-Encoding"); encoding == "" || encoding == "identity" {
		for text := range strings.SplitSeq(strings.Join(header.Values("X-Goog-Hash"), ","), ",") {
			value, ok := strings.CutPrefix(strings.TrimSpace(text), "crc32c=")
			if sum, err := base64.StdEncoding.DecodeString(value); ok && err == nil && len(sum) == 4 {
				sums.crc = Sum{castagnoli, binary.BigEndian.Uint32(sum)}
			}
		}
	}
	if sum, err := base64.StdEncoding.DecodeString(header.Get("Content-MD5")); err == nil && len(sum) == md5.Size {
		sums.md5 = sum
	}
	return sums
}

// etagKind is what is known of a server's ETags: 0 nothing, 1 that an ETag is the MD5
// of its object, -1 that it is not.
type etagKind struct{ atomic.Int32 }

// compare compares the bytes of an object with the checksums of the answer. The error is
// transient, as for bytes that were damaged on the way. An ETag that differs from the MD5
// is an error only if another object of the server had its MD5 as its ETag.
func (g *etagKind) compare(data []byte, sums answerSums) error {
	if t := sums.crc.Table; t != nil {
		if got := crc32.Checksum(data, t); got != sums.crc.Value {
			return damagedBody("CRC-32C", got, sums.crc.Value)
		}
		return nil
	}
	if sums.md5 == nil || sums.guess && g.Load() < 0 {
		return nil
	}
	got := md5.Sum(data)
	same := bytes.Equal(got[:], sums.md5)
	if sums.guess && same {
		g.CompareAndSwap(0, 1)
	}
	if same || sums.guess && (g.CompareAndSwap(0, -1) || g.Load() < 0) {
		return nil
	}
	return damagedBody("MD5", got, sums.md5)
}

func damagedBody(name string, got, want any) error {
	return connectionError{fmt.Errorf("the bytes that came have the %s %08x, the server says %08x", name, got, want)}
}
