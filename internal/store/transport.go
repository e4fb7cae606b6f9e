package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// newTransport returns the HTTP transport of one client: proxies are those of
// the environment, and what is read are the bytes of the object as they are
// stored.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	configureTransport(t)
	return t
}

// configureTransport is newTransport for a client that makes its own.
func configureTransport(t *http.Transport) {
	// HTTP/1.1 has a connection for each request, and its failures are those of
	// connections, which may pass.
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	// All workers of a side may talk to one host, and a connection that is not
	// kept costs a handshake at the next request.
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 256
	if part := fileLimitsOf(Descriptors()).connected; part > 0 {
		t.MaxConnsPerHost, t.MaxIdleConnsPerHost = part, part
	}
	t.ResponseHeaderTimeout = time.Minute
	t.DisableCompression = true
	t.Proxy = proxyOf
	t.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		if answer.StatusCode == http.StatusOK {
			return nil
		}
		return &proxyError{answer.StatusCode}
	}
}

// proxyOf is the proxy of the environment for a request. The error for one that is
// malformed would quote it, with its password.
func proxyOf(r *http.Request) (*url.URL, error) {
	proxy, err := http.ProxyFromEnvironment(r)
	if err != nil {
		return nil, fmt.Errorf("the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY) is no URL (not quoted here, it may hold a password): percent-encode what is special in it: %w", errors.ErrUnsupported)
	}
	return proxy, nil
}

// proxyError is a proxy that lets nobody through to a server.
type proxyError struct{ code int }

func (e *proxyError) Error() string {
	text := fmt.Sprintf("the proxy that the environment names (HTTPS_PROXY) answers %d %s", e.code, http.StatusText(e.code))
	if e.code == http.StatusProxyAuthRequired {
		return text + ": put the user and password that it wants into that variable"
	}
	return text + ": have it let requests to this server through, or name the server in NO_PROXY"
}

// transient tells whether it may do so a little later.
func (e *proxyError) transient() bool { return e.code >= 500 || e.code == http.StatusTooManyRequests }
