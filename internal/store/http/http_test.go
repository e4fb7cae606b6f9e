package http

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// serverAt returns the driver of a URL.
func serverAt(t *testing.T, url string) *Driver {
	t.Helper()
	at, err := location.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	d := New(at, limits.New(0), nil)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// TestStatOfNothing: an object may have no bytes.
func TestStatOfNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "key", time.Time{}, strings.NewReader(""))
	}))
	t.Cleanup(server.Close)
	if info, err := serverAt(t, server.URL).Stat(t.Context(), "key"); err != nil || info.Size != 0 || info.Key != "key" {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestBodyIsClosed: an object that is too large is not read, and leaves no connection open.
func TestBodyIsClosed(t *testing.T) {
	closed := make(chan struct{}, 10)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(make([]byte, 100))
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
	if _, _, err := serverAt(t, server.URL).ReadAll(t.Context(), "key", 10, func(n int) []byte { return make([]byte, n) }); !errors.Is(err, driver.ErrTooLarge) {
		t.Fatal(err)
	}
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Error("the connection stays open")
	}
}

// TLS uses HTTP/1.1, and checks certificates.
func TestHTTPS(t *testing.T) {
	var versions atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		versions.Store(int64(r.ProtoMajor))
		http.ServeContent(w, r, "key", time.Time{}, strings.NewReader("0123456789"))
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	d := serverAt(t, server.URL)
	if _, err := d.Stat(t.Context(), "key"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody knows: %v", err)
	}
	known := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	d.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: known}
	data, _, err := d.ReadAll(t.Context(), "key", 100, func(n int) []byte { return make([]byte, n) })
	if string(data) != "0123456789" || err != nil || versions.Load() != 1 {
		t.Errorf("%q, %v, or HTTP/%d", data, err, versions.Load())
	}
}

// TestProxyThatRefuses has a proxy that opens no connection.
func TestProxyThatRefuses(t *testing.T) {
	for code, want := range map[int]struct {
		text    string
		passing bool
	}{
		http.StatusForbidden:         {"NO_PROXY", false},
		http.StatusNotFound:          {"NO_PROXY", false},
		http.StatusProxyAuthRequired: {"user and password", false},
		http.StatusBadGateway:        {"502 Bad Gateway", true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(server.Close)
		proxy, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		proxy.User = url.UserPassword("user", "hunter2")
		d := serverAt(t, "https://example.test/d")
		d.client.Transport.(*http.Transport).Proxy = http.ProxyURL(proxy)
		r := &limits.Requests{
			At: d.at, Limits: limits.New(0), Attempts: 2, Patience: time.Minute, Log: slog.New(slog.DiscardHandler),
			Sleep: func(context.Context, time.Duration) error { return nil },
		}
		err = r.Do(t.Context(), "stat", "k", 0, func(ctx context.Context) error {
			_, err := d.Stat(ctx, "k")
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "the proxy") || !strings.Contains(err.Error(), want.text) || strings.Contains(err.Error(), "hunter2") || limits.Passing(err) != want.passing {
			t.Errorf("%d: %v", code, err)
		}
		if retries := r.Repeated.Load(); (retries > 0) != want.passing {
			t.Errorf("%d: %d retries", code, retries)
		}
	}
}
