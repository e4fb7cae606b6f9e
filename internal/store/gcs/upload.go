//go:build !nogcs

package gcs

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// unit divides the size of each piece of a resumable upload, except the last one.
const unit = 256 << 10

// uploader stores objects in a bucket of Google Cloud Storage.
type uploader struct {
	google   *storage.Client
	bucket   *storage.BucketHandle
	client   *http.Client
	sessions string // the URL where resumable uploads begin
}

// InOrder is true, because the session of a resumable upload takes bytes in their order.
func (u *uploader) InOrder() bool { return true }

func (u *uploader) PartSize(int) int { return bucket.PartBytes }

// Sweep has nothing to do: a session that was given up is in no list, costs nothing and
// ends after a week.
func (u *uploader) Sweep(context.Context, string, driver.Requester) error { return nil }

func (u *uploader) PutWhole(ctx context.Context, key string, data []byte, when driver.Condition) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends an upload that has failed
	w := withCondition(u.bucket.Object(key), when).NewWriter(ctx)
	w.ChunkSize = 0 // one request, without a buffer
	w.ContentType = bucket.ObjectType
	w.CRC32C, w.SendCRC32C = crc32.Checksum(data, remote.Castagnoli), true
	if _, err := w.Write(data); err != nil {
		return "", putError(err)
	}
	if err := w.Close(); err != nil {
		return "", putError(err)
	}
	if w.Attrs().Name == "" {
		return "", remote.NotGenuine(remote.GcsProvider, nil)
	}
	return generation(w.Attrs().Generation), nil
}

// withCondition returns a handle whose requests have the condition.
func withCondition(object *storage.ObjectHandle, when driver.Condition) *storage.ObjectHandle {
	if when.Absent {
		return object.If(storage.Conditions{DoesNotExist: true})
	}
	if number, ok := remote.Decimal(when.Version); ok {
		return object.If(storage.Conditions{GenerationMatch: number})
	}
	return object
}

// putError returns the error of storing an object. An answer of 412 means that the
// condition does not hold, 404 that the bucket does not exist.
func putError(err error) error {
	answer, ok := errors.AsType[*googleapi.Error](err)
	switch {
	case ok && answer.Code == http.StatusPreconditionFailed:
		return driver.Conflict(err)
	case ok && answer.Code == http.StatusNotFound:
		return fmt.Errorf("%w: %w", storage.ErrBucketNotExist, err)
	}
	return err
}

func (u *uploader) Start(ctx context.Context, key string, when driver.Condition) (driver.Upload, error) {
	target := u.sessions + "?uploadType=resumable&name=" + url.QueryEscape(key)
	if number, ok := remote.Decimal(when.Version); ok || when.Absent { // generation 0 stands for no object
		target += "&ifGenerationMatch=" + strconv.FormatInt(number, 10)
	}
	answer, err := u.request(ctx, http.MethodPost, target,
		http.Header{"X-Upload-Content-Type": {bucket.ObjectType}}, nil)
	if err != nil {
		return nil, putError(err)
	}
	session := answer.header.Get("Location")
	if session == "" {
		return nil, remote.NotGenuine(remote.GcsProvider, nil)
	}
	return &upload{to: u, session: session}, nil
}

// sessionAnswer is the answer to a request of a session: the status, the headers, and
// what the body says of a finished object.
type sessionAnswer struct {
	status int
	header http.Header
	object struct {
		Size       string `json:"size"`
		CRC32C     string `json:"crc32c"`
		Generation string `json:"generation"`
	}
}

// request sends a request and reads the answer. The answer is a success, or 308 if the
// upload is to go on.
func (u *uploader) request(ctx context.Context, method, target string, header http.Header, body []byte) (a sessionAnswer, err error) {
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return a, errors.New("the server's answer has no valid URL for the session of an upload")
	}
	r.Header = header
	response, err := u.client.Do(r)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if a.status, a.header = response.StatusCode, response.Header; a.status == http.StatusPermanentRedirect {
		return a, nil
	}
	if err := googleapi.CheckResponse(response); err != nil {
		return a, err
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return a, driver.BrokenBody(response.ContentLength, err)
	}
	if len(text) > 0 && json.Unmarshal(text, &a.object) != nil {
		return a, remote.NotGenuine(remote.GcsProvider, nil)
	}
	return a, nil
}

// upload is a resumable upload. Its session takes bytes in order and in
// multiples of unit, so the end of the last part waits for Complete.
type upload struct {
	to      *uploader
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
	sum := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, w.sum))
	if total != "*" {
		header.Set("X-Goog-Hash", "crc32c="+sum)
	}
	w.doubt = true
	a, err := w.to.request(ctx, http.MethodPut, w.session, header, data)
	if err != nil {
		return false, err
	}
	w.doubt = false
	if a.status != http.StatusPermanentRedirect {
		if a.object.Size == "" {
			w.doubt = true
			return false, remote.NotGenuine(remote.GcsProvider, nil)
		}
		if (a.object.Size != total && total != "*") || a.object.CRC32C != "" && a.object.CRC32C != sum {
			return true, fmt.Errorf("the server has stored %s bytes with the CRC-32C %s, but %s bytes with %s were sent", a.object.Size, a.object.CRC32C, total, sum)
		}
		w.version = a.object.Generation
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
	_, err := w.to.request(ctx, http.MethodDelete, w.session, nil, nil)
	if answer, ok := errors.AsType[*googleapi.Error](err); ok && answer.Code < 500 && !w.to.Answer(err).Transient() {
		return nil
	}
	return err
}
