//go:build !noazure

package azure

import (
	"errors"
	"net/url"
	"testing"
)

func TestAzureAttempts(t *testing.T) {
	chain := errors.New("DefaultAzureCredential: failed to acquire a token.\nAttempted credentials:\n\tA: none\n\tB failed. \n\t\tGET http://host/?hunter2")
	if got := attempts(chain); got != "A: none; B failed" {
		t.Error(got)
	}
	if got := attempts(errors.New("one line")); got != "one line" {
		t.Error(got)
	}
}

// TestAzureAddresses has services at IP addresses, before which no account can stand.
func TestAzureAddresses(t *testing.T) {
	for domain, want := range map[string]string{
		"127.0.0.1:10000": "http://127.0.0.1:10000/me", "localhost:10000": "http://localhost:10000/me",
		"[::1]:10000": "http://[::1]:10000/me", "[::1]": "http://[::1]/me", "10.0.0.5:10000": "http://10.0.0.5:10000/me",
		"example.org:10000": "http://me.example.org:10000", "10.0.0.5.example.org": "http://me.10.0.0.5.example.org",
	} {
		_, got, err := serviceOf(url.Values{"storage_account": {"me"}, "protocol": {"http"}, "domain": {domain}}, "")
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", domain, got, err, want)
		}
	}
}
