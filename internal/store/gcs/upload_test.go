//go:build !nogcs

package gcs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// bucketBehind opens the folder p of a bucket of the test's own server.
func bucketBehind(t *testing.T, server http.HandlerFunc) *bucket.Bucket {
	t.Helper()
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", at.URL)
	b, err := New(t.Context(), location.Location{Scheme: "gs", Host: "bucket", Path: "p"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// script answers the request that begins an upload, and each further request by the next of
// its answers. It records the further requests.
type script struct {
	answers []string // "STATUS RANGE BODY"; the last one is repeated
	seen    []string // "METHOD SPAN BYTES"
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Method == http.MethodPost {
		w.Header().Set("Location", "http://"+r.Host+"/session")
		return
	}
	s.seen = append(s.seen, strings.TrimSpace(fmt.Sprintf("%s %s %d", r.Method, strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), len(body))))
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	var status int
	var span string
	if _, err := fmt.Sscanf(answer, "%d %s", &status, &span); err != nil {
		panic(err)
	}
	if span != "-" {
		w.Header().Set("Range", span)
	}
	_, text, _ := strings.Cut(answer, span+" ")
	if text == "cut off" {
		w.Header().Set("Content-Length", "100")
		text = "{"
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// TestSessionBegins looks at the request that begins an upload.
func TestSessionBegins(t *testing.T) {
	for _, when := range []struct {
		condition driver.Condition
		want      string
	}{
		{driver.Condition{}, "none"}, {driver.Condition{Absent: true}, "0"},
		{driver.Condition{Version: "1700000000000001"}, "1700000000000001"}, {driver.Condition{Version: "no number"}, "none"},
	} {
		b := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			match := "none"
			if q.Has("ifGenerationMatch") {
				match = q.Get("ifGenerationMatch")
			}
			if match != when.want || q.Get("uploadType") != "resumable" || q.Get("name") != "p/a&b" || r.URL.Path != "/upload/storage/v1/b/bucket/o" || r.Method != http.MethodPost || r.Header.Get("X-Upload-Content-Type") != bucket.ObjectType {
				t.Errorf("%s %s, %v", r.Method, r.URL, r.Header)
			}
			w.Header().Set("Location", "http://"+r.Host+"/session")
		})
		if _, err := b.Begin(t.Context(), "a&b", when.condition); err != nil {
			t.Error(err)
		}
	}
}

// TestSessionDoesNotBegin: an upload fails if the server begins no session, or names no URL
// for it.
func TestSessionDoesNotBegin(t *testing.T) {
	for _, c := range []struct {
		status    int
		at, body  string
		is        error
		transient bool
		text      string
	}{
		{http.StatusOK, "", "", nil, true, "proxy"},
		{http.StatusPreconditionFailed, "", "", fs.ErrExist, false, ""},
		{http.StatusNotFound, "", "", nil, false, "no such bucket"},
		{http.StatusServiceUnavailable, "", "", nil, true, ""},
		{http.StatusOK, "http://[::1/", "", nil, false, "no valid URL"},
		{http.StatusOK, "http://localhost/", "x", nil, true, "login page"},
	} {
		b := bucketBehind(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", c.at)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		up, err := b.Begin(t.Context(), "k", driver.Condition{})
		if err == nil {
			err = up.Part(t.Context(), 0, make([]byte, unit))
		}
		if err == nil || driver.Transient(err) != c.transient || c.is != nil && !errors.Is(err, c.is) || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%d %q: %v", c.status, c.at, err)
		}
	}
}

// TestSessionParts sends a part of two units and a bit, and looks at what the server says of
// it.
func TestSessionParts(t *testing.T) {
	const all = 2 * unit
	whole := fmt.Sprintf("308 bytes=0-%d", all-1)
	first := fmt.Sprintf("PUT 0-%d/* %d", all-1, all)
	for name, c := range map[string]struct {
		answers   []string
		seen      []string
		transient bool
		text      string // of the error; "" for none
	}{
		"all":         {[]string{whole}, []string{first}, false, ""},
		"a half":      {[]string{fmt.Sprintf("308 bytes=0-%d", unit-1), whole}, []string{first, fmt.Sprintf("PUT %d-%d/* %d", unit, all-1, unit)}, false, ""},
		"nothing":     {[]string{"308 -"}, []string{first}, true, "takes none"},
		"too much":    {[]string{fmt.Sprintf("308 bytes=0-%d", all)}, []string{first}, false, "were sent"},
		"no range":    {[]string{"308 bytes=5-9"}, []string{first}, false, "has the range"},
		"the object":  {[]string{fmt.Sprintf(`200 - {"size":"%d"}`, all)}, []string{first}, false, "were sent"},
		"a login":     {[]string{"200 - <html>"}, []string{first}, true, "login page"},
		"is too busy": {[]string{"503 -"}, []string{first}, true, "503"},
	} {
		server := &script{answers: c.answers}
		up, err := bucketBehind(t, server.ServeHTTP).Begin(t.Context(), "k", driver.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		err = up.Part(t.Context(), 0, make([]byte, all+7))
		if (err == nil) != (c.text == "") || err != nil && (!strings.Contains(err.Error(), c.text) || driver.Transient(err) != c.transient) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.seen, server.seen); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSessionIsAsked: after a failure the server is asked for what it has. It may have less
// than the parts before, or more than was sent.
func TestSessionIsAsked(t *testing.T) {
	first, second := fmt.Sprintf("308 bytes=0-%d", unit-1), fmt.Sprintf("308 bytes=0-%d", 2*unit-1)
	for name, c := range map[string]struct {
		answers []string
		text    string // of the error; "" for none
	}{
		"the last part":  {[]string{second}, ""},
		"the first part": {[]string{first, second}, ""},
		"too little":     {[]string{fmt.Sprintf("308 bytes=0-%d", unit-2)}, "were sent"},
		"too much":       {[]string{fmt.Sprintf("308 bytes=0-%d", 2*unit)}, "were sent"},
	} {
		server := &script{answers: append([]string{first, "503 -"}, c.answers...)}
		up, err := bucketBehind(t, server.ServeHTTP).Begin(t.Context(), "k", driver.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		if err := up.Part(t.Context(), 0, make([]byte, unit)); err != nil {
			t.Fatal(err)
		}
		if err := up.Part(t.Context(), 1, make([]byte, unit)); !driver.Transient(err) {
			t.Errorf("%s: %v", name, err)
		}
		if err := up.Part(t.Context(), 1, make([]byte, unit)); (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
		if got := server.seen[2]; got != "PUT */* 0" || len(server.seen) != 2+len(c.answers) {
			t.Errorf("%s: the requests are %q", name, server.seen)
		}
	}
}

// TestSessionEnds completes an object of a unit and four bytes.
func TestSessionEnds(t *testing.T) {
	const size = unit + 4
	part := fmt.Sprintf("308 bytes=0-%d", unit-1)
	send := []string{fmt.Sprintf("PUT 0-%d/* %d", unit-1, unit), fmt.Sprintf("PUT %d-%d/%d 4", unit, size-1, size)}
	ask := fmt.Sprintf("PUT */%d 0", size)
	for name, c := range map[string]struct {
		answers   []string
		again     []string // requests of a second attempt
		is        error
		transient bool
		text      string // of the first error; "" for none
	}{
		"a checksum":     {[]string{part, fmt.Sprintf(`200 - {"size":"%d","crc32c":"xSnXig==","generation":"7"}`, size)}, nil, nil, false, ""},
		"no checksum":    {[]string{part, fmt.Sprintf(`200 - {"size":"%d","generation":"7"}`, size)}, nil, nil, false, ""},
		"other bytes":    {[]string{part, fmt.Sprintf(`200 - {"size":"%d","crc32c":"AAAAAA==","generation":"7"}`, size)}, nil, nil, false, "has stored"},
		"another size":   {[]string{part, fmt.Sprintf(`200 - {"size":"%d","crc32c":"xSnXig==","generation":"7"}`, size-1)}, nil, nil, false, "has stored"},
		"no size":        {[]string{part, "200 - {}", fmt.Sprintf(`200 - {"size":"%d","generation":"7"}`, size)}, []string{ask}, nil, true, "login page"},
		"no JSON":        {[]string{part, "200 - <html>", fmt.Sprintf(`200 - {"size":"%d","generation":"7"}`, size)}, []string{ask}, nil, true, "login page"},
		"cut off":        {[]string{part, "200 - cut off", fmt.Sprintf(`200 - {"size":"%d","generation":"7"}`, size)}, []string{ask}, nil, true, "unexpected EOF"},
		"lost":           {[]string{part, "503 -", part, fmt.Sprintf(`200 - {"size":"%d","generation":"7"}`, size)}, []string{ask, send[1]}, nil, true, "503"},
		"still busy":     {[]string{part, "503 -", "412 -"}, []string{ask}, fs.ErrExist, true, "503"},
		"less than all":  {[]string{part, part}, nil, nil, true, fmt.Sprintf("has %d of %d bytes", unit, size)},
		"forgotten":      {[]string{part, "503 -", "308 -"}, []string{ask}, nil, true, "503"},
		"another object": {[]string{part, "412 -"}, nil, fs.ErrExist, false, "412"},
	} {
		server := &script{answers: c.answers}
		up, err := bucketBehind(t, server.ServeHTTP).Begin(t.Context(), "k", driver.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		if err := up.Part(t.Context(), 0, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		version, err := up.Complete(t.Context(), driver.Condition{})
		if (err == nil) != (c.text == "") || err != nil && (!strings.Contains(err.Error(), c.text) || driver.Transient(err) != c.transient) || err == nil && version != "7" {
			t.Errorf("%s: %q, %v", name, version, err)
		}
		if c.again == nil && c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
		}
		want := send
		if c.again != nil {
			want = append(want[:2:2], c.again...)
			version, err = up.Complete(t.Context(), driver.Condition{})
			if name == "forgotten" {
				if err == nil || !strings.Contains(err.Error(), "has 0 bytes") {
					t.Errorf("%s: %v", name, err)
				}
			} else if !errors.Is(err, c.is) || err == nil && version != "7" {
				t.Errorf("%s, once more: %q, %v", name, version, err)
			}
		}
		if diff := cmp.Diff(want, server.seen); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSessionGivenUp: a session that the server no longer has was given up. Other errors are
// those of Abort.
func TestSessionGivenUp(t *testing.T) {
	for status, gone := range map[string]bool{
		"499 -": true, "404 -": true, "204 -": true, "429 -": false, "503 -": false, "500 -": false, "408 -": false,
	} {
		server := &script{answers: []string{status}}
		up, err := bucketBehind(t, server.ServeHTTP).Begin(t.Context(), "k", driver.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		if err := up.Abort(t.Context()); (err == nil) != gone || !gone && !driver.Transient(err) {
			t.Errorf("%s: %v", status, err)
		}
		if diff := cmp.Diff([]string{"DELETE  0"}, server.seen); diff != "" {
			t.Errorf("%s (-want +got):\n%s", status, diff)
		}
	}
	var gone bool
	up, err := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
		if gone {
			panic(http.ErrAbortHandler)
		}
		gone = true
		w.Header().Set("Location", "http://"+r.Host+"/session")
	}).Begin(t.Context(), "k", driver.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Abort(t.Context()); !driver.Transient(err) {
		t.Errorf("a connection that breaks: %v", err)
	}
}

// TestSessionIsClosed: the rest of an answer is not read, and leaves no connection open.
func TestSessionIsClosed(t *testing.T) {
	closed := make(chan struct{})
	up, err := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.Header().Set("Location", "http://"+r.Host+"/session")
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Range", fmt.Sprintf("bytes=0-%d", unit-1))
		w.Header().Set("Content-Length", "1000000")
		w.WriteHeader(http.StatusPermanentRedirect)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(closed)
	}).Begin(t.Context(), "k", driver.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Part(t.Context(), 0, make([]byte, unit)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Error("the connection stays open")
	}
}

// TestSessionOfOneByte: an object may end with a single byte behind the last part.
func TestSessionOfOneByte(t *testing.T) {
	server := &script{answers: []string{fmt.Sprintf("308 bytes=0-%d", unit-1), fmt.Sprintf(`200 - {"size":"%d","generation":"7"}`, unit+1)}}
	up, err := bucketBehind(t, server.ServeHTTP).Begin(t.Context(), "k", driver.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Part(t.Context(), 0, make([]byte, unit+1)); err != nil {
		t.Fatal(err)
	}
	if version, err := up.Complete(t.Context(), driver.Condition{}); err != nil || version != "7" {
		t.Errorf("%q, %v", version, err)
	}
	if got, want := server.seen[1], fmt.Sprintf("PUT %d-%d/%d 1", unit, unit, unit+1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
