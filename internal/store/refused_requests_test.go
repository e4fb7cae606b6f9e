//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"io/fs"
	"net/http"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// TestForbiddenRange reads a part of an object where every request is refused: nothing tells
// then that the object is shorter.
func TestForbiddenRange(t *testing.T) {
	s := open(t, s3ServerBehind(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	}), Options{})
	err := s.ReadRange(t.Context(), "k", make([]byte, 4), 2)
	if _, short := errors.AsType[*driver.ShortError](err); short || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

// TestCopyOfNoKey copies what is no key.
func TestCopyOfNoKey(t *testing.T) {
	s := open(t, s3ServerBehind(t, func(server http.Handler) http.Handler { return server }), Options{})
	if _, ok, err := s.CopyFrom(t.Context(), s, Info{Key: "../a", Size: 1}, "b"); ok || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("copied %t, %v", ok, err)
	}
}

// TestUnwritable tells the errors of a place that cannot be written to from other errors.
func TestUnwritable(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&driver.StatusError{Code: http.StatusForbidden, Name: "AccessDenied"}, true},
		{&driver.StatusError{Code: http.StatusForbidden, Name: "InvalidAccessKeyId"}, false},
		{&driver.StatusError{Code: http.StatusBadRequest, Name: "AccessDenied"}, false},
		{&fs.PathError{Op: "put", Path: "k", Err: fs.ErrPermission}, true},
		{&fs.PathError{Op: "put", Path: "k", Err: fs.ErrExist}, false},
	} {
		if got := Unwritable(c.err); got != c.want {
			t.Errorf("%v: %t", c.err, got)
		}
	}
}
