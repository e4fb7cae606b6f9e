//go:build !nos3 && !nogcs && !noazure

package store

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/s3test"
)

// s3Server starts an S3 server with one empty bucket and returns the URL of a
// folder in it.
func s3Server(t *testing.T) string {
	t.Helper()
	return s3ServerBehind(t, func(server http.Handler) http.Handler { return server })
}

// s3ServerBehind is s3Server behind the test's own handler.
func s3ServerBehind(t *testing.T, front func(server http.Handler) http.Handler) string {
	t.Helper()
	server := httptest.NewServer(front(withoutSums(s3test.New(t))))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	return "s3://bucket/some/prefix?use_path_style=true&region=eu-west-1&endpoint=" + url.QueryEscape(server.URL)
}

// withoutSums removes the checksums from requests. The server of the tests does not
// understand them: it returns them with ranges, and with objects that replace others.
func withoutSums(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("X-Amz-Checksum-Crc32c")
		server.ServeHTTP(w, r)
	})
}

// open opens a store, and closes it at the end of the test. Unless opt has a request
// budget, the store has one of its own.
func open(t *testing.T, url string, opt Options) *Store {
	t.Helper()
	if opt.Limits == nil {
		opt.Limits = limits.New(0)
	}
	s, err := Open(t.Context(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put stores objects and syncs.
func put(t *testing.T, s *Store, objects map[string]string) {
	t.Helper()
	for key, data := range objects {
		if err := s.Put(t.Context(), key, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// get reads an object.
func get(t *testing.T, s *Store, key string) string {
	t.Helper()
	data, err := s.ReadAll(t.Context(), key, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// keys lists the keys below a prefix.
func keys(t *testing.T, s *Store, prefix string) []string {
	t.Helper()
	var found []string
	err := s.List(t.Context(), prefix, func(info Info) error {
		found = append(found, info.Key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
