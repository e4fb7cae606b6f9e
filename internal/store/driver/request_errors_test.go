package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"syscall"
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
		"": {0, 0}, "soon": {0, 0}, "-1": {0, 0}, "15": {15 * time.Second, 15 * time.Second}, "99999999999": {0, 0}, "3000000000": {0, 0},
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

// TestCheckSize compares the size of a whole object with the size that is known.
func TestCheckSize(t *testing.T) {
	for _, c := range []struct {
		was  Info
		size int64
		ok   bool
	}{{Info{Key: "k", Size: 5}, 5, true}, {Info{Key: "k", Size: 5}, 0, false}, {Info{Key: "k", Size: 5}, -1, true}, {Info{}, 5, true}} {
		if err := c.was.CheckSize(c.size); (err == nil) != c.ok || err != nil && !Transient(err) {
			t.Errorf("%d for %+v: %v", c.size, c.was, err)
		}
	}
}

// TestFileVersion is a time in nanoseconds.
func TestFileVersion(t *testing.T) {
	if got := FileVersion(time.Unix(1, 5)); got != "1000000005" {
		t.Error(got)
	}
}

// TestShortError names the bytes that are wanted, and the size of the object.
func TestShortError(t *testing.T) {
	if got := (&ShortError{Off: 5, Want: 10, Size: 7}).Error(); !strings.HasPrefix(got, "bytes 5 to 15 wanted, but the object has 7: ") {
		t.Error(got)
	}
}

// TestTransient tells errors that pass from those that stay.
func TestTransient(t *testing.T) {
	for err, want := range map[error]bool{
		io.ErrUnexpectedEOF: true, io.EOF: true, syscall.ECONNRESET: true, context.Canceled: true, ConnectionError{context.Canceled}: true, fs.ErrNotExist: false, fs.ErrExist: false, &ShortError{}: false,
		Conflict(syscall.ECONNRESET): false, ConnectionError{fmt.Errorf("%w %w", fs.ErrNotExist, io.EOF)}: false,
		NewProxyError(500): true, NewProxyError(502): true, NewProxyError(429): true, NewProxyError(403): false, NewProxyError(499): false,
	} {
		if _, ok := errors.AsType[*proxyError](err); ok {
			err = ConnectionError{err}
		}
		if got := Transient(err); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}

// TestBrokenBody: a body that ends early is no end.
func TestBrokenBody(t *testing.T) {
	broken := errors.New("broken")
	for err, want := range map[error]error{io.EOF: io.ErrUnexpectedEOF, io.ErrUnexpectedEOF: io.ErrUnexpectedEOF, broken: broken} {
		if got := BrokenBody(5, err); !errors.Is(got, want) || errors.Is(got, io.EOF) || !strings.Contains(got.Error(), "5 bytes") {
			t.Errorf("%v: %v", err, got)
		}
	}
}
