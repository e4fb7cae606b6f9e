//go:build !nogcs

package gcs

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// unit divides the size of each piece of a resumable upload, except the last one.
const unit = 256 << 10

// InOrder is true, because the session of a resumable upload takes bytes in their order.
func (u *objects) InOrder() bool { return true }

func (u *objects) PartSize(int) int { return bucket.PartBytes }

// Sweep has nothing to do: a session that was given up is in no list, costs nothing and
// ends after a week.
func (u *objects) Sweep(context.Context, string, driver.Requester) error { return nil }

// PutWhole sends the description of the object and its bytes as two parts of one body.
func (u *objects) PutWhole(ctx context.Context, key string, data []byte, when driver.Condition) (string, error) {
	description, err := json.Marshal(map[string]string{
		"name": key, "contentType": bucket.ObjectType, "crc32c": sumText(crc32.Checksum(data, remote.Castagnoli)),
	})
	if err != nil {
		return "", err
	}
	boundary := rand.Text()
	head := "--" + boundary + "\r\nContent-Type: application/json\r\n\r\n" + string(description) +
		"\r\n--" + boundary + "\r\nContent-Type: " + bucket.ObjectType + "\r\n\r\n"
	tail := "\r\n--" + boundary + "--\r\n"
	_, made, err := u.describe(ctx, request{
		method: http.MethodPost,
		target: u.uploads("multipart", key, when),
		header: http.Header{"Content-Type": {"multipart/related; boundary=" + boundary}},
		body:   [][]byte{[]byte(head), data, []byte(tail)},
	})
	if err != nil {
		return "", putError(err)
	}
	if made.Name == "" {
		return "", remote.NotGenuine(remote.GcsProvider, nil)
	}
	return made.version(), nil
}

// uploads returns the URL where an upload begins.
func (u *objects) uploads(kind, key string, when driver.Condition) string {
	q := url.Values{"uploadType": {kind}, "name": {key}}
	setCondition(q, when)
	return u.service + "/upload/storage/v1/b/" + url.PathEscape(u.bucket) + "/o?" + q.Encode()
}

// setCondition adds a condition to the query of a request.
func setCondition(q url.Values, when driver.Condition) {
	if number, ok := remote.Decimal(when.Version); ok || when.Absent { // generation 0 stands for no object
		q.Set("ifGenerationMatch", strconv.FormatInt(number, 10))
	}
}

// putError returns the error of storing an object. An answer of 412 means that the
// condition does not hold, 404 that the bucket does not exist.
func putError(err error) error {
	if answer, ok := errors.AsType[*refusal](err); ok && answer.code == http.StatusPreconditionFailed {
		return driver.Conflict(err)
	}
	return aboutBucket(err)
}

func (u *objects) Start(ctx context.Context, key string, when driver.Condition) (driver.Upload, error) {
	answer, _, err := u.describe(ctx, request{
		method: http.MethodPost,
		target: u.uploads("resumable", key, when),
		header: http.Header{"X-Upload-Content-Type": {bucket.ObjectType}},
	})
	if err != nil {
		return nil, putError(err)
	}
	session := answer.header.Get("Location")
	if session == "" {
		return nil, remote.NotGenuine(remote.GcsProvider, nil)
	}
	return &upload{to: u, session: session}, nil
}

// upload is a resumable upload. Its session takes bytes in order and in
// multiples of unit, so the end of the last part waits for Complete.
type upload struct {
	to      *objects
	session string // the session's URL: a secret, because it is enough to write the object
	begun   int64  // bytes of the parts so far, without the tail
	tail    []byte // the end of the last part
	sum     uint32 // CRC-32C of both
	at      int64  // bytes that the server has, unless doubt is set
	doubt   bool   // a request failed: the server may have stored some of its bytes
	version string // of the object, once the upload is done
}

func (w *upload) Part(ctx context.Context, _ int, data []byte) error {
	whole := data[:len(data)&^(unit-1)]
	end := w.begun + int64(len(whole))
	for w.doubt || w.at < end {
		before := w.at
		var rest []byte // empty: asks how many bytes the server has
		if !w.doubt {
			rest = whole[w.at-w.begun:]
		}
		done, err := w.put(ctx, rest, "*")
		switch {
		case err != nil:
			return err
		case done, w.at < w.begun, w.at > end:
			return fmt.Errorf("the server has %d bytes of an upload, and %d to %d were sent", w.at, w.begun, end)
		case len(rest) > 0 && w.at == before:
			return driver.ConnectionError{Cause: errors.New("the server takes none of what is sent")}
		}
	}
	w.begun, w.tail, w.sum = end, bytes.Clone(data[len(whole):]), crc32.Update(w.sum, remote.Castagnoli, data)
	return nil
}

// Complete sends the tail, which may be empty, and the size of the object. The condition
// was given when the session began.
func (w *upload) Complete(ctx context.Context, _ driver.Condition) (string, error) {
	size := w.begun + int64(len(w.tail))
	total := strconv.FormatInt(size, 10)
	if w.doubt {
		if done, err := w.put(ctx, nil, total); done || err != nil {
			return w.version, putError(err)
		}
	}
	if w.at != w.begun {
		return "", fmt.Errorf("the server has %d bytes of an upload, %d were sent", w.at, w.begun)
	}
	done, err := w.put(ctx, w.tail, total)
	if err == nil && !done {
		err = driver.ConnectionError{Cause: fmt.Errorf("the server has %d of %d bytes", w.at, size)}
	}
	return w.version, putError(err)
}

// put sends the bytes after those that the server has. If data is empty, it only asks how
// many bytes the server has. total is the size of the object, or "*" if the upload is to
// go on. The upload is done when the server has total bytes.
func (w *upload) put(ctx context.Context, data []byte, total string) (done bool, err error) {
	span := "bytes */" + total
	if len(data) > 0 {
		span = fmt.Sprintf("bytes %d-%d/%s", w.at, w.at+int64(len(data))-1, total)
	}
	header := http.Header{"Content-Range": {span}}
	sum := sumText(w.sum)
	if total != "*" {
		header.Set("X-Goog-Hash", "crc32c="+sum)
	}
	w.doubt = true
	a, made, err := w.to.describe(ctx, request{method: http.MethodPut, target: w.session, header: header, body: [][]byte{data}})
	if err != nil {
		return false, err
	}
	w.doubt = false
	if a.status != http.StatusPermanentRedirect {
		if made.Size == "" {
			w.doubt = true
			return false, remote.NotGenuine(remote.GcsProvider, nil)
		}
		if (made.Size != total && total != "*") || made.CRC32C != "" && made.CRC32C != sum {
			return true, fmt.Errorf("the server has stored %s bytes with the CRC-32C %s, but %s bytes with %s were sent", made.Size, made.CRC32C, total, sum)
		}
		w.version = made.version()
		return true, nil
	}
	w.at = 0
	if span := a.header.Get("Range"); span != "" {
		last, ok := remote.Decimal(strings.TrimPrefix(span, "bytes=0-"))
		if !ok {
			return false, fmt.Errorf("the server has the range %.60q of an upload", span)
		}
		w.at = last + 1
	}
	return false, nil
}

// Abort ends the session, if it still exists. The server answers 499.
func (w *upload) Abort(ctx context.Context) error {
	_, _, err := w.to.describe(ctx, request{method: http.MethodDelete, target: w.session})
	if answer, ok := errors.AsType[*refusal](err); ok && answer.code < 500 && !w.to.Answer(err).Transient() {
		return nil
	}
	return err
}
