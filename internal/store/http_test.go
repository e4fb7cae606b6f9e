//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// webServer starts a server with a handler and returns its URL.
func webServer(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// objects serves texts by their paths, with ranges.
func objects(texts map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, ok := texts[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Unix(1e9, 0), strings.NewReader(text))
	}
}

func TestHTTP(t *testing.T) {
	long := noise(1 << 20)
	server := webServer(t, objects(map[string]string{
		"/data x/stored": long, "/data x/a/?&#%b": "odd", "/data x/empty": "",
		"/data x/a.zip": string(archive(t, zipFile{"in/stored", long, 0})),
	}))
	s := open(t, server+"/data%20x/", Options{})
	if s.Local() || s.URL() != server+"/data%20x" {
		t.Errorf("URL %s", s.URL())
	}
	for key, text := range map[string]string{"stored": long, "a/?&#%b": "odd", "empty": ""} {
		if get(t, s, key) != text {
			t.Errorf("%s: another object", key)
		}
		info, err := s.Stat(t.Context(), key)
		if diff := cmp.Diff(Info{Key: key, Size: int64(len(text)), ModTime: time.Unix(1e9, 0).UTC(), ETag: `"1"`, Version: `"1"`}, info); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", key, err, diff)
		}
	}
	part := make([]byte, 1000)
	if err := s.ReadRange(t.Context(), "stored", part, 1<<19); err != nil || string(part) != long[1<<19:][:1000] {
		t.Errorf("range: %v", err)
	}
	if err := s.ReadRange(t.Context(), "stored", part, 1<<20-10); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "the object has 1048576") {
		t.Errorf("range that begins in the object: %v", err)
	}
	if err := s.List(t.Context(), "", func(Info) error { return nil }); !errors.Is(err, ErrNoList) {
		t.Errorf("list: %v", err)
	}
	checkOnlyRead(t, s)
	zipped := open(t, server+"/data%20x/a.zip/in", Options{})
	if get(t, zipped, "stored") != long {
		t.Error("another object in the archive")
	}
	checkOnlyRead(t, zipped)
}

// Answers of all kinds: a transient error is retried, every other error is reported.
func TestHTTPAnswers(t *testing.T) {
	sound := objects(map[string]string{"/dir/key": "0123456789"})
	all := func(s *Store) error {
		data, err := s.ReadAll(t.Context(), "key", 10)
		if err == nil && string(data) != "0123456789" {
			err = fmt.Errorf("read %q", data)
		}
		return err
	}
	span := func(s *Store) error {
		p := make([]byte, 4)
		err := s.ReadRange(t.Context(), "key", p, 2)
		if err == nil && string(p) != "2345" {
			err = fmt.Errorf("read %q", p)
		}
		return err
	}
	stat := func(s *Store) error {
		_, err := s.Stat(t.Context(), "key")
		return err
	}
	for name, test := range map[string]struct {
		do       func(*Store) error
		answer   http.HandlerFunc
		want     error // nil: none
		word     string
		attempts int64
	}{
		"sound":               {all, sound, nil, "", 1},
		"not found":           {all, answering(404, ""), fs.ErrNotExist, "404", 1},
		"range not found":     {span, answering(404, ""), fs.ErrNotExist, "404", 1},
		"gone":                {stat, answering(410, ""), errOther, "410", 1},
		"forbidden":           {stat, answering(403, ""), fs.ErrPermission, "403 Forbidden", 1},
		"forbidden range":     {span, answering(403, ""), fs.ErrPermission, "403 Forbidden", 1},
		"unauthorised":        {all, answering(401, ""), fs.ErrPermission, "401", 1},
		"busy":                {all, answering(429, ""), errPassing, "429", 3},
		"broken":              {span, answering(503, ""), errPassing, "503", 3},
		"not known":           {stat, answering(501, ""), errOther, "501", 1},
		"cut off":             {all, answering(200, "0123", "Content-Length", "10"), errPassing, "unexpected EOF", 3},
		"cut off in a range":  {span, answering(206, "23", "Content-Length", "4", "Content-Range", "bytes 2-5/10"), errPassing, "unexpected EOF", 3},
		"no size":             {all, answering(200, "0123456789"), nil, "", 1},
		"no size, too large":  {all, answering(200, "01234567890"), ErrTooLarge, "10 bytes", 1},
		"too large":           {all, answering(200, "01234567890", "Content-Length", "11"), ErrTooLarge, "11 bytes", 1},
		"stat without size":   {stat, answering(200, ""), errors.ErrUnsupported, "size", 1},
		"no ranges":           {span, answering(200, "0123456789"), nil, "", 1},
		"short, no ranges":    {span, answering(200, "012", "Content-Length", "3"), io.ErrUnexpectedEOF, "the object has 3", 1},
		"range behind it":     {span, answering(416, "", "Content-Range", "bytes */3"), io.ErrUnexpectedEOF, "the object has 3", 1},
		"no such range":       {span, answering(416, ""), errOther, "416", 1},
		"range ends early":    {span, answering(206, "2", "Content-Range", "bytes 2-2/3"), io.ErrUnexpectedEOF, "the object has 3", 1},
		"range of no size":    {span, answering(206, "2345", "Content-Range", "bytes 2-5/*"), nil, "", 1},
		"another range":       {span, answering(206, "0123", "Content-Range", "bytes 0-3/10"), errOther, "bytes 0-3/10", 1},
		"no range":            {span, answering(206, "0123"), errOther, "range", 1},
		"range of nonsense":   {span, answering(206, "0123", "Content-Range", "bytes 2-5/x"), errOther, "range", 1},
		"compressed":          {all, answering(200, "x", "Content-Encoding", "gzip"), errors.ErrUnsupported, "gzip", 1},
		"endless redirection": {all, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x?token=secret", http.StatusFound) }, errOther, "redirects", 10},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			server := webServer(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				test.answer(w, r)
			})
			s := open(t, server+"/dir", Options{Retries: 2})
			impatient(s)
			err := test.do(s)
			checkKind(t, err, test.want)
			if err != nil && (!strings.Contains(err.Error(), test.word) || !strings.Contains(err.Error(), server+"/dir/key") || strings.Contains(err.Error(), "secret")) {
				t.Errorf("%v: want %q in it, and the object, and no secret", err, test.word)
			}
			if n := requests.Load(); n != test.attempts {
				t.Errorf("%d requests, want %d", n, test.attempts)
			}
		})
	}
}

// checkKind compares an error with one of these kinds, or with a given error, or nil.
func checkKind(t *testing.T, err, want error) {
	t.Helper()
	switch {
	case (err == nil) != (want == nil):
		t.Fatalf("got %v, want %v", err, want)
	case errors.Is(want, errPassing) != limits.Passing(err):
		t.Errorf("is it passing? %v", err)
	case !slices.Contains([]error{nil, errPassing, errOther}, want) && !errors.Is(err, want):
		t.Errorf("got %v, want %v", err, want)
	}
}

// answering answers every request with a status, a header of names and values in
// turn, and a text.
func answering(code int, text string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		w.(http.Flusher).Flush() // the answer has no size, unless the header tells it
		_, _ = io.WriteString(w, text)
	}
}

// Kinds of errors that TestHTTPAnswers wants.
var (
	errPassing = errors.New("of a busy server, after all attempts")
	errOther   = errors.New("any")
)

// An object is read after answers of a busy server, and after a redirect.
func TestHTTPRecovers(t *testing.T) {
	serve := objects(map[string]string{"/real/key": "0123456789"})
	var requests atomic.Int64
	server := webServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case requests.Add(1) < 3:
			w.WriteHeader(http.StatusTooManyRequests)
		case strings.HasPrefix(r.URL.Path, "/dir/"):
			http.Redirect(w, r, strings.Replace(r.URL.Path, "/dir/", "/real/", 1), http.StatusTemporaryRedirect)
		default:
			serve(w, r)
		}
	})
	s := open(t, server+"/dir", Options{Retries: 2})
	impatient(s)
	p := make([]byte, 4)
	if err := s.ReadRange(t.Context(), "key", p, 2); err != nil || string(p) != "2345" {
		t.Errorf("%q, %v", p, err)
	}
	if got := s.Stats(); got.Retries != 2 || get(t, s, "key") != "0123456789" {
		t.Errorf("%+v", got)
	}
}

// A server without ranges sends an object once, however many parts of it are read. An
// object that is too large is refused.
func TestHTTPWholes(t *testing.T) {
	text := noise(1 << 20)
	var sent atomic.Int64
	server := webServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/dir/long":
			w.Header().Set("Content-Length", strconv.Itoa(limits.MostKept+1))
			return
		case "/dir/unknown": // its length is not told
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
		}
		sent.Add(1)
		_, _ = io.WriteString(w, text)
	})
	limits := limits.New(0)
	s := open(t, server+"/dir", Options{Limits: limits})
	p := make([]byte, 1000)
	read := func(s *Store, key string, off int) {
		t.Helper()
		if err := s.ReadRange(t.Context(), key, p, int64(off)); err != nil || string(p) != text[off:][:len(p)] {
			t.Errorf("%s from byte %d on: %v", key, off, err)
		}
	}
	for _, key := range []string{"a", "b", "unknown"} {
		for off := 0; off < 1<<20; off += 1 << 17 {
			read(s, key, off)
		}
	}
	read(open(t, server+"/", Options{Limits: limits}), "dir/unknown", 5)
	if n := sent.Load(); n != 3 {
		t.Errorf("%d objects were sent, want 3", n)
	}
	if err := s.ReadRange(t.Context(), "a", p, 1<<20-10); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "the object has 1048576") {
		t.Errorf("range that begins in the object: %v", err)
	}
	if err := s.ReadRange(t.Context(), "long", p, 0); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "no ranges") {
		t.Errorf("got %v", err)
	}
}

// The URL tells that nothing can be written to these places.
func TestWritable(t *testing.T) {
	for url, want := range map[string]bool{
		"https://host/x": false, "http://host/x": false, "s3://b/x.zip": false, "x.zarr.zip": false,
		"a/x.zarr": true, "s3://b/x": true, "": true,
	} {
		if err := Writable(url); (err == nil) != want {
			t.Errorf("%q: %v", url, err)
		}
	}
}
