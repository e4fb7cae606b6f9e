package location

import (
	"errors"
	"io/fs"
	"net/url"
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, raw := range []string{"a/b", "file:///a%20b", "mem://n/p", "s3://b/p?region=r&endpoint=http://h", "s3://b/%2e%2e", "x://", "http://h/x?a=b&c", "file:/x", "./s3:x", "C:/x"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		l, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := Parse(l.Full())
		if err != nil {
			t.Fatalf("%q became %q: %v", raw, l, err)
		}
		if again.Full() != l.Full() || strings.Contains(again.String(), "?") && again.Hidden != "" {
			t.Fatalf("%q became %q and then %q", raw, l, again)
		}
	})
}

// TestKeys: a key is refused where it begins, too.
func TestKeys(t *testing.T) {
	for _, key := range []string{"", "\nb", "a\n", "\xffb", "a//b", "/a", "a/", ".", "a/.."} {
		if err := CheckKey(key); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if err := CheckKey("a/b c/ü"); err != nil {
		t.Error(err)
	}
}

// TestServer names the server to which requests go.
func TestServer(t *testing.T) {
	for want, l := range map[string]Location{
		"http://h:1": {Scheme: "s3", Host: "b", Query: url.Values{"endpoint": {"http://h:1"}}}, "s3://b": {Scheme: "s3", Host: "b"},
		"example.org": {Scheme: "azblob", Host: "b", Query: url.Values{"domain": {"example.org"}}}, "https://h": {Scheme: "https", Host: "h"},
	} {
		if got := l.Server(); got != want {
			t.Errorf("%+v: %s", l, got)
		}
	}
}

// TestMalformedQuery: an escape that is none is an error that does not quote it.
func TestMalformedQuery(t *testing.T) {
	if l, err := Parse("s3://b?region=%zz"); err == nil || strings.Contains(err.Error(), "zz") {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestKeysOfWindows(t *testing.T) {
	for key, ok := range map[string]bool{
		"a/b.c/zarr.json": true, "auxiliary": true, "com": true, "lpt10/x": true, "é/ü": true, ".zattrs": true,
		"a:b": false, "a/b?": false, `a\b`: false, "lat.": false, "lat ./c": false, "a/b ": false,
		"aux": false, "g/Nul/zarr.json": false, "con.txt": false, "COM1": false, "lpt¹": false, "prn .x": false,
	} {
		if err := checkWindowsKey(key); (err == nil) != ok {
			t.Errorf("%q: %v", key, err)
		}
	}
}
