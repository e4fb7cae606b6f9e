package zarr_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestDeniedChunks has a server that says, now and then or always, that a chunk is
// missing, and says otherwise to another kind of request. The fill value never replaces
// such a chunk. It does replace a chunk that is really missing.
func TestDeniedChunks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"zarr.json": v3(t, nil), "c/0/0": half} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files := http.FileServer(http.Dir(dir))
	for _, test := range []struct {
		name   string
		denied int64 // number of reads of the chunk that fail
		want   string
	}{
		{"never", 0, ""},
		{"once", 1, ""},
		{"always", 1 << 30, "the server says that the object is not there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var left atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "/c/0/0") && r.Method == http.MethodGet && left.Add(-1) >= 0 {
					http.NotFound(w, r)
				} else {
					files.ServeHTTP(w, r)
				}
			}))
			t.Cleanup(server.Close)
			src := open(t, server.URL, zarr.Options{Store: store.Options{Retries: -1}})
			left.Store(test.denied)
			a, err := src.Array(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			dst := ndarray.New(a.Info().Type, a.Info().Shape)
			err = a.ReadRegion(t.Context(), dst, make([]int, len(a.Info().Shape)))
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "c/0/0") {
					t.Errorf("error %v, want %q", err, test.want)
				}
			} else if got := string(dst.Data); err != nil || got != string(partly) {
				t.Errorf("elements %q, error %v, want %q", got, err, partly)
			}
			left.Store(test.denied)
			in, err := sources.AsStored(a).OpenStored(t.Context(), []int{0, 0})
			if found := err == nil && in != nil; found != (test.want == "") {
				t.Errorf("stored: %v, error %v", in, err)
			}
		})
	}
}
