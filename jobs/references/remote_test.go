package references

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/s3test"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// Files in a bucket and on an HTTP server become tables, on this machine and in a bucket. The URLs
// in them are those of fsspec, and have no secret in them.
func TestRemote(t *testing.T) {
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
	dir := t.TempDir()
	data := sourcetest.Zipped(t, testdata+"netcdf4.zip", "model.nc")
	if err := st.Put(t.Context(), "data/a model.nc", data); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model.nc", "a model.nc"} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(files.Close)
	want := planned(t, dir, "zmigrate: 1\nsource: {driver: netcdf, url: model.nc, unsupported: skip}\ntarget: {url: want.zarr}\n")
	for form, target := range forms {
		for source, named := range map[string]string{
			"s3://bucket/data/a%20model.nc" + query: "s3://bucket/data/a model.nc",
			files.URL + "/a%20model.nc":             files.URL + "/a%20model.nc",
		} {
			for i, at := range []string{target, "s3://bucket/tables/" + target + query} {
				job := fmt.Sprintf("zmigrate: 1\nsource: {driver: netcdf, url: %q, unsupported: skip}\ntarget: {url: %q, references: %s, existing: overwrite}\n", source, at, form)
				if _, r, err := writtenWith(t, dir, job, none); err != nil || r.Bytes == 0 {
					t.Errorf("%s to %s: %+v, %v", source, at, r, err)
					continue
				}
				if _, r, err := writtenWith(t, dir, strings.ReplaceAll(job, "overwrite", "resume"), none); err != nil || !r.Nothing {
					t.Errorf("%s to %s once more: %+v, %v", source, at, r, err)
				}
				if i == 0 && form == "json" {
					text, err := os.ReadFile(filepath.Join(dir, target))
					if err != nil || !strings.Contains(string(text), `["`+named+`",`) || strings.Contains(string(text), "endpoint") {
						t.Errorf("%s: %v\n%.2000s", source, err, text)
					}
				}
				got := planned(t, dir, fmt.Sprintf("zmigrate: 1\nsource: {driver: zarr, url: %q, follow: [%q]}\ntarget: {url: got.zarr}\n", at, "s3://bucket"+query))
				if n := sameAs(t, want, got); n < len(want.Arrays)-3 {
					t.Errorf("%s to %s: %d arrays of %d", source, at, n, len(want.Arrays))
				}
			}
		}
	}
	p := planned(t, dir, fmt.Sprintf("zmigrate: 1\nsource: {driver: netcdf, url: %q, unsupported: skip}\ntarget: {url: refs.json, references: json}\n", files.URL+"/model.nc?signature=hunter2"))
	if _, err := New(t.Context(), p, jobtest.Environment()); err == nil || !strings.Contains(err.Error(), "its URL has a query") || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}

func TestURLs(t *testing.T) {
	for from, want := range map[string]string{
		"/data/a b%20c.nc":            "file:///data/a b%20c.nc",
		"s3://bucket/a%20b/c%2525.nc": "s3://bucket/a b/c%25.nc",
		"gs://bucket/x.nc":            "gs://bucket/x.nc",
		"azblob://container/x.nc":     "abfs://container/x.nc",
		"https://host:8080/a%20b.nc":  "https://host:8080/a%20b.nc",
		"mem://bucket/x.nc":           "memory://bucket/x.nc",
	} {
		if got, err := fsspecURL(from); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", from, got, err, want)
		}
	}
	if got, err := fsspecURL("ftp://host/x.nc"); err == nil {
		t.Errorf("ftp: %s", got)
	}
}
