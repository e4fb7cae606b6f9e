//go:build !nogcs

package gcs

import (
	"net/http"
	"testing"

	"golang.org/x/oauth2"
)

// TestRefusedToken: the error of a login that is refused for good has a way out. The error
// of a busy server has none.
func TestRefusedToken(t *testing.T) {
	for code, want := range map[int]string{http.StatusBadRequest: access, http.StatusServiceUnavailable: ""} {
		a := new(objects).Answer(&oauth2.RetrieveError{Response: &http.Response{StatusCode: code}})
		if a == nil || a.Code != code || a.Hint != want {
			t.Errorf("%d: %+v", code, a)
		}
	}
}

// An emulator may tell no generation. Then there is no version.
func TestGeneration(t *testing.T) {
	for number, want := range map[string]string{"": "", "x": "", "-1": "", "0": "", "1": "1", "1700000000000001": "1700000000000001"} {
		if got := version(number); got != want {
			t.Errorf("%s: %q", number, got)
		}
	}
}
