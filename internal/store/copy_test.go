//go:build !nos3 && !nogcs && !noazure

package store

import (
	"bytes"
	"hash/crc32"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// TestCloudCopy makes servers copy objects with all kinds of names and uploads.
func TestCloudCopy(t *testing.T) {
	for scheme, copies := range map[string]bool{"s3": true, "gs": true, "azblob": false} {
		t.Run(scheme, func(t *testing.T) {
			url := cloud(t, scheme)
			from, to := open(t, url, Options{}), open(t, strings.Replace(url, "some/prefix", "other", 1), Options{})
			large := random(1, threeParts(from))
			if err := write(t.Context(), from, "large", large, 1<<20); err != nil {
				t.Fatal(err)
			}
			objects := map[string]string{"empty": "", "c/0 0": "a space", "a+b%41": "a plus", "ü/日本": "letters", "large": string(large)}
			for _, key := range oddKeys(t, from, "empty", "c/0 0", "a+b%41", "ü/日本", "large") {
				data := []byte(objects[key])
				if key != "large" {
					put(t, from, map[string]string{key: string(data)})
				}
				object, err := from.Stat(t.Context(), key)
				if err != nil || object.Size != int64(len(data)) || object.Version == "" {
					t.Fatalf("%q: %+v, %v", key, object, err)
				}
				before := to.Stats()
				made, ok, err := to.CopyFrom(t.Context(), from, object, "to/"+key)
				if err != nil || ok != copies {
					t.Fatalf("%q: copied %t, %v", key, ok, err)
				}
				if !copies {
					continue
				}
				if made.Sum != crc32.Checksum(data, remote.Castagnoli) {
					t.Errorf("%q: sum %08x", key, made.Sum)
				}
				if after := to.Stats(); after.BytesWritten != before.BytesWritten || after.Requests != before.Requests+1 {
					t.Errorf("%q: %+v", key, after)
				}
				if got := get(t, to, "to/"+key); !bytes.Equal([]byte(got), data) {
					t.Errorf("%q: the copy is another object", key)
				}
			}
			if copies {
				replacedBeforeCopy(t, from, to)
			}
			if to.CanCopy(open(t, "mem://n", Options{})) || to.CanCopy(from) != copies {
				t.Error("copies that cannot be, or not those that can")
			}
		})
	}
}

// replacedBeforeCopy copies an object that was replaced or removed after it was looked at.
func replacedBeforeCopy(t *testing.T, from, to *Store) {
	t.Helper()
	put(t, from, map[string]string{"replaced": "before"})
	object, err := from.Stat(t.Context(), "replaced")
	if err != nil {
		t.Fatal(err)
	}
	put(t, from, map[string]string{"replaced": "behind"})
	for range 2 {
		_, ok, err := to.CopyFrom(t.Context(), from, object, "to/replaced")
		if err == nil || ok || !strings.Contains(err.Error(), "replaced has changed since it was opened") || !to.CanCopy(from) {
			t.Errorf("an object that is another by now: copied %t, %v", ok, err)
		}
		if err := from.Delete(t.Context(), "replaced"); err != nil {
			t.Fatal(err)
		}
	}
	if got := keys(t, to, "to/replaced"); len(got) != 0 {
		t.Errorf("copied to %q", got)
	}
}

// TestCopyRefused copies objects that a server does not copy, or copies wrongly.
func TestCopyRefused(t *testing.T) {
	const result = "<CopyObjectResult><ETag>e</ETag>%</CopyObjectResult>"
	const known = "<ChecksumCRC32C>AAAAAQ==</ChecksumCRC32C><ChecksumType>FULL_OBJECT</ChecksumType>"
	for name, c := range map[string]struct {
		status   int
		body     string
		ok       bool
		fails    bool
		again    bool // CanCopy afterwards
		requests int64
	}{
		"replaced":  {http.StatusPreconditionFailed, "", false, true, true, 1},
		"known":     {http.StatusOK, strings.Replace(result, "%", known, 1), true, false, true, 1},
		"unknown":   {http.StatusOK, strings.Replace(result, "%", "", 1), false, false, false, 1},
		"composite": {http.StatusOK, strings.Replace(result, "%", strings.Replace(known, "FULL_OBJECT", "COMPOSITE", 1), 1), false, false, false, 1},
		"forbidden": {http.StatusForbidden, "", false, false, false, 1},
		"not made":  {http.StatusNotImplemented, "", false, false, false, 1},
		"busy":      {http.StatusServiceUnavailable, "", false, true, true, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			url := s3ServerBehind(t, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					if got := r.Header.Get("X-Amz-Copy-Source"); got != "bucket/some/prefix/a%2Bb" {
						t.Errorf("copies %q", got)
					}
					if got := r.Header.Get("X-Amz-Copy-Source-If-Match"); got != `"its tag"` {
						t.Errorf("copies what has the ETag %q", got)
					}
					w.WriteHeader(c.status)
					_, _ = w.Write([]byte(c.body))
				})
			})
			var said bytes.Buffer
			from, to := open(t, url, Options{}), open(t, url, Options{Log: slog.New(slog.NewTextHandler(&said, nil))})
			impatient(to)
			made, ok, err := to.CopyFrom(t.Context(), from, Info{Key: "a+b", Size: 5 << 30, Version: `"its tag"`}, "k") // the largest that is copied
			if ok != c.ok || ok && (made.Sum != 1 || made.Version != "e") || (err != nil) != c.fails || limits.Passing(err) != (name == "busy") {
				t.Errorf("sum %d, copied %t, %v", made.Sum, ok, err)
			}
			if requests.Load() != c.requests || to.CanCopy(from) != c.again {
				t.Errorf("%d requests, once more: %t", requests.Load(), to.CanCopy(from))
			}
			if told := strings.Contains(said.String(), "read and written"); told == c.again {
				t.Errorf("the log: %s", said.String())
			}
		})
	}
}

// TestCopyOverAnother makes a server copy an object, under a guard, to a key that has an
// object by now. The copy replaces that object, unless the server refuses its version, too.
func TestCopyOverAnother(t *testing.T) {
	for name, accepts := range map[string]bool{"replaced": true, "source replaced": false} {
		t.Run(name, func(t *testing.T) {
			var copies []string
			url := s3ServerBehind(t, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPut {
						w.Header().Set("ETag", `"there"`)
						w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
						return
					}
					copies = append(copies, r.Header.Get("If-None-Match")+r.Header.Get("If-Match"))
					if !accepts || r.Header.Get("If-Match") != `"there"` {
						w.WriteHeader(http.StatusPreconditionFailed)
						return
					}
					_, _ = w.Write([]byte("<CopyObjectResult><ETag>e</ETag><ChecksumCRC32C>AAAAAQ==</ChecksumCRC32C><ChecksumType>FULL_OBJECT</ChecksumType></CopyObjectResult>"))
				})
			})
			from, to := open(t, url, Options{}), open(t, url, Options{})
			to.Guard(newGate())
			made, ok, err := to.CopyFrom(t.Context(), from, Info{Key: "a", Size: 5, Version: `"its tag"`}, "k")
			if ok != accepts || ok && made.Sum != 1 || (err == nil) != accepts || len(copies) != 2 || copies[0] != "*" || copies[1] != `"there"` {
				t.Errorf("sum %d, copied %t, %v after %q", made.Sum, ok, err, copies)
			}
		})
	}
}

// TestCopyWithoutConditions: some servers know conditions of puts, but none of copies. After
// such a server has refused a copy, copies have no conditions.
func TestCopyWithoutConditions(t *testing.T) {
	var copies []string
	url := s3ServerBehind(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			condition := r.Header.Get("If-None-Match") + r.Header.Get("If-Match")
			copies = append(copies, condition)
			if condition != "" {
				w.WriteHeader(http.StatusNotImplemented)
				return
			}
			_, _ = w.Write([]byte("<CopyObjectResult><ETag>e</ETag><ChecksumCRC32C>AAAAAQ==</ChecksumCRC32C><ChecksumType>FULL_OBJECT</ChecksumType></CopyObjectResult>"))
		})
	})
	from, to := open(t, url, Options{}), open(t, url, Options{})
	to.Guard(newGate())
	for range 2 {
		if made, ok, err := to.CopyFrom(t.Context(), from, Info{Key: "a", Size: 5, Version: `"its tag"`}, "k"); !ok || made.Sum != 1 || err != nil {
			t.Errorf("sum %d, copied %t, %v", made.Sum, ok, err)
		}
	}
	if !slices.Equal(copies, []string{"*", "", ""}) {
		t.Errorf("conditions %q", copies)
	}
	if !to.conditions() {
		t.Error("puts have no conditions any more")
	}
}

// TestCopyBetween tells which places one server can copy between.
func TestCopyBetween(t *testing.T) {
	url := s3Server(t)
	to := open(t, url, Options{})
	for other, want := range map[string]bool{
		url: true, strings.Replace(url, "some/prefix", "else", 1): true,
		strings.Replace(url, "eu-west-1", "us-east-1", 1): false, url + "&anonymous=true": false, "mem://name": false, t.TempDir(): false,
	} {
		if got := to.CanCopy(open(t, other, Options{})); got != want {
			t.Errorf("from %s: %t", other, got)
		}
	}
	before := to.Stats()
	if _, ok, err := to.CopyFrom(t.Context(), open(t, url, Options{}), Info{Key: "k", Size: 5<<30 + 1}, "l"); ok || err != nil || to.Stats() != before {
		t.Errorf("more than a request copies: %t, %v", ok, err)
	}
	for _, url := range []string{"mem://name", t.TempDir()} {
		s := open(t, url, Options{})
		if _, ok, err := s.CopyFrom(t.Context(), s, Info{Key: "k", Size: 1}, "l"); ok || err != nil || s.CanCopy(s) {
			t.Errorf("%s: %t, %v", url, ok, err)
		}
	}
}
