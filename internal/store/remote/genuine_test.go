package remote

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// body tells whether it was closed.
type body struct {
	io.Reader
	closed bool
}

func (b *body) Close() error { b.closed = true; return nil }

// TestGenuine: a success that no server of the provider sends is refused, if it answers a
// read.
func TestGenuine(t *testing.T) {
	for _, c := range []struct {
		provider, method, url string
		status                int
		headers               string // "NAME: VALUE|…"
		ok                    bool
	}{
		{S3Provider, "GET", "/k", 200, "", false}, {S3Provider, "GET", "/k", 200, "ETag: e", true}, {S3Provider, "HEAD", "/k", 200, "", false},
		{S3Provider, "PUT", "/k", 200, "", true}, {S3Provider, "DELETE", "/k", 204, "", true}, {S3Provider, "GET", "/k", 404, "", true},
		{S3Provider, "GET", "/k", 304, "", true}, {S3Provider, "GET", "/?list-type=2", 200, "ETag: e", false}, {S3Provider, "GET", "/?list-type=2", 200, "Content-Type: application/xml", true},
		{S3Provider, "GET", "/?uploads", 200, "Content-Type: text/html", false}, {S3Provider, "GET", "/?uploads", 200, "Content-Type: text/xml", true},
		{AzureProvider, "GET", "/k", 200, "", false}, {AzureProvider, "GET", "/k", 200, "Last-Modified: now", true}, {AzureProvider, "GET", "/k", 206, "X-Ms-Creation-Time: now", false},
		{AzureProvider, "HEAD", "/k", 200, "Last-Modified: now", false}, {AzureProvider, "HEAD", "/k", 200, "Last-Modified: now|X-Ms-Creation-Time: now", true},
		{AzureProvider, "GET", "/?comp=list", 200, "Last-Modified: now", false}, {AzureProvider, "GET", "/?comp=list", 200, "Content-Type: application/xml", true},
		{GcsProvider, "GET", "/k", 200, "", false}, {GcsProvider, "GET", "/k", 200, "ETag: e", true}, {GcsProvider, "GET", "/k", 200, "X-Goog-Generation: 1", true},
		{GcsProvider, "GET", "/k", 200, "X-Goog-Hash: h", true}, {GcsProvider, "GET", "/k", 200, "Content-Type: application/json", true}, {GcsProvider, "GET", "/k", 200, "Content-Type: text/html", false},
	} {
		sent := &body{Reader: strings.NewReader("")}
		g := NewGenuine(c.provider, func(*http.Request) (*http.Response, error) {
			answer := &http.Response{StatusCode: c.status, Header: http.Header{}, Body: sent}
			for h := range strings.SplitSeq(c.headers, "|") {
				if name, value, ok := strings.Cut(h, ": "); ok {
					answer.Header.Set(name, value)
				}
			}
			return answer, nil
		})
		r, err := http.NewRequestWithContext(t.Context(), c.method, "http://h"+c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := g.Do(r) //nolint:bodyclose // it has none
		if (err == nil) != c.ok || (answer != nil) != c.ok || sent.closed == c.ok || !c.ok && (!driver.Transient(err) || !strings.Contains(err.Error(), c.provider)) {
			t.Errorf("%s %s, %d %q: %v", c.method, c.url, c.status, c.headers, err)
		}
	}
}

// TestGuardedSending: a change is sent only if the guard allows it. The error of sending is
// that of the client.
func TestGuardedSending(t *testing.T) {
	broken := errors.New("broken")
	for method, c := range map[string]struct {
		left int // checks that succeed
		want error
	}{http.MethodGet: {0, broken}, http.MethodHead: {0, broken}, http.MethodPut: {0, errTakeover}, http.MethodDelete: {1, broken}} {
		sent := 0
		g := NewGenuine(S3Provider, func(*http.Request) (*http.Response, error) { sent++; return nil, broken })
		r, err := http.NewRequestWithContext(driver.WithGuard(t.Context(), &cutting{left: c.left}), method, "http://h/k", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.RoundTrip(r); !errors.Is(err, c.want) || (sent == 0) != errors.Is(c.want, errTakeover) { //nolint:bodyclose // there is no answer
			t.Errorf("%s: %d sent, %v", method, sent, err)
		}
	}
}

// TestTransport looks at the settings of all clients.
func TestTransport(t *testing.T) {
	transport := NewTransport()
	if !transport.Protocols.HTTP1() || transport.Protocols.HTTP2() || !transport.DisableCompression || transport.MaxIdleConns != 0 || transport.ResponseHeaderTimeout != time.Minute {
		t.Errorf("%+v", transport)
	}
	for _, name := range []string{"https_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(name, "")
	}
	t.Setenv("HTTPS_PROXY", "http://proxy.test:3128")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.test", nil)
	if err != nil {
		t.Fatal(err)
	}
	if proxy, err := transport.Proxy(r); err != nil || proxy == nil || proxy.Host != "proxy.test:3128" {
		t.Errorf("%v, %v", proxy, err)
	}
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusProxyAuthRequired: false} {
		if err := transport.OnProxyConnectResponse(t.Context(), nil, nil, &http.Response{StatusCode: status}); (err == nil) != want {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestHeaderSums: only a whole checksum under its own name counts.
func TestHeaderSums(t *testing.T) {
	for text, want := range map[string]driver.Sum{
		"crc32c=AAAAAQ==": {Table: Castagnoli, Value: 1}, "md5=x, crc32c=AAAAAQ==": {Table: Castagnoli, Value: 1},
		"AAAAAQ==": {}, "crc32c=AAAA": {}, "crc32c=AAAAAAA=": {}, "crc32c=?": {}, "": {},
	} {
		if got := HeaderSums(http.Header{"X-Goog-Hash": {text}}); got.Crc != want || got.Md5 != nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for text, want := range map[string]int{"AAAAAAAAAAAAAAAAAAAAAA==": 16, "AAAA": 0, "?": 0} {
		if got := HeaderSums(http.Header{"Content-Md5": {text}}); len(got.Md5) != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestEtagKind: whether an ETag is an MD5 is learned from the first object.
func TestEtagKind(t *testing.T) {
	data := []byte("bytes")
	same := AnswerSums{Md5: []byte("\x4b\x3a\x62\x18\xbb\x3e\x3a\x73\x03\xe8\xa1\x71\xa6\x0f\xcf\x92"), Guess: true} // by md5sum
	other := AnswerSums{Md5: make([]byte, 16), Guess: true}
	for _, c := range []struct {
		first AnswerSums
		kind  int32
		wrong bool // another ETag is an error then
	}{{same, 1, true}, {other, -1, false}} {
		var g EtagKind
		for range 2 {
			if err := g.Compare(data, c.first); err != nil || g.Load() != c.kind {
				t.Errorf("%v, kind %d", err, g.Load())
			}
		}
		if err := g.Compare(data, other); (err != nil) != c.wrong || err != nil && !driver.Transient(err) {
			t.Errorf("kind %d: %v", c.kind, err)
		}
		other := other
		other.Guess = false
		if err := g.Compare(data, other); !driver.Transient(err) {
			t.Errorf("kind %d, not a guess: %v", c.kind, err)
		}
	}
}
