//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// impatient records pauses instead of waiting.
func impatient(s *Store) *[]time.Duration {
	pauses := new([]time.Duration)
	s.requests.Sleep = func(_ context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return nil
	}
	return pauses
}

func TestRetries(t *testing.T) {
	for _, c := range []struct {
		name     string
		retries  int
		failures int
		err      error
		attempts int
		ok       bool
	}{
		{"passing", 0, 3, syscall.ECONNRESET, 4, true},
		{"too often", 0, 99, syscall.ECONNRESET, 4, false},
		{"given number", 7, 99, syscall.ECONNRESET, 8, false},
		{"none", -1, 99, syscall.ECONNRESET, 1, false},
		{"disk full", 0, 99, syscall.ENOSPC, 1, false},
		{"not allowed", 0, 99, syscall.EACCES, 1, false},
		{"read-only", 0, 99, syscall.EROFS, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			s := open(t, "mem://name", Options{Retries: c.retries, Fault: func(op, key string) error {
				if calls++; calls <= c.failures {
					return c.err
				}
				return nil
			}})
			pauses := impatient(s)
			err := s.Put(t.Context(), "k", []byte("x"))
			if (err == nil) != c.ok || !c.ok && !errors.Is(err, c.err) {
				t.Errorf("error %v", err)
			}
			if calls != c.attempts || len(*pauses) != c.attempts-1 {
				t.Errorf("%d attempts, %d pauses", calls, len(*pauses))
			}
			top := 100 * time.Millisecond
			for i, p := range *pauses {
				if p < top/2 || p >= top {
					t.Errorf("pause %d is %v", i, p)
				}
				top = min(5*top, time.Minute)
			}
			want := Stats{Requests: int64(c.attempts), Retries: int64(c.attempts - 1)}
			if c.ok {
				want.BytesWritten = 1
			}
			if diff := cmp.Diff(want, s.Stats()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestS3Responses maps the answers of a server to numbers of attempts.
func TestS3Responses(t *testing.T) {
	for status, attempts := range map[int]int64{
		http.StatusTooManyRequests: 4, http.StatusServiceUnavailable: 4, http.StatusInternalServerError: 4,
		http.StatusRequestTimeout: 4, http.StatusForbidden: 1, http.StatusBadRequest: 1, http.StatusNotFound: 1,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.WriteHeader(status)
			}))
			defer server.Close()
			s := open(t, "s3://bucket?anonymous=true&use_path_style=true&endpoint="+url.QueryEscape(server.URL), Options{})
			impatient(s)
			_, err := s.Stat(t.Context(), "k")
			if err == nil || requests.Load() != attempts {
				t.Errorf("%d requests, error %v", requests.Load(), err)
			}
			if limits.Passing(err) != (attempts > 1) {
				t.Errorf("passing: %t", limits.Passing(err))
			}
		})
	}
}

// TestS3BrokenBody cuts the connection in the middle of a body twice.
func TestS3BrokenBody(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Range", "bytes 0-3/4")
		w.Header().Set("Content-Length", "4")
		w.WriteHeader(http.StatusPartialContent)
		if requests.Add(1) < 3 {
			_, _ = w.Write([]byte("ab"))
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte("abcd"))
	}))
	defer server.Close()
	s := open(t, "s3://bucket?anonymous=true&use_path_style=true&endpoint="+url.QueryEscape(server.URL), Options{})
	impatient(s)
	p := make([]byte, 4)
	if err := s.ReadRange(t.Context(), "k", p, 0); err != nil || string(p) != "abcd" {
		t.Errorf("%q, %v", p, err)
	}
	if got := s.Stats(); got.Retries != 2 || got.BytesRead != 4 {
		t.Errorf("%+v", got)
	}
}

// lostAnswer stores an object and then claims that the connection broke. It claims so
// once more when the object is read.
type lostAnswer struct {
	driver.Driver
	lost, unread bool
}

func (d *lostAnswer) Create(ctx context.Context, key string, data []byte) error {
	err := d.Driver.Create(ctx, key, data)
	if err == nil && !d.lost {
		d.lost = true
		return syscall.ECONNRESET
	}
	return err
}

func (d *lostAnswer) ReadAll(ctx context.Context, key string, limit int64, room func(int) []byte) ([]byte, string, error) {
	if !d.unread {
		d.unread = true
		return nil, "", syscall.ECONNRESET
	}
	return d.Driver.ReadAll(ctx, key, limit, room)
}

func TestCreateRecognisesItsOwnObject(t *testing.T) {
	s := open(t, "mem://name", Options{})
	impatient(s)
	s.driver = &lostAnswer{Driver: s.driver}
	if err := s.Create(t.Context(), "k", []byte("mine")); err != nil {
		t.Errorf("own object: %v", err)
	}
	if err := s.Create(t.Context(), "k", []byte("mine")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second: %v", err)
	}
}

// TestCreateRecognisesOtherObjects: after an attempt that failed, an object of somebody else
// is not taken for the store's own.
func TestCreateRecognisesOtherObjects(t *testing.T) {
	for _, theirs := range []string{"what", "more than mine", "", "mi"} {
		s := open(t, "mem://name", Options{})
		impatient(s)
		put(t, s, map[string]string{"k": theirs})
		s.driver = &lostRequest{Driver: s.driver}
		if err := s.Create(t.Context(), "k", []byte("mine")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%q: %v", theirs, err)
		}
	}
}

// lostRequest breaks the connection before the first object is created.
type lostRequest struct {
	driver.Driver
	lost bool
}

func (d *lostRequest) Create(ctx context.Context, key string, data []byte) error {
	if !d.lost {
		d.lost = true
		return syscall.ECONNRESET
	}
	return d.Driver.Create(ctx, key, data)
}

// TestGapBytes: a request to a server costs more than a read of a file.
func TestGapBytes(t *testing.T) {
	for url, want := range map[string]int{t.TempDir(): 8 << 10, "mem://name": 256 << 10} {
		if got := open(t, url, Options{}).GapBytes(); got != want {
			t.Errorf("%s: %d", url, got)
		}
	}
}

// TestVersionsOfPuts compares the versions that puts return with those in a list.
func TestVersionsOfPuts(t *testing.T) {
	for place, url := range map[string]string{"local": t.TempDir() + "/root", "mem": "mem://name/p"} {
		t.Run(place, func(t *testing.T) { checkVersions(t, open(t, url, Options{})) })
	}
}

// TestStatsOfCreate: only what was stored counts as written.
func TestStatsOfCreate(t *testing.T) {
	s := open(t, "mem://name", Options{})
	for range 2 {
		if err := s.Create(t.Context(), "k", []byte("four")); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
		if got := s.Stats().BytesWritten; got != 4 {
			t.Errorf("%d bytes were written", got)
		}
	}
}

func TestFault(t *testing.T) {
	var ops []string
	s := open(t, "mem://name", Options{Fault: func(op, key string) error {
		ops = append(ops, op+" "+key)
		return nil
	}})
	put(t, s, map[string]string{"k": "x"})
	get(t, s, "k")
	keys(t, s, "k")
	if err := s.Delete(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	want := []string{"put k", "read k", "list k", "delete k"}
	if diff := cmp.Diff(want, ops); diff != "" {
		t.Error(diff)
	}
}

func TestMemoryIsShared(t *testing.T) {
	var m Memory
	put(t, open(t, "mem://one/p", Options{Memory: &m}), map[string]string{"k": "x"})
	if got := get(t, open(t, "mem://one", Options{Memory: &m}), "p/k"); got != "x" {
		t.Errorf("%q", got)
	}
	for _, s := range []*Store{open(t, "mem://two/p", Options{Memory: &m}), open(t, "mem://one/p", Options{})} {
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("%s holds %q", s.URL(), got)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, name := range []string{"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING", "STORAGE_EMULATOR_HOST"} {
		t.Setenv(name, "")
	}
	for raw, want := range map[string]string{
		"":                        "empty",
		"ftp://b/p":               `scheme "ftp"`,
		"gopher://b":              "supported: file, mem, s3, gs, azblob",
		"gs://b?region=x":         "known are anonymous",
		"gs://b?anonymous=hunter": "true or false",
		"gs://b?hunter2":          "without a value",
		"https://host/x?hun ter2": "malformed query",
		"azblob://b?sig=hunter2":  `unknown parameter "sig"`,
		"azblob://b":              "storage_account=NAME",
		"azblob://b?storage_account=a&domain=u:hunter2@h": "want a plain name",
		"azblob://b?storage_account=a&protocol=ftp":       "http or https",
		"azblob://b?domain=a&domain=b":                    "more than once",
		"azblob://b/50%25":                                "not accepted in Azure",
		"azblob://b/a./c":                                 "ends with a dot",
		"https://user:hunter2@host/x":                     "credentials do not belong",
		"http:///x":                                       "no server",
		"http://host/a/../b":                              `part ".."`,
		"s3://key:hunter2@bucket/p":                       "credentials do not belong",
		"s3://bucket?awskey=hunter2":                      `unknown parameter "awskey"`,
		"s3://bucket?endpoint=localhost:9000":             "http://",
		"s3://bucket?endpoint=http:///path":               "http://",
		"s3://bucket?endpoint=ftp://host":                 "http://",
		"s3://bucket?anonymous=hunter":                    "true or false",
		"s3://bucket?region=eu west":                      "a name such as",
		"s3:/bucket/hunter2":                              "write s3://bucket/prefix",
		"S3:bucket/hunter2":                               "write s3://bucket/prefix",
		"https:/user:hunter2@host/x":                      "write https://server/path",
		"file:x":                                          "write file:///",
		"gcs://b/x":                                       "write gs://bucket/prefix",
		"s3a://b/x":                                       "write s3://bucket/prefix",
		"abfss://b@a/x":                                   "write azblob://container/prefix",
		"s3://bucket/a/../b":                              `part ".."`,
		"s3:///p":                                         "no bucket",
		"s3://bucket/p?endpoint=http://u:hunter2@h":       "credentials do not belong",
		"s3://bucket/p?endpoint=http://h/?sig=hunter2":    "without a query",
		"s3://bucket?request_checksum_calculation=x":      "when_supported",
		"file://relative/x":                               "three slashes",
		"file://":                                         "no path",
		"mem://x?region=y":                                "unknown parameter",
		"s3://bucket/x#y":                                 "%23",
		"s3://bu cket:hunter2/":                           "s3 URL",
	} {
		_, err := Open(t.Context(), raw, Options{Limits: limits.New(0)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", raw, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the secret is in the message: %v", raw, err)
		}
	}
	for _, raw := range []string{"ftp://b", "gopher://b"} {
		if _, err := Open(t.Context(), raw, Options{Limits: limits.New(0)}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestCheckKey(t *testing.T) {
	for _, c := range []struct {
		url, key string
		ok       bool
	}{
		{"azblob://b/x", "a/zarr.json", true}, {"azblob://b/x", "50%/zarr.json", false}, {"azblob://b/x", "v1./zarr.json", false},
		{"azblob://b/x", "#/zarr.json", false}, {"azblob://b/x", "?", false},
		{"s3://b/x", "50%/zarr.json", true}, {"gs://b/x", "a#/zarr.json", true}, {"s3://b/x", "a\tb", false}, {"gopher://b", "a", true},
		{"gopher://b", "a//b", true}, // Open refuses the URL
	} {
		if err := CheckKey(c.url, c.key); (err == nil) != c.ok {
			t.Errorf("%s below %s: %v", c.key, c.url, err)
		}
	}
}

// TestFar: what is behind a network is told by the URL.
func TestFar(t *testing.T) {
	for url, want := range map[string]bool{
		"s3://b/x": true, "gs://b": true, "azblob://b/x?storage_account=a": true, "https://host/x": true, "s3://b/x.zip": true,
		"mem://x": false, "x": false, "file:///x": false, "x.zip": false, "gopher://b": false, "": false,
	} {
		if got := Far(url); got != want {
			t.Errorf("%q: %v", url, got)
		}
	}
}

// TestLocal: a URL that no store can have names no folder of this machine.
func TestLocal(t *testing.T) {
	for url, want := range map[string]bool{"x": true, "file:///x": true, "mem://x": false, "s3://b": false, "gopher://b": false, "": false} {
		if got := Local(url); got != want {
			t.Errorf("%q: %v", url, got)
		}
	}
}

// TestShown: only a query that may be a secret is hidden. Every other URL stays as it is.
func TestShown(t *testing.T) {
	for url, want := range map[string]string{
		"https://h/x?sig=hunter2": "https://h/x", "https://h/x": "https://h/x", "file:/x": "file:/x", "s3://b/x?region=r": "s3://b/x?region=r", "gopher://b": "gopher://b",
	} {
		if got := Shown(url); got != want {
			t.Errorf("%q: %s", url, got)
		}
	}
}

// TestSame compares stores by their folders.
func TestSame(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{dir + "/a", dir + "/b/../a", true}, {dir + "/a", "file://" + dir + "/a", true}, {dir + "/a", dir + "/b", false},
		{dir, "mem://n", false}, {"mem://n", dir, false}, {"mem://n/x", "mem://n/x", true}, {"mem://n/x", "mem://n/y", false},
		{"https://h/x?one", "https://h/x?other", true},
	} {
		if got := open(t, c.a, Options{}).Same(open(t, c.b, Options{})); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

func TestLocations(t *testing.T) {
	for _, c := range []struct{ url, sibling, dir, key string }{
		{"/a/x.zarr", "/a/x.zarr.s", "/a", "x.zarr"},
		{"x.zarr", "x.zarr.s", ".", "x.zarr"},
		{"./d/x", "d/x.s", "d", "x"},
		{"/a/100%?[1]#", "/a/100%?[1]#.s", "/a", "100%?[1]#"},
		{"file:///a/x%20y", "file:///a/x%20y.s", "file:///a", "x y"},
		{"mem://n/p/x", "mem://n/p/x.s", "mem://n/p", "x"},
		{"s3://b/x?region=r", "s3://b/x.s?region=r", "s3://b?region=r", "x"},
		{"s3://b/p/x%23?region=r", "s3://b/p/x%23.s?region=r", "s3://b/p?region=r", "x#"},
	} {
		sibling, err := Sibling(c.url, ".s")
		if err != nil || sibling != c.sibling {
			t.Errorf("sibling of %s: %s, %v", c.url, sibling, err)
		}
		dir, key, err := Split(c.url)
		if err != nil || dir != c.dir || key != c.key {
			t.Errorf("split %s: %s, %s, %v", c.url, dir, key, err)
		}
	}
	for _, folder := range []string{"/a/", "s3://b", "s3://b/p/", "s3://b/p/?region=r", "/", ".", "a/..", "ftp://host/x", "s3:x"} {
		if dir, key, err := Split(folder); err == nil {
			t.Errorf("split %s: %s, %s", folder, dir, key)
		}
	}
	if got, err := Sibling("mem://n", ".s"); err != nil || got != "mem://n.s" {
		t.Errorf("sibling of all memory of a name: %s, %v", got, err)
	}
	for _, whole := range []string{"s3://b", "/", "ftp://host/x"} {
		if got, err := Sibling(whole, ".s"); err == nil {
			t.Errorf("sibling of %s: %s", whole, got)
		}
	}
	if got, err := Sibling("/a/b/", ".s"); err != nil || got != "/a/b.s" {
		t.Errorf("sibling of a path with a slash: %s, %v", got, err)
	}
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Sibling(".", ".s"); err != nil || got != here+".s" {
		t.Errorf("sibling of .: %s, %v", got, err)
	}
	if got, err := Sibling("..", ".s"); err != nil || got != filepath.Dir(here)+".s" {
		t.Errorf("sibling of ..: %s, %v", got, err)
	}
	for _, c := range [][3]string{
		{"/base", "x/*.nc", "/base/x/*.nc"}, {"/base", "/abs", "/abs"},
		{"/base", "s3://b/x", "s3://b/x"}, {"", "x", "x"}, {"rel", "../x", "x"},
	} {
		if got, err := Join(c[0], c[1]); err != nil || got != c[2] {
			t.Errorf("join %q, %q: %q, %v", c[0], c[1], got, err)
		}
	}
}

func TestGlob(t *testing.T) {
	var m Memory
	if CompareNatural("a1", "ab") >= 0 || CompareNatural("ab", "a1") <= 0 {
		t.Error("a digit is not before a letter")
	}
	if CompareNatural("x", "x1") >= 0 || CompareNatural("xa", "x") <= 0 {
		t.Error("a name is not before a longer one")
	}
	if CompareNatural("x10", "x9") <= 0 || CompareNatural("x9", "x10") >= 0 {
		t.Error("digits do not count as a number")
	}
	names := []string{"x10.nc", "x2.nc", "x1.nc", "x02.nc", "y.nc", "sub/x3.nc", "xfolder.nc/z"}
	objects := make(map[string]string)
	for _, n := range names {
		objects[n] = n
	}
	root := t.TempDir()
	for place, opt := range map[string]Options{root: {}, "mem://n/p": {Memory: &m}, "file://" + root: {}, s3Server(t): {Limits: limits.New(0)}} {
		base, query, _ := strings.Cut(place, "?")
		if query != "" {
			query = "?" + open(t, place, opt).at.Query.Encode()
		}
		put(t, open(t, place, opt), objects)
		for pattern, want := range map[string][]string{
			"x*.nc":     {"x1.nc", "x02.nc", "x2.nc", "x10.nc"},
			"x[0-9].nc": {"x1.nc", "x2.nc"},
			"*/x*.nc":   {"sub/x3.nc"},
			"plain.nc":  {"plain.nc"},
		} {
			got, err := Glob(t.Context(), base+"/"+pattern+query, opt)
			if err != nil {
				t.Errorf("%s/%s: %v", base, pattern, err)
				continue
			}
			for i := range want {
				want[i] = base + "/" + want[i] + query
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s/%s (-want +got):\n%s", base, pattern, diff)
			}
		}
		if _, err := Glob(t.Context(), base+"/none*"+query, opt); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no match: %v", err)
		}
	}
	odd := filepath.Join(root, "data[1].nc")
	if err := os.WriteFile(odd, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Glob(t.Context(), odd, Options{}); err != nil || len(got) != 1 || got[0] != odd {
		t.Errorf("a name with brackets: %q, %v", got, err)
	}
	for _, none := range []string{root + "/none/x[", "mem://none/x["} {
		if got, err := Glob(t.Context(), none, Options{}); !errors.Is(err, path.ErrBadPattern) {
			t.Errorf("%s: %q, error %v", none, got, err)
		}
	}
	if got, err := Glob(t.Context(), root+"/x[", Options{}); err == nil {
		t.Errorf("a bad pattern: %q", got)
	}
	if err := os.WriteFile(root+"/x[", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Glob(t.Context(), root+"/x[", Options{}); err != nil || len(got) != 1 {
		t.Errorf("a file whose name is a bad pattern: %q, %v", got, err)
	}
	for _, glob := range []func(context.Context, string, Options) ([]string, error){Glob, GlobFolders} {
		if got, err := glob(t.Context(), "ftp://host/x*", Options{}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("a scheme that is not known: %q, %v", got, err)
		}
		refused := errors.New("refused")
		fault := func(string, string) error { return refused }
		if got, err := glob(t.Context(), "mem://n/x*", Options{Fault: fault}); !errors.Is(err, refused) {
			t.Errorf("a list that is refused: %q, %v", got, err)
		}
	}
}

// TestListBadPrefix lists below prefixes that no key begins with.
func TestListBadPrefix(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), Options{})
	for _, prefix := range []string{"../a", "/a", "a//b"} {
		err := s.List(t.Context(), prefix, func(Info) error { return nil })
		if err == nil || !strings.Contains(err.Error(), prefix) {
			t.Errorf("%q: %v", prefix, err)
		}
		if names, err := s.Folders(t.Context(), prefix); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("folders in %q: %q, %v", prefix, names, err)
		}
	}
}

// TestRangesAtTheLimits reads where no object has bytes, or can have them.
func TestRangesAtTheLimits(t *testing.T) {
	s := open(t, "mem://name", Options{})
	put(t, s, map[string]string{"k": "four"})
	for off, want := range map[int64]error{
		-1: fs.ErrInvalid, 0: nil, 1: io.ErrUnexpectedEOF, math.MaxInt64 - 4: io.ErrUnexpectedEOF, math.MaxInt64 - 3: fs.ErrInvalid,
	} {
		if err := s.ReadRange(t.Context(), "k", make([]byte, 4), off); !errors.Is(err, want) {
			t.Errorf("from %d on: %v, want %v", off, err, want)
		}
	}
	if err := s.ReadRange(t.Context(), "none", nil, 5); err != nil {
		t.Errorf("no bytes: %v", err)
	}
	if err := s.ReadRange(t.Context(), "none", make([]byte, 1), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a byte: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Sync(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("sync: %v", err)
	}
}

// TestCloseFails: Close returns the error of the place, with its name.
func TestCloseFails(t *testing.T) {
	s, err := Open(t.Context(), "mem://name", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.driver = unclosed{s.driver}
	var named *fs.PathError
	if err := s.Close(); !errors.Is(err, errClose) || !errors.As(err, &named) || named.Path != "mem://name" {
		t.Errorf("got %v", err)
	}
}

var errClose = errors.New("it does not close")

// unclosed is a driver that does not close.
type unclosed struct{ driver.Driver }

func (unclosed) Close() error { return errClose }
