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

// readBody fills p with all of a body, and reads on to its end: there, and often with
// the last bytes, clients say that the checksum of an answer is another.
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

// answerSums is what an answer says of all bytes of an object; its zero value is nothing.
type answerSums struct {
	crc Sum
	md5 []byte
	// guess is set where the MD5 may be something else: most servers have it for the
	// ETag of an object that came in one piece.
	guess bool
}

// headerSums is what the header of a whole object says. Google Cloud Storage tells
// the checksum of what it stores, which is another where it sends the contents of that.
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

// etagKind is what a server has shown of its ETags: 0 nothing, 1 that they are the MD5
// of objects, -1 that they are not.
type etagKind struct{ atomic.Int32 }

// compare fails where the bytes of an object are not those that its answer told of. It
// is a failure that passes, as one on the way. An ETag that is not the MD5 is one only
// where another object of the server had it.
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
