package zarr_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestHTTP reads from a server that cannot be listed. A hierarchy with consolidated
// metadata and a single array can be read; other hierarchies cannot.
func TestHTTP(t *testing.T) {
	dir := t.TempDir()
	consolidated := strings.Replace(group, "{", `{"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":`+v3(t, nil)+`}},`, 1)
	for name, text := range map[string]string{
		"v3/zarr.json": consolidated, "v3/a/zarr.json": v3(t, nil), "v3/a/c/0/0": half,
		"v2/.zgroup": groupV2, "v2/.zmetadata": `{"zarr_consolidated_format":1,"metadata":{".zgroup":` + groupV2 + `,"a/.zarray":` + v2(t, nil) + `}}`,
		"v2/a/.zarray": v2(t, nil), "v2/a/0.0": half,
		"plain/zarr.json": group, "plain/a/zarr.json": v3(t, nil), "plain2/.zgroup": groupV2, "none/readme": "x",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	for _, test := range []struct{ at, array string }{{"/v3", "a"}, {"/v3/a", ""}, {"/v2/", "a"}, {"/v2/a", ""}} {
		src := open(t, server.URL+test.at, zarr.Options{})
		if got := string(elements(t, src, test.array)); got != string(partly) {
			t.Errorf("%s: elements %q", test.at, got)
		}
		sourcetest.Run(t, src)
	}
	files := http.FileServer(http.Dir(dir))
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(r.URL.Path))); err != nil && !strings.Contains(r.URL.Path, "a/1.0") {
			_, _ = w.Write([]byte("<html>Not what you are looking for</html>"))
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(pages.Close)
	for _, test := range []struct{ at, array string }{{"/v2/", "a"}, {"/v2/a", ""}} {
		if got := string(elements(t, open(t, pages.URL+test.at, zarr.Options{}), test.array)); got != string(partly) {
			t.Errorf("%s, with pages for what is not there: elements %q", test.at, got)
		}
	}
	if _, err := zarr.Open(t.Context(), pages.URL+"/none", zarr.Options{}); err == nil || !strings.Contains(err.Error(), "zarr.json: ") {
		t.Errorf("pages alone: %v", err)
	}
	for at, want := range map[string]string{
		"/plain": "a plain HTTP server cannot be listed, and there is no consolidated metadata: name one array, or write the metadata with zarr.consolidate_metadata", "/plain2": "zarr.consolidate_metadata",
		"/none/": "no zarr.json, .zgroup or .zarray below it", "/absent.nc": "/absent.nc: there is no file at this URL, and no zarr.json, .zgroup or .zarray below it: correct the URL",
	} {
		_, err := zarr.Open(t.Context(), server.URL+at, zarr.Options{Store: store.Options{Retries: -1}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), at[1:len(at)-1]) || !errors.Is(err, store.ErrNoList) {
			t.Errorf("%s: got %v", at, err)
		}
	}
}
