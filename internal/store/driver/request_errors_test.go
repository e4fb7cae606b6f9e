package driver

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestMalformedURL asks for a server with an impossible name.
func TestMalformedURL(t *testing.T) {
	host := "me.[::1]:1"
	_, err := url.Parse("http://" + host + "/x")
	if err = WithoutURL(err); err == nil || Transient(err) || strings.Contains(err.Error(), "::1") {
		t.Errorf("%v, to be repeated: %t", err, Transient(err))
	}
}

// TestPauseOf reads for how long a server wants to be left alone: in seconds, or until a
// date.
func TestPauseOf(t *testing.T) {
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for text, want := range map[string][2]time.Duration{
		"": {0, 0}, "soon": {0, 0}, "-1": {0, 0}, "15": {15 * time.Second, 15 * time.Second}, "99999999999": {0, 0},
		later: {50 * time.Minute, time.Hour}, "Mon, 02 Jan 2006 15:04:05 GMT": {0, 0},
	} {
		header := http.Header{}
		if text != "" {
			header.Set("Retry-After", text)
		}
		if got := PauseOf(header); got < want[0] || got > want[1] {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
