//go:build !nos3 && !nogcs && !noazure

package store

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

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
		proxy, err := url.Parse(webServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		if err != nil {
			t.Fatal(err)
		}
		proxy.User = url.UserPassword("user", "hunter2")
		s := open(t, "https://example.test/d", Options{Retries: 1})
		impatient(s)
		s.driver.(*web).client.Transport.(*http.Transport).Proxy = http.ProxyURL(proxy)
		_, err = s.Stat(t.Context(), "k")
		if err == nil || !strings.Contains(err.Error(), "the proxy") || !strings.Contains(err.Error(), want.text) || strings.Contains(err.Error(), "hunter2") || Passing(err) != want.passing {
			t.Errorf("%d: %v", code, err)
		}
		if retries := s.Stats().Retries; (retries > 0) != want.passing {
			t.Errorf("%d: %d retries", code, retries)
		}
	}
}

// TestMalformedURL asks for a server with an impossible name.
func TestMalformedURL(t *testing.T) {
	host := "me.[::1]:1"
	_, err := url.Parse("http://" + host + "/x")
	if err = withoutURL(err); err == nil || transient(err) || strings.Contains(err.Error(), "::1") {
		t.Errorf("%v, to be repeated: %t", err, transient(err))
	}
}
