package zarr

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/s3test"
	"github.com/zmigrate/zmigrate/sources"
)

// TestReferencesS3 reads files in a bucket, by a table on this machine and by one in the bucket. The
// query of source.follow, or of the table, says how to reach the bucket. An object that is replaced
// is an error.
func TestReferencesS3(t *testing.T) {
	server := httptest.NewServer(s3test.New(t))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull} {
		t.Setenv(name, value)
	}
	query := "?use_path_style=true&region=eu-west-1&endpoint=" + url.QueryEscape(server.URL)
	st, err := store.Open(t.Context(), "s3://bucket/"+query, store.Options{Limits: limits.New(0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	put := func(key string, data []byte) {
		t.Helper()
		if err := st.Put(t.Context(), key, data); err != nil {
			t.Fatal(err)
		}
	}
	table := `{"a/.zarray": ` + arrayDocument(8) + `, "a/0": ["s3://bucket/data/x y.bin", 8, 16], "a/1": ["s3a://bucket/data/x y.bin", 24, 16]}`
	put("refs.json", []byte(table))
	local := filepath.Join(writeFiles(t, map[string]string{"refs.json": table}), "refs.json")
	for place, follow := range map[string][]string{local: {"s3://bucket" + query}, "s3://bucket/refs.json" + query: nil} {
		put("data/x y.bin", dataFile(8))
		s, err := openTable(t, place, Options{Follow: sources.Following{Folders: follow}})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := values(t, s, "a"); err != nil || !slices.Equal(got, []int32{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("%s: %v, %v", place, got, err)
		}
		if err := s.Changed(t.Context()); err != nil {
			t.Errorf("%s: %v", place, err)
		}
		put("data/x y.bin", dataFile(9))
		if _, err := values(t, s, "a"); !errors.Is(err, sources.ErrChanged) {
			t.Errorf("%s: an object that was replaced: %v", place, err)
		}
		if err := s.Changed(t.Context()); !errors.Is(err, sources.ErrChanged) {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// TestReferencesManyFolders has a table whose files lie in many folders of a bucket. They
// share one client, so credentials are looked for once.
func TestReferencesManyFolders(t *testing.T) {
	server := httptest.NewServer(s3test.New(t))
	t.Cleanup(server.Close)
	var lookups atomic.Int64
	credentials := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		lookups.Add(1)
		_, _ = w.Write([]byte(`{"AccessKeyId":"key","SecretAccessKey":"secret","Token":"token","Expiration":"2999-01-01T00:00:00Z"}`))
	}))
	t.Cleanup(credentials.Close)
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_CONTAINER_CREDENTIALS_FULL_URI": credentials.URL,
	} {
		t.Setenv(name, value)
	}
	query := "?use_path_style=true&region=eu-west-1&endpoint=" + url.QueryEscape(server.URL)
	st, err := store.Open(t.Context(), "s3://bucket/"+query, store.Options{Limits: limits.New(0)})
	if err != nil {
		t.Fatal(err)
	}
	const folders = 30
	table := `{"a/.zarray": ` + arrayDocument(4*folders) + `, "b/.zarray": ` + arrayDocument(4)
	for i := range folders {
		if err := st.Put(t.Context(), fmt.Sprintf("day%d/x.bin", i), dataFile(4)); err != nil {
			t.Fatal(err)
		}
		table += fmt.Sprintf(`, "a/%d": ["s3://bucket/day%d/x.bin", 8, 16]`, i, i)
	}
	if err := errors.Join(st.Put(t.Context(), "other/y.bin", dataFile(4)), st.Close()); err != nil {
		t.Fatal(err)
	}
	table += `, "b/0": ["s3://bucket/other/y.bin", 8, 16]}`
	lookups.Store(0)
	s, err := openTable(t, filepath.Join(writeFiles(t, map[string]string{"refs.json": table}), "refs.json"), Options{Follow: sources.Following{Folders: []string{"s3://bucket" + query}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"a": 4 * folders, "b": 4} {
		if got, err := values(t, s, name); err != nil || len(got) != n || got[n-1] != 3 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got := lookups.Load(); got != 1 {
		t.Errorf("%d lookups of credentials for %d folders of one bucket", got, folders+1)
	}
}
