//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// TestStalledDocument reads a document whose server stops sending in the middle. The
// attempt ends soon, although the document might be large.
func TestStalledDocument(t *testing.T) {
	for _, known := range []bool{true, false} {
		for _, limit := range []int64{10, 1 << 30} {
			t.Run(fmt.Sprintf("size known=%v, at most %d bytes", known, limit), func(t *testing.T) {
				var asked atomic.Int64
				stall := func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("ETag", `"e"`)
					if asked.Add(1) > 1 {
						_, _ = io.WriteString(w, "0123456789")
						return
					}
					if known {
						w.Header().Set("Content-Length", "10")
					}
					_, _ = io.WriteString(w, "01234")
					_ = http.NewResponseController(w).Flush()
					<-r.Context().Done()
				}
				at := httptest.NewServer(http.HandlerFunc(stall))
				t.Cleanup(at.Close)
				s3 := func() string {
					return s3ServerBehind(t, func(http.Handler) http.Handler { return http.HandlerFunc(stall) })
				}
				for _, url := range []string{at.URL, s3()} {
					if !known && strings.HasPrefix(url, "s3") {
						continue // its length is always known
					}
					asked.Store(0)
					s := open(t, url, Options{Retries: 200}) // a busy machine may take more than one
					impatient(s)
					s.requests.Patience = 250 * time.Millisecond
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					data, err := s.ReadAll(ctx, "k", limit)
					if err != nil || string(data) != "0123456789" || s.Stats().Retries == 0 {
						t.Errorf("%s: %q after %d requests, %v", url, data, asked.Load(), err)
					}
				}
			})
		}
	}
}

// TestSlowBody: bytes that arrive extend the time of an attempt. A server that does not
// answer gets no more than patience.
func TestSlowBody(t *testing.T) {
	const size = 1 << 20 // eight seconds
	const patience = 500 * time.Millisecond
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "silent") {
			<-r.Context().Done()
			return
		}
		_, _ = w.Write(make([]byte, size/2))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(2 * patience): // longer than an attempt without bytes takes
		case <-r.Context().Done():
		}
		_, _ = w.Write(make([]byte, size/2))
	}))
	t.Cleanup(at.Close)
	s := open(t, at.URL, Options{Retries: 30}) // the first bytes may come late on a busy machine
	impatient(s)
	s.requests.Patience = patience
	if data, err := s.ReadAll(t.Context(), "slow", 1<<20); len(data) != size || err != nil {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	s = open(t, at.URL, Options{Retries: -1})
	s.requests.Patience = 20 * time.Millisecond
	if _, err := s.ReadAll(t.Context(), "silent", 1<<20); !errors.Is(err, context.DeadlineExceeded) || !limits.Passing(err) {
		t.Errorf("no answer: %v", err)
	}
}
