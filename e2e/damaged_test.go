package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDamagedBodies reads from a server through a proxy that damages each object once.
// The chunks have checksums, so they are read again, whether they are carried through
// or decoded. A chunk that is damaged each time is an error.
func TestDamagedBodies(t *testing.T) {
	dir := fast(t)
	job, source := cube(t, dir, 16, "zstd")
	undisturbed(t, job, source)
	for _, path := range []string{"auto", "decode"} {
		for _, times := range []int{1, 99} {
			t.Run(fmt.Sprintf("%s/%d times", path, times), func(t *testing.T) {
				var mu sync.Mutex
				damaged := map[string]int{}
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					name := filepath.Join(source, filepath.FromSlash(r.URL.Path))
					data, err := os.ReadFile(name)
					if err != nil {
						w.WriteHeader(http.StatusNotFound)
						return
					}
					mu.Lock()
					if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/values/c/") {
						if damaged[name]++; damaged[name] <= times {
							data[len(data)/2] ^= 4
						}
					}
					mu.Unlock()
					http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(data))
				}))
				t.Cleanup(server.Close)
				to := filepath.Join(t.TempDir(), "to.zarr")
				file := write(t, t.TempDir(), "job.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: zarr, url: %q, include: [field/values]}, target: {url: %q}, run: {path: %s}}", server.URL, to, path))
				output, ok := runWithoutSecret(t, "run", file)
				if ok != (times == 1) {
					t.Fatal(output)
				}
				if !ok {
					if !strings.Contains(output, "checksum") && !strings.Contains(output, "CRC") {
						t.Errorf("the message is %s", output)
					}
					return
				}
				if len(damaged) == 0 {
					t.Error("no body was damaged")
				}
				if diff := cmp.Diff(tree(t, filepath.Join(source, "field", "values", "c")), tree(t, filepath.Join(to, "field", "values", "c"))); diff != "" {
					t.Errorf("another target (-want +got):\n%s", diff)
				}
			})
		}
	}
}
