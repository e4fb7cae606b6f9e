//go:build !nos3 && !nogcs && !noazure

package store

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// gcsBehind opens a store in a bucket of the test's own server.
func gcsBehind(t *testing.T, server http.Handler) *Store {
	t.Helper()
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(at.URL, "http://"))
	return open(t, "gs://bucket/p", Options{})
}

// session takes one resumable upload as Google Cloud Storage does. Until it knows the
// size, it keeps multiples of 256 KiB of the bytes that it gets.
type session struct {
	mu     sync.Mutex
	front  func(number int, w http.ResponseWriter, r *http.Request, next http.HandlerFunc)
	number int
	least  bool // keeps only one multiple of each piece
	data   []byte
	done   bool
	gone   bool
	spans  []string // ranges of the requests that it answered
}

func (s *session) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	if s.front != nil {
		s.front(s.number, w, r, s.answer)
		return
	}
	s.answer(w, r)
}

func (s *session) answer(w http.ResponseWriter, r *http.Request) {
	const unit = 256 << 10
	switch r.Method {
	case http.MethodPost:
		w.Header().Set("Location", "http://"+r.Host+"/upload/session?upload_id=hunter2")
		return
	case http.MethodDelete:
		s.gone = true
		w.WriteHeader(499)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	span := r.Header.Get("Content-Range")
	s.spans = append(s.spans, span)
	place, total, _ := strings.Cut(strings.TrimPrefix(span, "bytes "), "/")
	if first, _, known := strings.Cut(place, "-"); known {
		at, err := strconv.Atoi(first)
		if err != nil || at != len(s.data) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if total == "*" {
			body = body[:len(body)/unit*unit]
		}
		if s.least && len(body) > unit {
			body = body[:unit]
		}
		s.data = append(s.data, body...)
	}
	if total == strconv.Itoa(len(s.data)) {
		sum := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.Checksum(s.data, remote.Castagnoli)))
		if got := r.Header.Get("X-Goog-Hash"); got != "crc32c="+sum {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.done = true
	}
	if s.done {
		_, _ = fmt.Fprintf(w, `{"size": "%d"}`, len(s.data))
		return
	}
	if len(s.data) > 0 {
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", len(s.data)-1))
	}
	w.WriteHeader(http.StatusPermanentRedirect)
}

// TestGCSUpload looks at the requests of an object of two parts and a bit.
func TestGCSUpload(t *testing.T) {
	server := new(session)
	s := gcsBehind(t, server)
	const unit = 256 << 10
	data := random(1, 2*bucket.PartBytes+unit+7)
	if err := write(t.Context(), s, "k", data, 1<<20); err != nil {
		t.Fatal(err)
	}
	const a, b, c, end = bucket.PartBytes, 2 * bucket.PartBytes, 2*bucket.PartBytes + unit, 2*bucket.PartBytes + unit + 7
	want := []string{
		fmt.Sprintf("bytes 0-%d/*", a-1), fmt.Sprintf("bytes %d-%d/*", a, b-1),
		fmt.Sprintf("bytes %d-%d/*", b, c-1), fmt.Sprintf("bytes %d-%d/%d", c, end-1, end),
	}
	if diff := cmp.Diff(want, server.spans); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if string(server.data) != string(data) {
		t.Error("another object is there")
	}
	if got := s.Stats(); got.Requests != 5 || got.Retries != 0 {
		t.Errorf("%+v", got)
	}
}

// TestGCSUploadInDoubt loses answers, requests, and bytes that the server did not keep.
func TestGCSUploadInDoubt(t *testing.T) {
	data := random(1, 2*bucket.PartBytes+7)
	lost := func(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		next(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	for name, server := range map[string]*session{
		"answers": {front: func(number int, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
			if number%2 == 0 {
				lost(w, r, next)
				return
			}
			next(w, r)
		}},
		"the last answer": {front: func(number int, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
			if number == 4 {
				lost(w, r, next)
				return
			}
			next(w, r)
		}},
		"requests": {front: func(number int, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
			if number%3 == 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			next(w, r)
		}},
		"most of each": {least: true},
		"connections": {front: func(number int, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
			if number == 3 {
				panic(http.ErrAbortHandler)
			}
			next(w, r)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := gcsBehind(t, server)
			impatient(s)
			if err := write(t.Context(), s, "k", data, len(data)); err != nil {
				t.Fatal(err)
			}
			if !server.done || string(server.data) != string(data) {
				t.Errorf("%d bytes, done: %t", len(server.data), server.done)
			}
			// A retry first asks how many bytes the server has.
			if got := s.Stats(); name != "most of each" && got.Requests+got.Retries < int64(server.number) {
				t.Errorf("%d requests, %+v", server.number, got)
			}
		})
	}
}

func TestGCSUploadGivenUp(t *testing.T) {
	server := &session{front: func(number int, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		if number > 2 && r.Method == http.MethodPut {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next(w, r)
	}}
	s := gcsBehind(t, server)
	err := write(t.Context(), s, "k", random(1, 3*bucket.PartBytes), bucket.PartBytes)
	if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
	if !server.gone || server.done {
		t.Errorf("the session: %+v", server.spans)
	}
}

// TestGCSAnswers maps the answers of a server to numbers of attempts and to errors.
func TestGCSAnswers(t *testing.T) {
	for status, c := range map[int]struct {
		attempts int64
		is       error
	}{
		http.StatusTooManyRequests: {4, nil}, http.StatusServiceUnavailable: {4, nil}, http.StatusRequestTimeout: {4, nil},
		http.StatusForbidden: {1, fs.ErrPermission}, http.StatusUnauthorized: {1, fs.ErrPermission},
		http.StatusNotFound: {1, fs.ErrNotExist}, http.StatusBadRequest: {1, nil},
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			var requests atomic.Int64
			s := gcsBehind(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.WriteHeader(status)
			}))
			impatient(s)
			_, statErr := s.Stat(t.Context(), "k")
			_, readErr := s.ReadAll(t.Context(), "k", 10)
			for op, err := range map[string]error{
				"stat": statErr, "read": readErr, "put": s.Put(t.Context(), "k", []byte("x")),
				"list":   s.List(t.Context(), "", func(Info) error { return nil }),
				"upload": write(t.Context(), s, "k", random(1, 2*bucket.PartBytes), 2*bucket.PartBytes),
			} {
				noBucket := op != "stat" && op != "read" && status == http.StatusNotFound
				if err == nil || limits.Passing(err) != (c.attempts > 1) || c.is != nil && errors.Is(err, c.is) == noBucket {
					t.Errorf("%s: %v", op, err)
				}
			}
			if got := s.Stats().Requests; got != requests.Load() || got != 5*c.attempts {
				t.Errorf("%d requests, %d counted", requests.Load(), got)
			}
		})
	}
}

// TestGCSBrokenBody cuts the connection in the middle of a body twice. Each
// attempt is one request.
func TestGCSBrokenBody(t *testing.T) {
	var requests atomic.Int64
	s := gcsBehind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" { // else the server would decompress
			t.Errorf("asks for %v", r.Header)
		}
		w.Header().Set("Content-Range", "bytes 0-3/4")
		w.Header().Set("Content-Length", "4")
		w.Header().Set("X-Goog-Generation", "1")
		w.WriteHeader(http.StatusPartialContent)
		if requests.Add(1) < 3 {
			_, _ = w.Write([]byte("ab"))
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte("abcd"))
	}))
	impatient(s)
	p := make([]byte, 4)
	if err := s.ReadRange(t.Context(), "k", p, 0); err != nil || string(p) != "abcd" {
		t.Errorf("%q, %v", p, err)
	}
	if got := s.Stats(); got.Retries != 2 || got.Requests != requests.Load() {
		t.Errorf("%+v after %d requests", got, requests.Load())
	}
}

func TestGCSNoBucket(t *testing.T) {
	s := gcsBehind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"error": {"code": 404, "message": "The specified bucket does not exist.", "errors": [{"reason": "notFound"}]}}`)
	}))
	for op, err := range map[string]error{
		"put": s.Put(t.Context(), "k", nil), "list": s.List(t.Context(), "", func(Info) error { return nil }),
	} {
		if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "create it") {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestGCSUploadConditions: an upload under a lock begins on the condition that no object has
// the key. Any other upload has no condition.
func TestGCSUploadConditions(t *testing.T) {
	for _, guarded := range []bool{true, false} {
		var conditions []string
		s := gcsBehind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			conditions = append(conditions, r.URL.Query().Get("ifGenerationMatch"))
			w.WriteHeader(http.StatusForbidden)
		}))
		want := ""
		if guarded {
			s.Guard(newGate())
			want = "0"
		}
		err := write(t.Context(), s, "large", random(1, threeParts(s)), 1<<20)
		if !errors.Is(err, fs.ErrPermission) || len(conditions) == 0 || conditions[0] != want {
			t.Errorf("guarded: %t: conditions %q, %v", guarded, conditions, err)
		}
	}
}
