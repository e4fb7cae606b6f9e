package remote

import (
	"net/http"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Names of the providers in messages.
const (
	S3Provider    = "S3"
	GcsProvider   = "Google Cloud Storage"
	AzureProvider = "Azure"
)

// NotGenuine is the error of a success that no server of the provider sends: some header
// is missing. It is transient, because the proxy or the login page that answered may be
// gone a little later.
func NotGenuine(provider string, cause error) *driver.StatusError {
	return &driver.StatusError{
		Code: http.StatusOK, Cause: cause,
		Hint: "no " + provider + " server answers so; the answer may come from a proxy, or from the login page of a network",
	}
}

// genuine sends the requests of a provider's client. It asks the guard before each
// change, see [driver.Guard]. It refuses answers to reads that no server of the provider
// sends. The client would take such an answer for an object, or for an empty folder.
type genuine struct {
	provider string
	send     func(*http.Request) (*http.Response, error)
}

// NewGenuine returns a client that sends requests by send, and refuses answers that no
// server of the provider gives.
func NewGenuine(provider string, send func(*http.Request) (*http.Response, error)) genuine {
	return genuine{provider, send}
}

// Do is that of an [http.Client].
func (g genuine) Do(r *http.Request) (*http.Response, error) { return g.RoundTrip(r) }

// RoundTrip implements [http.RoundTripper].
func (g genuine) RoundTrip(r *http.Request) (*http.Response, error) {
	r, err := guardedRequest(r)
	if err != nil {
		return nil, err
	}
	answer, err := g.send(r)
	if err != nil || answer.StatusCode/100 != 2 || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return answer, err
	}
	if g.known(r, answer.Header) {
		return answer, nil
	}
	_ = answer.Body.Close() // the error to report is another one
	return nil, NotGenuine(g.provider, nil)
}

// known tells whether a success has the headers that the provider sends: the content
// type of a list, the version of an object.
func (g genuine) known(r *http.Request, h http.Header) bool {
	q := r.URL.Query()
	switch {
	case q.Has("list-type"), q.Has("uploads"), q.Has("comp"):
		return strings.Contains(h.Get("Content-Type"), "xml")
	case g.provider == AzureProvider:
		return h.Get("Last-Modified") != "" && (r.Method == http.MethodGet || h.Get("X-Ms-Creation-Time") != "")
	case g.provider == GcsProvider:
		return h.Get("ETag") != "" || h.Get("X-Goog-Generation") != "" || h.Get("X-Goog-Hash") != "" || strings.Contains(h.Get("Content-Type"), "json")
	default:
		return h.Get("ETag") != ""
	}
}
