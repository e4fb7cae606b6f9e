// Package http reads objects of a plain HTTP server.
package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// Kind names the kind of place in messages.
const Kind driver.ReadOnly = "a plain HTTP server"

// Driver is the driver of a plain HTTP server (RFC 9110). It sends GET, with a range for a
// part, and HEAD. It follows redirects, and uses the proxies of the environment.
type Driver struct {
	driver.ReadOnly
	at     location.Location
	client *http.Client
	shared bool // whether the client belongs to others
	whole  *limits.WholeObjects
}

// New returns the driver of a location. Stores that share limits also share the whole
// objects that they keep. The client is one of NewClient, which others may use, too; with
// nil, the driver makes one.
func New(at location.Location, budget *limits.Limits, client *http.Client) *Driver {
	d := &Driver{ReadOnly: Kind, at: at, client: client, shared: client != nil, whole: budget.Whole}
	if client == nil {
		d.client = NewClient()
	}
	return d
}

// NewClient returns a client for any number of servers.
func NewClient() *http.Client {
	return &http.Client{Transport: remote.NewTransport(), CheckRedirect: redirect}
}

// redirect bounds the number of redirects: a circle of redirects is no transient error.
// It hides the query of the first URL, which may be a secret, from other servers.
func redirect(r *http.Request, via []*http.Request) error {
	r.Header.Del("Referer")
	if len(via) >= 10 {
		return fmt.Errorf("stopped after %d redirects: %w", len(via), errors.ErrUnsupported)
	}
	return nil
}

// objectURL returns the URL of an object, with the query.
func (w *Driver) objectURL(key string) url.URL {
	u := url.URL{Scheme: w.at.Scheme, Host: w.at.Host, Path: "/" + w.at.Key(key)}
	if u.RawQuery = w.at.Hidden; u.RawQuery != "" {
		u.RawPath = remote.PathEscapes.Replace(url.QueryEscape(u.Path))
	}
	return u
}

// request sends a request without a body. The answer is a success or, if span is given,
// 416 for a range that the object does not have. The caller closes the answer's body.
func (w *Driver) request(ctx context.Context, method, key, span string) (*http.Response, error) {
	u := w.objectURL(key)
	r, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept-Encoding", "identity") // ranges and sizes are those of the object
	if span != "" {
		r.Header.Set("Range", span)
	}
	answer, err := w.client.Do(r)
	if err != nil {
		return nil, driver.WithoutURL(err) // a redirect's URL may hold a secret
	}
	switch encoding := answer.Header.Get("Content-Encoding"); {
	case span != "" && answer.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return answer, nil
	case answer.StatusCode/100 != 2:
		err = w.refused(answer)
	case encoding != "" && encoding != "identity":
		err = fmt.Errorf("the server compresses what it sends (Content-Encoding %.60q): %w", encoding, errors.ErrUnsupported)
	default:
		return answer, nil
	}
	return nil, errors.Join(err, answer.Body.Close())
}

// refused returns the error of an answer that is no success.
func (w *Driver) refused(answer *http.Response) error {
	err := &driver.StatusError{Code: answer.StatusCode, Pause: driver.PauseOf(answer.Header)}
	if w.at.Hidden != "" {
		return err.WithHint("the query of the URL may have run out, or be for something else: ask for a new one")
	}
	return err.WithHint("the server wants credentials; a signed URL, with its query, carries some")
}

func (w *Driver) Read(ctx context.Context, key string, p []byte, off int64, was driver.Info) (err error) {
	want := int64(len(p))
	object := w.objectURL(key)
	if data, ok := w.whole.Get(object.String()); ok {
		return copyRange(p, data, off)
	}
	answer, err := w.request(ctx, http.MethodGet, key, fmt.Sprintf("bytes=%d-%d", off, off+want-1))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	if err := was.CheckVersion(answerVersion(answer)); err != nil {
		return err
	}
	body := limits.Earning(ctx, answer.Body)
	switch answer.StatusCode {
	case http.StatusPartialContent:
		first, size, ok := remote.ContentRange(answer.Header.Get("Content-Range"))
		switch {
		case !ok || first != off:
			return fmt.Errorf("the server answers with the range %.60q where bytes from %d on are wanted", answer.Header.Get("Content-Range"), off)
		case was.CheckSize(size) != nil:
			return driver.ErrChanged
		case size >= 0 && off > size-want:
			return &driver.ShortError{Off: off, Want: want, Size: size}
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if _, size, ok := remote.ContentRange(answer.Header.Get("Content-Range")); ok && off > size-want {
			return &driver.ShortError{Off: off, Want: want, Size: size}
		}
		return w.refused(answer)
	default: // the whole object
		size := answer.ContentLength
		if err := was.CheckSize(size); err != nil {
			return err
		}
		if size >= 0 && off > size-want {
			return &driver.ShortError{Off: off, Want: want, Size: size}
		}
		return takeWhole(ctx, w.whole, object.String(), answer, p, off, was)
	}
	if _, err := io.ReadFull(body, p); err != nil {
		return driver.BrokenBody(want, err)
	}
	return nil
}

// answerVersion returns the version of the object of an answer: the ETag, and when the
// object was changed. A proxy may have marked the ETag as weak; the mark is dropped.
func answerVersion(answer *http.Response) (version string, changed time.Time) {
	changed, _ = http.ParseTime(answer.Header.Get("Last-Modified")) // the zero time if it cannot be read
	return strings.TrimPrefix(answer.Header.Get("ETag"), "W/"), changed
}

func (w *Driver) ReadAll(ctx context.Context, key string, limit int64, room func(int) []byte) (data []byte, version string, err error) {
	answer, err := w.request(ctx, http.MethodGet, key, "")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	size, body := answer.ContentLength, limits.Earning(ctx, answer.Body)
	if size > limit {
		return nil, "", fmt.Errorf("%w: %d bytes, at most %d wanted", driver.ErrTooLarge, size, limit)
	}
	if size >= 0 {
		data = room(int(size))
		err = remote.ReadBody(body, data)
	} else if data, err = io.ReadAll(io.LimitReader(body, limit+1)); int64(len(data)) > limit {
		return nil, "", fmt.Errorf("%w: more than the %d bytes wanted", driver.ErrTooLarge, limit)
	}
	if err != nil {
		return nil, "", driver.BrokenBody(max(size, int64(len(data))), err)
	}
	version, _ = answerVersion(answer)
	return data, version, new(remote.EtagKind).Compare(data, remote.HeaderSums(answer.Header))
}

func (w *Driver) Stat(ctx context.Context, key string) (driver.Info, error) {
	method, span := http.MethodHead, ""
	if w.at.Hidden != "" { // a signature is for one method
		method, span = http.MethodGet, "bytes=0-0"
	}
	answer, err := w.request(ctx, method, key, span)
	if err != nil {
		return driver.Info{}, err
	}
	_ = answer.Body.Close() // of it nothing is read
	size := answer.ContentLength
	if answer.StatusCode == http.StatusPartialContent || answer.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		_, total, ok := remote.ContentRange(answer.Header.Get("Content-Range"))
		switch size = total; {
		case answer.StatusCode == http.StatusRequestedRangeNotSatisfiable && (!ok || total != 0): // 0: of an object without bytes
			return driver.Info{}, w.refused(answer)
		case !ok:
			size = -1
		}
	}
	if size < 0 {
		return driver.Info{}, fmt.Errorf("the server does not tell the size of the object: %w", errors.ErrUnsupported)
	}
	info := driver.Info{Key: key, Size: size, ETag: answer.Header.Get("ETag")}
	info.Version, info.ModTime = answerVersion(answer)
	info.Sum = remote.HeaderSums(answer.Header).Crc
	return info, nil
}

func (w *Driver) List(string) driver.Pager {
	return func(context.Context) ([]driver.Info, error) { return nil, driver.ErrNoList }
}

func (w *Driver) Close() error {
	if !w.shared {
		w.client.CloseIdleConnections()
	}
	return nil
}

func (w *Driver) Folders(string) driver.FolderPager {
	return func(context.Context) ([]string, error) { return nil, driver.ErrNoList }
}
