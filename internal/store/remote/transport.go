// Package remote is what all places behind a network have in common: the transport of their
// clients, checksums of bodies, and the refusal of answers that do not come from the server.
package remote

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// NewTransport returns the HTTP transport of one client. Proxies are those of
// the environment. Bodies are the bytes of the object as they are stored.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	ConfigureTransport(t)
	return t
}

// manyConnections is more connections than a client ever needs.
const manyConnections = 128

// ConfigureTransport gives a transport the settings of NewTransport.
func ConfigureTransport(t *http.Transport) {
	// HTTP/1.1 uses one connection for each request in flight. So its failures are
	// errors of connections, which are transient.
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	// All workers of a side may talk to one host, and a connection that is not
	// kept costs a handshake at the next request.
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 256
	if part := limits.ShareOfDescriptors(); part < manyConnections {
		t.MaxConnsPerHost, t.MaxIdleConnsPerHost = part, part
	}
	t.ResponseHeaderTimeout = time.Minute
	t.DisableCompression = true
	t.Proxy = http.ProxyFromEnvironment
	t.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		if answer.StatusCode == http.StatusOK {
			return nil
		}
		return driver.NewProxyError(answer.StatusCode)
	}
}
