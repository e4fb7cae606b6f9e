package e2e

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// referring serves a folder to runs that write tables of references. It counts the requests for
// data, and withholds the answer to request number hold, from 1 on, until release is called.
type referring struct {
	server   *httptest.Server
	requests atomic.Int64
	hold     atomic.Int64 // 0: none
	asked    chan struct{}
	release  func()
}

func refer(t *testing.T, dir string) *referring {
	t.Helper()
	free := make(chan struct{})
	r := &referring{asked: make(chan struct{}), release: sync.OnceFunc(func() { close(free) })}
	files := http.FileServer(http.Dir(dir))
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodGet && r.requests.Add(1) == r.hold.Load() {
			close(r.asked)
			select {
			case <-free:
			case <-q.Context().Done():
			}
		}
		files.ServeHTTP(w, q)
	}))
	t.Cleanup(r.server.Close)
	t.Cleanup(r.release) // before the server waits for its requests
	return r
}

// TestReferencesStopped stops runs that write tables of references with a signal, while they read
// the places of the last chunks. There is no table then, and nothing of it beside the target. The
// exit status says that another run is needed, and another run writes the table.
func TestReferencesStopped(t *testing.T) {
	t.Parallel()
	program := build(t)
	dir := sourcetest.Unzip(t, filepath.Join("..", "sources", "netcdf", "testdata", "netcdf4.zip"))
	for form, name := range map[string]string{"json": "refs.json", "parquet": "refs.parq"} {
		t.Run(form, func(t *testing.T) {
			arguments := func(server *referring, target string) []string {
				return []string{"copy", "--json", "--progress", "none", "--references", form, server.server.URL + "/nc4_features.nc", target}
			}
			// What the table names is the address of the server: all runs have the same one.
			whole := fast(t)
			server := refer(t, dir)
			mustRun(t, arguments(server, filepath.Join(whole, name))...)
			all := server.requests.Load()
			want := tree(t, whole)
			server.requests.Store(0)
			mustRun(t, append([]string{arguments(server, "")[0], "--dry-run"}, arguments(server, filepath.Join(fast(t), name))[1:]...)...)
			if planned := server.requests.Load(); planned >= all {
				t.Fatalf("%d requests for a plan, %d in all: a run writes nothing when it asks for the last time", planned, all)
			}

			stopped := fast(t)
			target := filepath.Join(stopped, name)
			server.requests.Store(0)
			server.hold.Store(all)
			c := exec.CommandContext(t.Context(), program, arguments(server, target)...)
			c.Stderr = t.Output()
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-server.asked:
			case <-time.After(time.Minute):
				t.Fatalf("only %d of %d requests within a minute", server.requests.Load(), all)
			}
			err := c.Process.Signal(syscall.SIGTERM)
			if err != nil {
				t.Fatal(err)
			}
			var ended *exec.ExitError
			if err = c.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 3 {
				t.Errorf("ended with %v, want status 3", err)
			}
			server.release()
			for left, sum := range tree(t, stopped) {
				if sum != emptyFolder || left != "." && left != name {
					t.Errorf("left behind: %s, %s", left, sum)
				}
			}
			mustRun(t, arguments(server, target)...)
			if diff := cmp.Diff(want, tree(t, stopped)); diff != "" {
				t.Errorf("(-undisturbed +stopped):\n%s", diff)
			}
		})
	}
}
