package driver

import (
	"errors"
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

// An error without a URL stays.
func TestWithoutURL(t *testing.T) {
	want := errors.New("no room")
	if err := WithoutURL(want); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

// TestOnePage: a page that fails can be asked for once more, and the list ends behind it.
func TestOnePage(t *testing.T) {
	broken, tries := errors.New("broken"), 0
	next := OnePage(func() ([]string, error) {
		if tries++; tries == 1 {
			return nil, broken
		}
		return []string{"a"}, nil
	})
	if _, err := next(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if names, err := next(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("got %v, %v", names, err)
	}
	if _, err := next(t.Context()); !errors.Is(err, ErrEnd) || tries != 2 {
		t.Errorf("got %v after %d tries", err, tries)
	}
}

// A bad request has a hint if the server gives no reason, and none if it does.
func TestHintOfBadRequest(t *testing.T) {
	for name, hint := range map[string]bool{"": true, "BadRequest": true, "InvalidArgument": false} {
		e := (&StatusError{Code: http.StatusBadRequest, Name: name}).WithHint("access")
		if (e.Hint != "") != hint {
			t.Errorf("%q: hint %q", name, e.Hint)
		}
	}
}
