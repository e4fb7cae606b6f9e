//go:build !nos3 && !nogcs && !noazure

package store

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"
)

// TestPin changes an object after it was looked at.
func TestPin(t *testing.T) {
	long := time.Unix(1e9, 0)
	for name, c := range map[string]struct {
		was, is           string // ETags
		changed, modified time.Time
		want              bool
	}{
		"the same":             {`"a"`, `"a"`, long, long, false},
		"another":              {`"a"`, `"b"`, long, long, true},
		"weak":                 {`W/"a"`, `"a"`, long, long, false},
		"the same, touched":    {`"a"`, `"a"`, long, long.Add(time.Hour), false},
		"by its time":          {"", "", long, long.Add(time.Hour), true},
		"told once":            {`"a"`, "", long, long, false},
		"told once, and later": {`"a"`, "", long, long.Add(time.Hour), true},
		"nothing told":         {"", "", time.Time{}, time.Time{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			read := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tag, changed := c.was, c.changed
				if read = read || r.Method == http.MethodGet; read {
					tag, changed = c.is, c.modified
				}
				if tag != "" {
					w.Header().Set("ETag", tag)
				}
				http.ServeContent(w, r, "", changed, bytes.NewReader([]byte("0123")))
			}))
			t.Cleanup(server.Close)
			s := open(t, server.URL, Options{Retries: -1})
			info, err := s.Stat(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			s.Pin(info)
			if err := s.ReadRange(t.Context(), "k", make([]byte, 2), 1); errors.Is(err, ErrChanged) != c.want || err != nil && !c.want {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestPinOfASize has an object that grows. Its server tells nothing but the size.
func TestPinOfASize(t *testing.T) {
	text := "0123"
	s := open(t, webServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte(text)))
	}), Options{Retries: -1})
	info, err := s.Stat(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	s.Pin(info)
	text += "45"
	if err := s.ReadRange(t.Context(), "k", make([]byte, 2), 1); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
}

// TestPinAndLoginPages answers once with a page in place of a part of an object.
func TestPinAndLoginPages(t *testing.T) {
	for name, tell := range map[string]bool{"of known size": true, "of unknown size": false} {
		t.Run(name, func(t *testing.T) {
			gets := 0
			s := open(t, webServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					gets++
				}
				if gets != 1 {
					http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte("0123")))
					return
				}
				page := "<html>Log in first</html>"
				if tell {
					w.Header().Set("Content-Length", strconv.Itoa(len(page)))
				}
				_, _ = io.WriteString(w, page[:10])
				w.(http.Flusher).Flush()
				_, _ = io.WriteString(w, page[10:])
			}), Options{})
			impatient(s)
			info, err := s.Stat(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			s.Pin(info)
			part := make([]byte, 2)
			if err := s.ReadRange(t.Context(), "k", part, 1); err != nil || string(part) != "12" || gets != 2 {
				t.Errorf("%q by %d requests, %v", part, gets, err)
			}
		})
	}
}

// TestZipIsAnother replaces an archive while it is read.
func TestZipIsAnother(t *testing.T) {
	tag := `"a"`
	s := open(t, webServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(archive(t, zipFile{"k", "text", 0})))
	})+"/a.zip", Options{Retries: -1})
	if get(t, s, "k") != "text" {
		t.Error("another member")
	}
	tag = `"b"`
	if _, err := s.ReadAll(t.Context(), "k", 10); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
}

// TestCloudPin replaces an object by one of the same size.
func TestCloudPin(t *testing.T) {
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		s := open(t, cloud(t, scheme), Options{Retries: -1})
		put := func(text string) {
			t.Helper()
			if err := s.Put(t.Context(), "k", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		put("0123")
		info, err := s.Stat(t.Context(), "k")
		if err != nil || info.Version == "" {
			t.Fatalf("%s: %+v, %v", scheme, info, err)
		}
		s.Pin(info)
		if err := s.ReadRange(t.Context(), "k", make([]byte, 2), 1); err != nil {
			t.Errorf("%s: %v", scheme, err)
		}
		put("abcd")
		if err := s.ReadRange(t.Context(), "k", make([]byte, 2), 1); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: got %v", scheme, err)
		}
	}
}
