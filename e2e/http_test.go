package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestHTTPSources reads sources of every driver from a plain HTTP server. The targets
// equal those of the same files on disk.
func TestHTTPSources(t *testing.T) {
	t.Parallel()
	const netcdf = "../examples/data"
	data := fast(t)
	job, hierarchy := cube(t, data, 32, "zstd")
	want := undisturbed(t, job, hierarchy)
	serve := func(dir string) string {
		server := httptest.NewServer(http.FileServer(http.Dir(dir)))
		t.Cleanup(server.Close)
		return server.URL
	}
	copied := func(source string) map[string]string {
		dir := t.TempDir()
		file := write(t, dir, "copy.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: %s, target: {url: out.zarr}}", source))
		return undisturbed(t, file, filepath.Join(dir, "out.zarr"))
	}
	const raw = `{driver: raw, arrays: {a: {url: %q, data_type: float32, shape: [32, 1024]}}}`
	for name, source := range map[string]struct{ local, remote string }{
		"netcdf": {
			fmt.Sprintf(`{driver: netcdf, url: %q}`, absolute(t, netcdf+"/coads_climatology.cdf")),
			fmt.Sprintf(`{driver: netcdf, url: %q}`, serve(netcdf)+"/coads_climatology.cdf"),
		},
		"raw": {fmt.Sprintf(raw, filepath.Join(data, "data.bin")), fmt.Sprintf(raw, serve(data)+"/data.bin")},
	} {
		if diff := cmp.Diff(copied(source.local), copied(source.remote)); diff != "" {
			t.Errorf("%s (-local +remote):\n%s", name, diff)
		}
	}
	at := serve(data) + "/out.zarr"
	if driver, err := jobs.DriverOf(t.Context(), at, environment()); driver != "zarr" || err != nil {
		t.Errorf("driver %s, %v", driver, err)
	}
	if diff := cmp.Diff(want, copied(fmt.Sprintf(`{driver: zarr, url: %q}`, at))); diff != "" {
		t.Errorf("zarr (-local +remote):\n%s", diff)
	}
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	at, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
