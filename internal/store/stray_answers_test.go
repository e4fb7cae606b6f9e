//go:build !nos3 && !nogcs && !noazure

package store

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// strays is a server of one object. It gives wrong answers to the first requests of one
// method.
type strays struct {
	mu       sync.Mutex
	method   string
	left     int
	answer   func(w http.ResponseWriter)
	requests int
}

func (s *strays) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	stray := s.left > 0 && r.Method == s.method
	if stray {
		s.left--
	}
	s.mu.Unlock()
	if stray {
		s.answer(w)
		return
	}
	w.Header().Set("ETag", `"1"`)
	if r.URL.Path != "/k" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader([]byte("0123456789")))
}

// TestStrayAnswers has a server that denies a seen object once or twice: it answers that
// the object does not exist, has changed, or does not meet a condition.
func TestStrayAnswers(t *testing.T) {
	status := func(code int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(code) }
	}
	another := func(w http.ResponseWriter) {
		w.Header().Set("ETag", `"2"`)
		w.Header().Set("Content-Range", "bytes 2-5/10")
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write([]byte("abcd"))
	}
	for name, test := range map[string]struct {
		answer  func(http.ResponseWriter)
		strays  int
		pinned  bool
		want    error
		request int
	}{
		"404 once":                  {status(404), 1, true, nil, 2},
		"404 twice":                 {status(404), 2, true, nil, 3},
		"404 for good":              {status(404), 99, true, fs.ErrNotExist, 3},
		"404 of what was not seen":  {status(404), 1, false, fs.ErrNotExist, 1},
		"412 once":                  {status(412), 1, false, nil, 2},
		"another version once":      {another, 1, true, nil, 2},
		"another version for good":  {another, 99, true, ErrChanged, 3},
		"403, which is no stranger": {status(403), 1, true, fs.ErrPermission, 1},
	} {
		t.Run(name, func(t *testing.T) {
			server := &strays{method: http.MethodGet, answer: test.answer}
			at := httptest.NewServer(server)
			t.Cleanup(at.Close)
			var c clock
			s := open(t, at.URL, Options{Sleep: c.sleep})
			if test.pinned {
				info, err := s.Stat(t.Context(), "k")
				if err != nil {
					t.Fatal(err)
				}
				s.Pin(info)
			}
			server.mu.Lock()
			server.left, server.requests = test.strays, 0
			server.mu.Unlock()
			p := make([]byte, 4)
			err := s.ReadRange(t.Context(), "k", p, 2)
			if !errors.Is(err, test.want) || err == nil && string(p) != "2345" {
				t.Errorf("%q, %v, want %v", p, err, test.want)
			}
			if server.requests != test.request {
				t.Errorf("%d requests, want %d", server.requests, test.request)
			}
		})
	}
}
