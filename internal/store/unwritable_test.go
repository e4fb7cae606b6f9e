package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// TestWaysOut: an error of reading that a user can end says how.
func TestWaysOut(t *testing.T) {
	refused := fmt.Errorf("array: %w", &fs.PathError{Op: "head", Path: "/data/x.nc", Err: os.ErrPermission})
	for _, test := range []struct {
		err  error
		want string
	}{
		{refused, "array: head /data/x.nc: permission denied: let this user read it, or run as a user who may"},
		{&fs.PathError{Op: "open", Path: "https://host/x.nc", Err: os.ErrPermission}, "open https://host/x.nc: permission denied"},
		{fs.ErrNotExist, "file does not exist"},
		{driver.ConnectionError{Cause: &net.DNSError{Err: "no such host", Name: "host", IsNotFound: true}}, "lookup host: no such host; check the name of the server in the URL"},
		{driver.ConnectionError{Cause: &net.DNSError{Err: "server misbehaving", Name: "host"}}, "lookup host: server misbehaving"},
	} {
		if got := store.ReadingRefused(test.err); !errors.Is(got, test.err) || got.Error() != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	if store.ReadingRefused(nil) != nil {
		t.Error("no error became one")
	}
}
