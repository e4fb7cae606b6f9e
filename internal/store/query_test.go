//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// signed serves texts to requests with a signature. The signature is for GET.
func signed(texts map[string]string) http.HandlerFunc {
	next := objects(texts)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.RawQuery != "id=7&X-Amz-Signature=hunter2%2F" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next(w, r)
	}
}

// The query of an HTTP URL is sent with every request, and is in no text.
func TestHTTPQuery(t *testing.T) {
	long := noise(1 << 16)
	texts := map[string]string{"/d/a+b=c": long, "/d/empty": "", "/d/a.zip": string(archive(t, zipFile{"stored", long, 0}))}
	server := webServer(t, signed(texts))
	const query = "?id=7&X-Amz-Signature=hunter2%2F"
	folder, key, err := Split(server + "/d/a%2Bb%3Dc" + query)
	if err != nil || folder != server+"/d"+query || key != "a+b=c" {
		t.Fatalf("%s, %s, %v", folder, key, err)
	}
	s := open(t, folder, Options{})
	if got := get(t, s, key); got != long {
		t.Error("another object")
	}
	part := make([]byte, 100)
	if err := s.ReadRange(t.Context(), key, part, 50); err != nil || string(part) != long[50:150] {
		t.Errorf("range: %v", err)
	}
	for key, size := range map[string]int64{key: 1 << 16, "empty": 0} {
		info, err := s.Stat(t.Context(), key)
		if err != nil || info.Size != size || info.ModTime.IsZero() || size > 0 && info.ETag != `"1"` {
			t.Errorf("%s: %+v, %v", key, info, err)
		}
	}
	if _, err := s.Stat(t.Context(), "missing"); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("missing: %v", err)
	}
	if s.URL() != server+"/d" || Shown(folder) != server+"/d" {
		t.Errorf("shown as %s and %s", s.URL(), Shown(folder))
	}
	if got := get(t, open(t, server+"/d/a.zip"+query, Options{}), "stored"); got != long {
		t.Error("another object in the archive")
	}
	expired := open(t, server+"/d?sig=hunter2", Options{})
	_, err = expired.ReadAll(t.Context(), key, 10)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "ask for a new one") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("refused: %v", err)
	}
}

// A server that is the target of a redirect does not learn the query of the first URL.
func TestHTTPQueryNotReferred(t *testing.T) {
	var referer atomic.Value
	server := webServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/front/k" {
			http.Redirect(w, r, "/back", http.StatusFound)
			return
		}
		referer.Store(r.Referer() + r.URL.RawQuery)
		_, _ = w.Write([]byte("x"))
	})
	if got := get(t, open(t, server+"/front?token=hunter2", Options{}), "k"); got != "x" || referer.Load() != "" {
		t.Errorf("%q, told %q", got, referer.Load())
	}
}

// The size comes from any answer to a request for the first byte.
func TestHTTPQueryStat(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		header [2]string
		size   int64
		fails  bool
	}{
		"no ranges":      {200, [2]string{"Content-Length", "5"}, 5, false},
		"a range":        {206, [2]string{"Content-Range", "bytes 0-0/5"}, 5, false},
		"no size":        {206, [2]string{"Content-Range", "bytes 0-0/*"}, 0, true},
		"no range":       {206, [2]string{}, 0, true},
		"no bytes":       {416, [2]string{"Content-Range", "bytes */0"}, 0, false},
		"refuses ranges": {416, [2]string{}, 0, true},
	} {
		server := webServer(t, func(w http.ResponseWriter, _ *http.Request) {
			if test.header[0] != "" {
				w.Header().Set(test.header[0], test.header[1])
			}
			w.WriteHeader(test.status)
		})
		info, err := open(t, server+"?download=1", Options{}).Stat(t.Context(), "k")
		if info.Size != test.size || (err != nil) != test.fails {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
}

// URLs that differ in their signatures name the same object. URLs that differ in another
// parameter do not.
func TestQueryDigest(t *testing.T) {
	digest := func(query string) string {
		l, err := location.Parse("https://h/x?" + query)
		if err != nil {
			t.Fatal(err)
		}
		return l.Digest()
	}
	for _, query := range []string{
		"", "download=1", "X-Amz-Algorithm=a&X-Amz-Credential=c%2Fd&X-Amz-Date=d&X-Amz-Expires=1&X-Amz-SignedHeaders=h&X-Amz-Signature=s",
		"x-goog-signature=s", "Expires=1&Signature=s&Key-Pair-Id=k", "AWSAccessKeyId=k&Signature=s&Expires=1", "access_token=t", "api_key=k",
		"sp=r&st=1&se=2&spr=https&sv=3&sr=b&sig=s%3D", "X-Amz-Signature=s&response-content-type=a",
		"OSSAccessKeyId=k&Expires=1&Signature=s&security-token=t", "x-oss-date=d&x-oss-expires=1&x-oss-credential=c&x-oss-signature-version=v&x-oss-additional-headers=h&x-oss-signature=s",
		"X-Tos-Algorithm=a&X-Tos-Credential=c&X-Tos-Date=d&X-Tos-Expires=1&X-Tos-SignedHeaders=h&X-Tos-Signature=s", "AccessKeyId=k&Expires=1&Signature=s",
		"q-sign-algorithm=a&q-ak=k&q-sign-time=1&q-key-time=1&q-header-list=h&q-url-param-list=&q-signature=s", "Expires=1&KeyName=k&Signature=s",
		"hdnts=exp%3D1~hmac%3Da", "__gda__=1_a", "exp=1&hmac=a", "md5=m&expires=1", "sign=s&nonce=n", "jwt=j", "expiration=1&hash-algorithm=SHA256&Signature=s",
	} {
		if got := digest(query); got != "" {
			t.Errorf("%s: %q", query, got)
		}
	}
	one := digest("id=1&sig=a&se=2")
	if one == "" || one != digest("se=3&sig=b&id=1") || one == digest("id=2&sig=a&se=2") || digest("st=1") == "" || digest("md5=m") == "" || digest("x-oss-process=p") == "" || len(one) != 8 {
		t.Errorf("digest %q", one)
	}
	if a, b := Resolved("https://h/x?id=1&sig=hunter2"), Resolved("https://h/x?id=2"); a == b || strings.Contains(a, "hunter2") {
		t.Errorf("%s, %s", a, b)
	}
}

func TestPathsLikeURLs(t *testing.T) {
	for raw, want := range map[string]string{"./s3:x": "./s3:x.zmigrate", "file:/tmp/x": "file:///tmp/x.zmigrate"} {
		if got, err := Sibling(raw, ".zmigrate"); filepath.ToSlash(got) != want || err != nil {
			t.Errorf("%s: %s, %v", raw, got, err)
		}
	}
	if got, err := Join(".", "./s3:x"); got != "./s3:x" || err != nil {
		t.Errorf("joined as %s, %v", got, err)
	}
}

func TestS3OpenHints(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none, "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "",
	} {
		t.Setenv(name, value)
	}
	for url, want := range map[string]string{"s3://bucket": "AWS_REGION", "s3://bucket?profile=p": "AWS_SHARED_CREDENTIALS_FILE"} {
		if _, err := Open(t.Context(), url, Options{Limits: limits.New(0)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for name, status := range map[string]int{"ExpiredToken": 400, "": 400} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			if name != "" {
				_, _ = w.Write([]byte("<Error><Code>" + name + "</Code></Error>"))
			}
		}))
		t.Cleanup(server.Close)
		s := open(t, "s3://bucket?region=r&anonymous=true&use_path_style=true&endpoint="+server.URL, Options{})
		if err := s.Put(t.Context(), "k", nil); err == nil || !strings.Contains(err.Error(), "run out") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
