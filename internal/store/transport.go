package store

import (
	"net/http"
	"time"
)

// newTransport returns the HTTP transport of one client: proxies are those of
// the environment, and what is read are the bytes of the object as they are
// stored.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	prepare(t)
	return t
}

// prepare is newTransport for a client that makes its own.
func prepare(t *http.Transport) {
	// HTTP/1.1 has a connection for each request, and its failures are those of
	// connections, which may pass.
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	// All workers of a side may talk to one host, and a connection that is not
	// kept costs a handshake at the next request.
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 256
	t.ResponseHeaderTimeout = time.Minute
	t.DisableCompression = true
}
