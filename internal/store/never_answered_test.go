//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// clock counts time instead of waiting.
type clock struct{ slept atomic.Int64 }

func (c *clock) sleep(_ context.Context, d time.Duration) error {
	c.slept.Add(int64(d))
	return nil
}

// nobody is an address where every connection is refused.
func nobody(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

// TestNeverAnswered: a server to which there was never a connection is given up soon, and
// the error says what to check.
func TestNeverAnswered(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "key")
	at := nobody(t)
	t.Setenv("STORAGE_EMULATOR_HOST", at)
	for url, hint := range map[string]string{
		"s3://bucket/x?region=r&use_path_style=true&endpoint=http://" + at:           "endpoint",
		"azblob://box/x?storage_account=a&protocol=http&anonymous=true&domain=" + at: "domain",
		"gs://bucket/x?anonymous=true":                                               "STORAGE_EMULATOR_HOST",
		"http://" + at + "/x":                                                        "port",
	} {
		t.Run(url, func(t *testing.T) {
			var c clock
			s := open(t, url, Options{Retries: 10, Sleep: c.sleep})
			_, err := s.ReadAll(t.Context(), "k", 10)
			if slept := time.Duration(c.slept.Load()); err == nil || slept > 7500*time.Millisecond || slept < 5*time.Second {
				t.Fatalf("after %v: %v", slept, err)
			}
			if !strings.Contains(err.Error(), hint) || limits.Passing(err) || !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("%v, want a hint at the %s", err, hint)
			}
		})
	}
}

// TestOutageOfAnAnswerer: two minutes without a connection do not end an operation if the
// server has answered once, also in a store that was opened later.
func TestOutageOfAnAnswerer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	budget := limits.New(0)
	first := open(t, server.URL, Options{Retries: 10, Limits: budget})
	if _, err := first.ReadAll(t.Context(), "k", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	server.Close()
	var c clock
	for _, s := range []*Store{open(t, server.URL, Options{Retries: 10, Limits: budget, Sleep: c.sleep})} {
		_, err := s.ReadAll(t.Context(), "k", 10)
		if slept := time.Duration(c.slept.Load()); !limits.Passing(err) || slept < 2*time.Minute {
			t.Errorf("after %v: %v", slept, err)
		}
	}
}
