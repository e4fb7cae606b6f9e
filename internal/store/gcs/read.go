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
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// most bounds the bytes of an answer that describes objects. A page of a list has a thousand
// objects, whose names have at most 1024 bytes.
const most = 16 << 20

// objects makes the requests about the objects of a bucket. It speaks the JSON API of Google
// Cloud Storage, and the XML API where it reads the bytes of objects.
type objects struct {
	client  *http.Client
	service string // the URL of the server, without a slash at the end
	bucket  string
}

// request describes a request of a client.
type request struct {
	method, target string
	header         http.Header
	body           [][]byte // its pieces, which are not copied
}

// send makes a request. The answer is a success, or 308 if an upload is to go on. The caller
// closes its body.
func (u *objects) send(ctx context.Context, what request) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, what.method, what.target, http.NoBody)
	if err != nil {
		return nil, errors.New("the server's answer has no valid URL for the session of an upload")
	}
	if what.header != nil {
		r.Header = what.header
	}
	for _, piece := range what.body {
		r.ContentLength += int64(len(piece))
	}
	if r.ContentLength > 0 {
		lent := new(loan)
		defer lent.end()
		r.GetBody = func() (io.ReadCloser, error) { return lent.body(what.body), nil }
		r.Body = lent.body(what.body)
	}
	answer, err := u.client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 2 || answer.StatusCode == http.StatusPermanentRedirect {
		return answer, nil
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		body = nil // the status says enough
	}
	_ = answer.Body.Close()
	return nil, refused(answer, body)
}

// loan guards the bytes of a body, which the caller lends. A server may answer before it has
// read the body. Then the connection would still read bytes that the caller has changed.
type loan struct {
	mu    sync.Mutex
	ended bool
}

// end makes all bodies fail from now on.
func (l *loan) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

func (l *loan) body(pieces [][]byte) io.ReadCloser {
	readers := make([]io.Reader, len(pieces))
	for i, piece := range pieces {
		readers[i] = bytes.NewReader(piece)
	}
	return io.NopCloser(&lentBody{l, io.MultiReader(readers...)})
}

type lentBody struct {
	loan *loan
	io.Reader
}

func (b *lentBody) Read(p []byte) (int, error) {
	b.loan.mu.Lock()
	defer b.loan.mu.Unlock()
	if b.loan.ended {
		return 0, io.ErrClosedPipe
	}
	return b.Reader.Read(p)
}

// head is an answer without its body.
type head struct {
	status int
	header http.Header
}

// ask makes a request and reads the JSON of its answer, if there is some, into said.
func (u *objects) ask(ctx context.Context, what request, said any) (h head, err error) {
	answer, err := u.send(ctx, what)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	h = head{answer.StatusCode, answer.Header}
	if h.status == http.StatusPermanentRedirect {
		return h, nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return h, driver.BrokenBody(answer.ContentLength, err)
	}
	if len(text) > 0 && json.Unmarshal(text, said) != nil {
		return h, remote.NotGenuine(remote.GcsProvider, nil)
	}
	return h, nil
}

// described is what the server says of an object.
type described struct {
	Name       string    `json:"name"`
	Size       string    `json:"size"`
	CRC32C     string    `json:"crc32c"` // "" if an emulator does not tell it
	Generation string    `json:"generation"`
	Updated    time.Time `json:"updated"`
	Etag       string    `json:"etag"`
}

// describe is ask for an answer that describes an object.
func (u *objects) describe(ctx context.Context, what request) (h head, object described, err error) {
	h, err = u.ask(ctx, what, &object)
	return h, object, err
}

// version returns the generation; "" if an emulator does not tell it.
func (o described) version() string { return version(o.Generation) }

func version(generation string) string {
	if number, ok := remote.Decimal(generation); !ok || number == 0 {
		return ""
	}
	return generation
}

// sum returns the checksum, which the server has of every object.
func (o described) sum() driver.Sum {
	text, err := base64.StdEncoding.DecodeString(o.CRC32C)
	if err != nil || len(text) != 4 {
		return driver.Sum{}
	}
	return driver.Sum{Table: remote.Castagnoli, Value: binary.BigEndian.Uint32(text)}
}

// sumText spells a checksum as the server does.
func sumText(sum uint32) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, sum))
}

// info returns the description without the checksum and the ETag.
func (o described) info() (driver.Info, error) {
	size, ok := remote.Decimal(o.Size)
	if !ok {
		return driver.Info{}, bucket.Incomplete()
	}
	return driver.Info{Key: o.Name, Size: size, ModTime: o.Updated, Version: o.version()}, nil
}

// object returns the URL of an object's description.
func (u *objects) object(bucket, key string) string {
	return u.service + "/storage/v1/b/" + url.PathEscape(bucket) + "/o/" + url.PathEscape(key)
}

func (u *objects) Head(ctx context.Context, key string) (driver.Info, error) {
	_, found, err := u.describe(ctx, request{method: http.MethodGet, target: u.object(u.bucket, key)})
	if err != nil {
		return driver.Info{}, err
	}
	info, err := found.info()
	if err != nil {
		return info, err
	}
	info.Key, info.Sum, info.ETag = "", found.sum(), found.Etag
	if !strings.HasPrefix(info.ETag, `"`) {
		info.ETag = strconv.Quote(info.ETag)
	}
	return info, nil
}

func (u *objects) Get(ctx context.Context, key string, off, n int64) (*bucket.Object, error) {
	// With this header, the server sends an object with a Content-Encoding of gzip as it is
	// stored, without decompressing it.
	header := http.Header{"Accept-Encoding": {"gzip"}}
	if n >= 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	}
	answer, err := u.send(ctx, request{
		method: http.MethodGet,
		target: u.service + "/" + url.PathEscape(u.bucket) + "/" + url.PathEscape(key),
		header: header,
	})
	if err != nil {
		return nil, err
	}
	span := answer.Header.Get("Content-Range")
	part := answer.StatusCode == http.StatusPartialContent
	if first, _, ok := remote.ContentRange(span); off > 0 && !part || part && (!ok || first != off) {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("the server answers with the range %.60q where bytes from %d on are wanted", span, off)
	}
	object := &bucket.Object{Body: answer.Body, Size: answer.ContentLength, Version: version(answer.Header.Get("X-Goog-Generation"))}
	if part {
		object.Size = remote.WholeSize(-1, span)
		return object, nil
	}
	object.Sums = remote.HeaderSums(answer.Header)
	return object, nil
}

func (u *objects) ListPage(ctx context.Context, prefix string, folders bool, token string) (page bucket.Page, err error) {
	q := url.Values{
		"prefix": {prefix}, "maxResults": {strconv.Itoa(driver.ListPage)}, "projection": {"noAcl"},
		"fields": {"nextPageToken,prefixes,items(name,size,generation,updated)"},
	}
	if folders {
		q.Set("delimiter", "/")
	}
	if token != "" {
		q.Set("pageToken", token)
	}
	var said struct {
		Items    []described `json:"items"`
		Prefixes []string    `json:"prefixes"`
		Next     string      `json:"nextPageToken"`
	}
	target := u.service + "/storage/v1/b/" + url.PathEscape(u.bucket) + "/o?" + q.Encode()
	if _, err := u.ask(ctx, request{method: http.MethodGet, target: target}, &said); err != nil {
		return page, aboutBucket(err)
	}
	for _, item := range said.Items {
		info, err := item.info()
		if err != nil {
			return bucket.Page{}, err
		}
		page.Objects = append(page.Objects, info)
	}
	slices.Sort(said.Prefixes)
	page.Folders, page.Next = said.Prefixes, said.Next
	return page, nil
}

func (u *objects) Remove(ctx context.Context, key string) error {
	_, err := u.ask(ctx, request{method: http.MethodDelete, target: u.object(u.bucket, key)}, new(struct{}))
	return err
}
