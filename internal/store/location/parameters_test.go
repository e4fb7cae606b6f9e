package location

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckPath(t *testing.T) {
	for path, ok := range map[string][2]bool{ // on Linux, on Windows
		`C:\x.zarr`: {false, true}, "c:/x.zarr": {false, true}, "./C:/x": {true, true}, "s3:x": {false, false}, "./s3:x": {true, true},
		"12:00.nc": {true, true}, "data:x": {true, true}, "C:x": {true, true}, "HTTPS:/h": {false, false}, "": {true, true},
	} {
		for i, system := range []string{"linux", "windows"} {
			if err := checkPath(path, system); (err == nil) != ok[i] {
				t.Errorf("%s on %s: %v", path, system, err)
			}
		}
	}
}

// The way out for a path of Windows is the same path as a relative one.
func TestPathOfWindows(t *testing.T) {
	if err := checkPath(`C:\x.zarr`, "linux"); err == nil || !strings.HasPrefix(err.Error(), `"C:\\" begins`) || !strings.Contains(err.Error(), "write ./C:…") {
		t.Errorf("got %v", err)
	}
}

// A protocol is http or https, or not given.
func TestProtocol(t *testing.T) {
	for value, good := range map[string]bool{"": true, "http": true, "https": true, "ftp": false} {
		if err := checkParameter("protocol", value); (err == nil) != good {
			t.Errorf("protocol %q: %v", value, err)
		}
	}
}

// TestPathOfUser: a path that may hold a password is refused, and not quoted.
func TestPathOfUser(t *testing.T) {
	for _, path := range []string{"//user:hunter2@host/x", `\\user:hunter2@host\x`} {
		if err := checkPath(path, "linux"); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestDigestOfOrder: the order of parameters does not say which object a URL names.
func TestDigestOfOrder(t *testing.T) {
	one, other := Location{Hidden: "a=1&b=2"}.Digest(), Location{Hidden: "b=2&a=1"}.Digest()
	if one != other || one == "" || one == (Location{Hidden: "a=1&b=3"}).Digest() {
		t.Errorf("%q and %q", one, other)
	}
}

func TestFromURL(t *testing.T) {
	for _, test := range [][3]string{
		{"/data/x", "linux", "/data/x"}, {"/C:/data", "linux", "/C:/data"},
		{"/C:/data", "windows", "C:/data"}, {"/data/x", "windows", "/data/x"}, {"/", "windows", "/"},
	} {
		if got := filepath.ToSlash(FromURL(test[0], test[1])); got != test[2] {
			t.Errorf("%s on %s: %s, want %s", test[0], test[1], got, test[2])
		}
	}
}
