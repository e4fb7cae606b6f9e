package e2e

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// providers are the schemes of the buckets on the servers of `make cloud-test`.
var providers = []string{"s3", "gs", "azblob"}

// cloud returns a function for the URLs of places, in a folder of its own, in the
// bucket of a server. Without the server the test is skipped, or fails if
// ZMIGRATE_REQUIRE_PEERS is 1.
func cloud(t *testing.T, scheme string) func(place string) string {
	t.Helper()
	name := "ZMIGRATE_" + strings.ToUpper(scheme)
	at := os.Getenv(name)
	switch {
	case at != "":
	case os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1":
		t.Fatalf("%s names no bucket: `make cloud-test` starts servers", name)
	default:
		t.Skipf("needs a bucket of an object-store server: `make cloud-test` starts them (%s)", name)
	}
	bucket, query, _ := strings.Cut(at, "?")
	folder := bucket + "/" + rand.Text() + "/"
	return func(place string) string { return strings.TrimSuffix(folder+place+"?"+query, "?") }
}

// objects returns the SHA-256 of every object below a URL, by its key.
func objects(t *testing.T, url string) map[string]string {
	t.Helper()
	s, err := store.Open(t.Context(), url, store.Options{Limits: limits.New(0)})
	if err != nil {
		t.Fatal(err)
	}
	found := digests(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestCloudMigration runs the program to migrate a hierarchy from a folder to one
// provider after the other, and back to the first. The checkpoint lies beside each
// target. The objects must always be those of a run from file to file.
func TestCloudMigration(t *testing.T) {
	dir := fast(t)
	job, target := cube(t, dir, 48, "zstd")
	finished := undisturbed(t, job, target)
	var urls []string
	for _, scheme := range providers {
		urls = append(urls, cloud(t, scheme)("deep/er/cube.zarr"))
	}
	urls = append(urls, cloud(t, providers[0])("last.zarr"))
	from := ""
	for _, to := range urls {
		arguments := []string{"--set", "target.url=" + to, job}
		if from != "" {
			arguments = []string{write(t, t.TempDir(), "copy.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: zarr, url: %q}, target: {url: %q}}", from, to))}
		}
		if s := run(t, arguments...); s.Chunks == 0 || s.Nothing {
			t.Errorf("%s: %+v", to, s)
		}
		if diff := cmp.Diff(finished, objects(t, to)); diff != "" {
			t.Errorf("%s (-local +there):\n%s", to, diff)
		}
		beside, err := store.Sibling(to, ".zmigrate")
		if err != nil {
			t.Fatal(err)
		}
		for key := range objects(t, beside) {
			if key != "done.json" && key != "report.json" && filepath.Dir(key) != "lock" && filepath.Dir(key) != "objects" {
				t.Errorf("left beside %s: %s", to, key)
			}
		}
		if s := run(t, arguments...); !s.Nothing {
			t.Errorf("%s, again: %+v", to, s)
		}
		from = to
	}
	for _, url := range urls[:len(providers)] {
		src, err := zarr.Open(t.Context(), url, zarr.Options{Codecs: standard.Registry(dtype.Standard())})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.SplitN(url, ":", 2)[0], func(t *testing.T) { sourcetest.Run(t, src) })
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	findPeers(t).check(t, "check_cloud.py", append([]string{target}, urls...)...)
}

// TestCloudSources reads a file by ranges from each provider.
func TestCloudSources(t *testing.T) {
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]string
	for _, scheme := range append([]string{""}, providers...) {
		dir, at := fast(t), absolute(t, example)
		if scheme != "" {
			at = cloud(t, scheme)("in/" + filepath.Base(example))
			folder, key, err := store.Split(at)
			if err != nil {
				t.Fatal(err)
			}
			put(t, folder, key, data)
			if at, err = glob(t, at); err != nil {
				t.Fatal(err)
			}
		}
		job := write(t, dir, "job.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {url: out.zarr}}", at))
		got := undisturbed(t, job, filepath.Join(dir, "out.zarr"))
		if scheme == "" {
			want = got
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-local +there):\n%s", scheme, diff)
		}
	}
}

// put stores one object.
func put(t *testing.T, folder, key string, data []byte) {
	t.Helper()
	s, err := store.Open(t.Context(), folder, store.Options{Limits: limits.New(0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), key, bytes.Clone(data)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// glob finds an object by the first letters of its name.
func glob(t *testing.T, url string) (string, error) {
	t.Helper()
	place, query, parameters := strings.Cut(url, "?")
	place = place[:strings.LastIndex(place, "/")+3] + "*"
	if parameters {
		place += "?" + query
	}
	found, err := store.Glob(t.Context(), place, store.Options{Limits: limits.New(0)})
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("%s: %q, %w", place, found, err)
	}
	return found[0], nil
}

// TestCloudCopies migrates a hierarchy of Zarr v2 to v3 in one bucket. The server
// copies the chunks, and the program sends it no other data.
func TestCloudCopies(t *testing.T) {
	for _, scheme := range []string{"s3", "gs"} {
		t.Run(scheme, func(t *testing.T) {
			at := cloud(t, scheme)
			var copies, puts, sent atomic.Int64
			count := func(r *http.Request) {
				switch {
				case r.Header.Get("X-Amz-Copy-Source") != "", strings.Contains(r.URL.Path, "/rewriteTo/"):
					copies.Add(1)
				case r.Method == http.MethodPut, strings.HasPrefix(r.URL.Path, "/upload/"):
					puts.Add(1)
					sent.Add(max(0, r.ContentLength))
				}
			}
			source, target := throughProxy(t, scheme, at, count)
			const chunk = 64 << 10
			document := fmt.Appendf(nil, `{"zarr_format":2,"shape":[4,%d],"chunks":[1,%d],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`, chunk, chunk)
			put(t, source, ".zarray", document)
			want := map[string]string{}
			for i := range 4 {
				data := bytes.Repeat([]byte{byte(i + 1)}, chunk)
				put(t, source, fmt.Sprintf("%d.0", i), data)
				sum := sha256.Sum256(data)
				want[fmt.Sprintf("c/%d/0", i)] = hex.EncodeToString(sum[:])
			}
			puts.Store(0)
			sent.Store(0)
			job := write(t, t.TempDir(), "copy.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: zarr, url: %q}, target: {url: %q}}", source, target))
			if s := run(t, job); s.Chunks != 4 {
				t.Errorf("%+v", s)
			}
			if copies.Load() != 4 || sent.Load() > chunk {
				t.Errorf("%d copies, %d bytes in %d other requests", copies.Load(), sent.Load(), puts.Load())
			}
			got := objects(t, target)
			delete(got, "zarr.json")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("chunks (-source +target):\n%s", diff)
			}
		})
	}
}

// throughProxy puts a proxy that counts requests in front of the server of a bucket. It
// returns the URLs of two places in the bucket.
func throughProxy(t *testing.T, scheme string, at func(string) string, count func(*http.Request)) (source, target string) {
	t.Helper()
	front := func(server string) string {
		behind, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(behind)
			if scheme == "s3" {
				r.Out.Host = r.In.Host // the request is signed for this host
			}
			count(r.In)
		}})
		t.Cleanup(proxy.Close)
		return proxy.URL
	}
	if scheme == "gs" {
		proxy := front("http://" + os.Getenv("STORAGE_EMULATOR_HOST"))
		t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(proxy, "http://"))
		return at("v2.zarr"), at("v3.zarr")
	}
	through := func(place string) string {
		u, err := url.Parse(at(place))
		if err != nil {
			t.Fatal(err)
		}
		return u.Scheme + "://" + u.Host + u.Path
	}
	u, err := url.Parse(at(""))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("endpoint", front(query.Get("endpoint")))
	return through("v2.zarr") + "?" + query.Encode(), through("v3.zarr") + "?" + query.Encode()
}
