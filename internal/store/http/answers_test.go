package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// scripted starts a server that gives one answer: a status, headers as "Name: value", and a
// text. It returns the driver of the server, with a query if it is given one.
func scripted(t *testing.T, query string, status int, text string, headers ...string) (*Driver, *http.Request) {
	t.Helper()
	last := new(http.Request)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*last = *r.Clone(r.Context())
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return serverAt(t, server.URL+"/d"+query), last
}

// TestRequestOfRange looks at the request for a part of an object. A path is escaped as
// signatures want it if there is a query.
func TestRequestOfRange(t *testing.T) {
	for query, want := range map[string]string{"": "/d/a+b%20c/%C3%BC", "?sig=a+b%2F": "/d/a%2Bb%20c/%C3%BC?sig=a+b%2F"} {
		d, r := scripted(t, query, http.StatusPartialContent, "3456789012", "Content-Range: bytes 3-12/20", "Content-Length: 10")
		p := make([]byte, 10)
		if err := d.Read(t.Context(), "a+b c/ü", p, 3, driver.Info{}); err != nil || string(p) != "3456789012" {
			t.Errorf("%q, %v", p, err)
		}
		if r.RequestURI != want || r.Header.Get("Range") != "bytes=3-12" || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s, %v", r.RequestURI, r.Header)
		}
	}
}

// TestAnswersOfRange reads four bytes from the third on.
func TestAnswersOfRange(t *testing.T) {
	long := fmt.Sprintf("Content-Length: %d", limits.MostKept+1)
	for name, c := range map[string]struct {
		status  int
		text    string
		headers []string
		off     int64
		was     driver.Info
		want    error // nil: none
		size    int64 // of a ShortError
		code    int   // of a StatusError
	}{
		"no bytes":                {206, "2345", []string{"Content-Range: bytes 2-5/0"}, 2, driver.Info{}, io.ErrUnexpectedEOF, 0, 0},
		"to the end":              {206, "2345", []string{"Content-Range: bytes 2-5/6"}, 2, driver.Info{}, nil, 0, 0},
		"not there, but should":   {416, "", []string{"Content-Range: bytes */6"}, 2, driver.Info{}, nil, 0, 416},
		"not there":               {416, "", []string{"Content-Range: bytes */5"}, 2, driver.Info{}, io.ErrUnexpectedEOF, 5, 0},
		"all, to the end":         {200, "012345", []string{"Content-Length: 6"}, 2, driver.Info{}, nil, 0, 0},
		"all, too short":          {200, "01234", []string{"Content-Length: 5"}, 2, driver.Info{}, io.ErrUnexpectedEOF, 5, 0},
		"all, of another size":    {200, "012345", []string{"Content-Length: 6"}, 2, driver.Info{Key: "k", Size: 7}, nil, 0, 200},
		"all, short and another":  {200, "012", []string{"Content-Length: 3"}, 2, driver.Info{Key: "k", Size: 7}, nil, 0, 200},
		"behind a large object":   {200, "", []string{long}, limits.MostKept, driver.Info{}, io.ErrUnexpectedEOF, limits.MostKept + 1, 0},
		"all, cut off":            {200, "01234", []string{"Content-Length: 10"}, 2, driver.Info{}, io.ErrUnexpectedEOF, -1, 0},
		"all, but damaged":        {200, "012345", []string{"Content-Length: 6", "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA=="}, 2, driver.Info{}, errAny, 0, 0},
		"of no size, cut off":     {200, "01", nil, 2, driver.Info{}, io.ErrUnexpectedEOF, 2, 0},
		"of no size, to the end":  {200, "012345", nil, 2, driver.Info{}, nil, 0, 0},
		"of no size, and another": {200, "012345", nil, 2, driver.Info{Key: "k", Size: 7}, nil, 0, 200},
	} {
		d, _ := scripted(t, "", c.status, c.text, c.headers...)
		p := make([]byte, 4)
		err := d.Read(t.Context(), "k", p, c.off, c.was)
		code := 0
		if answer, ok := errors.AsType[*driver.StatusError](err); ok {
			code = answer.Code
		}
		if (err != nil) != (c.want != nil || c.code != 0) || c.want != nil && c.want != errAny && !errors.Is(err, c.want) || code != c.code || err == nil && string(p) != "2345" { //nolint:errorlint // errAny stands for every error
			t.Errorf("%s: %q, %v", name, p, err)
		}
		if short, ok := errors.AsType[*driver.ShortError](err); ok && short.Size != c.size || !ok && errors.Is(c.want, io.ErrUnexpectedEOF) && c.size >= 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errAny = errors.New("any error")

// TestRangeIsClosed: an answer with another range is not read, and leaves no connection
// open. Nor does a driver that is closed.
func TestRangeIsClosed(t *testing.T) {
	closed := make(chan struct{}, 10)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Length", "0")
			return
		}
		w.Header().Set("Content-Length", "1000000")
		w.Header().Set("Content-Range", "bytes 0-999999/1000000")
		w.WriteHeader(http.StatusPartialContent)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	d := serverAt(t, server.URL)
	for name, use := range map[string]func() error{
		"read": func() error {
			if err := d.Read(t.Context(), "key", make([]byte, 4), 2, driver.Info{}); err == nil {
				return errors.New("another range is taken")
			}
			return nil
		},
		"close": func() error {
			_, err := d.Stat(t.Context(), "key")
			return errors.Join(err, d.Close())
		},
	} {
		if err := use(); err != nil {
			t.Error(err)
		}
		select {
		case <-closed:
		case <-time.After(time.Minute):
			t.Errorf("%s: the connection stays open", name)
		}
	}
}

// TestDescriptions: what a server tells of an object.
func TestDescriptions(t *testing.T) {
	headers := []string{"Content-Length: 6", `ETag: W/"e"`, "Last-Modified: Thu, 02 Jan 2020 03:04:05 GMT", "X-Goog-Hash: crc32c=AAAAAQ=="}
	d, _ := scripted(t, "", http.StatusOK, "", headers...)
	info, err := d.Stat(t.Context(), "k")
	want := driver.Info{Key: "k", Size: 6, ETag: `W/"e"`, Version: `"e"`, ModTime: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), Sum: driver.Sum{Table: remote.Castagnoli, Value: 1}}
	if err != nil || info != want {
		t.Errorf("%+v, %v", info, err)
	}
	d, _ = scripted(t, "", http.StatusOK, "012345", headers[:3]...)
	if data, version, err := d.ReadAll(t.Context(), "k", 6, func(n int) []byte { return make([]byte, n) }); string(data) != "012345" || version != `"e"` || err != nil {
		t.Errorf("%q, %q, %v", data, version, err)
	}
	d, _ = scripted(t, "", http.StatusOK, "", "Content-Length: 6", "Last-Modified: yesterday")
	if info, err = d.Stat(t.Context(), "k"); err != nil || info != (driver.Info{Key: "k", Size: 6}) {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestSizeByRange asks for the size of an object by a GET of the first byte.
func TestSizeByRange(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header string
		want   int64 // -1 for an error
	}{
		"a range":              {206, "Content-Range: bytes 0-0/7", 7},
		"a range of no size":   {206, "Content-Range: bytes 0-0/*", -1},
		"no range":             {206, "X: y", -1},
		"without bytes":        {416, "Content-Range: bytes */0", 0},
		"refused":              {416, "Content-Range: bytes */7", -1},
		"refused, and no size": {416, "X: y", -1},
		"all":                  {200, "Content-Length: 7", 7},
	} {
		d, r := scripted(t, "?sig=1", c.status, "", c.header)
		info, err := d.Stat(t.Context(), "k")
		if (err == nil) != (c.want >= 0) || err == nil && info.Size != c.want || r.Method != http.MethodGet || r.Header.Get("Range") != "bytes=0-0" {
			t.Errorf("%s: %+v, %v after %s %v", name, info, err, r.Method, r.Header)
		}
	}
}

// zeros is a text of zeros without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestLargestWhole takes objects of about the most bytes that are kept, whose size a server
// tells or not.
func TestLargestWhole(t *testing.T) {
	for _, c := range []struct {
		size  int64
		tells bool
		fits  bool
	}{{limits.MostKept, true, true}, {limits.MostKept, false, true}, {limits.MostKept + 1, false, false}, {limits.MostKept + 1, true, false}} {
		answer := &http.Response{ContentLength: -1, Body: io.NopCloser(io.LimitReader(zeros{}, c.size))}
		if c.tells {
			answer.ContentLength = c.size
		}
		p := []byte("four")
		err := takeWhole(t.Context(), limits.NewWholeObjects(), "http://h/k", answer, p, limits.MostKept-4, driver.Info{})
		if (err == nil) != c.fits || err != nil && !errors.Is(err, errors.ErrUnsupported) || err == nil && string(p) != "\x00\x00\x00\x00" {
			t.Errorf("%+v: %q, %v", c, p, err)
		}
	}
}

// TestTurnThatDoesNotCome: who gives up while another object is being read reads nothing.
func TestTurnThatDoesNotCome(t *testing.T) {
	k := limits.NewWholeObjects()
	k.Turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := takeWhole(ctx, k, "http://h/k", &http.Response{ContentLength: 1, Body: http.NoBody}, make([]byte, 1), 0, driver.Info{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
