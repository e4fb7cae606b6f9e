package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// withheld serves a folder over HTTP. It gives the sizes of files, and no data until
// release is called. The first request for data closes asked.
func withheld(t *testing.T, dir string) (url string, asked <-chan struct{}, release func()) {
	t.Helper()
	free, files := make(chan struct{}), http.FileServer(http.Dir(dir))
	first := make(chan struct{})
	ask := sync.OnceFunc(func() { close(first) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			ask()
			select {
			case <-free:
			case <-r.Context().Done():
			}
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	release = sync.OnceFunc(func() { close(free) })
	t.Cleanup(release) // before the server waits for its requests
	return server.URL, first, release
}

// heldBack writes a job whose source gives no data until release is called.
func heldBack(t *testing.T, dir string) (job string, release func()) {
	t.Helper()
	write(t, dir, "data.bin", smooth(64*64))
	url, _, release := withheld(t, dir)
	return write(t, dir, "job.yaml", fmt.Appendf(nil, `zmigrate: 1
source: {driver: raw, arrays: {a: {url: "%s/data.bin", data_type: float32, shape: [64, 64]}}}
target: {url: out.zarr}
arrays: {a: {chunks: [16, 16]}}
`, url)), release
}

// TestTenAtOnce starts ten runs of one job at the same instant. One works; the others
// end at once, with the status for a held lock.
func TestTenAtOnce(t *testing.T) {
	t.Parallel()
	const locked, runs = 5, 10
	// process runs the program and returns its exit status.
	process := func(job, target string) int {
		c := zmigrate(t.Context(), t, "run", "--progress", "none", "--set", "target.url="+target, job)
		var ended *exec.ExitError
		switch err := c.Run(); {
		case errors.As(err, &ended):
			return ended.ExitCode()
		case err != nil:
			t.Error(err)
		}
		return 0
	}
	memory := &store.Memory{}
	for name, test := range map[string]struct {
		target func(t *testing.T) string
		run    func(job, target string) int
	}{
		"a local folder": {func(t *testing.T) string { return filepath.Join(fast(t), "out.zarr") }, process},
		"an S3 server":   {func(t *testing.T) string { return serve(t).url("ten/out.zarr") }, process},
		"memory": {func(*testing.T) string { return "mem://bucket/out.zarr" }, func(job, target string) int {
			err := inThisProcess(t.Context(), job, target, memory)
			if _, held := errors.AsType[*journal.HeldError](err); held {
				return locked
			} else if err != nil {
				t.Error(err)
			}
			return 0
		}},
	} {
		t.Run(name, func(t *testing.T) {
			job, release := heldBack(t, t.TempDir())
			target := test.target(t)
			ended := make(chan int, runs)
			for range runs {
				go func() { ended <- test.run(job, target) }()
			}
			for i := range runs {
				if i == runs-1 {
					release()
				}
				status := <-ended
				if want := map[bool]int{true: 0, false: locked}[i == runs-1]; status != want {
					t.Errorf("run %d of %d ended with status %d, want %d", i+1, runs, status, want)
				}
			}
			if status := test.run(job, target); status != 0 {
				t.Errorf("once more: status %d", status)
			}
		})
	}
}

// inThisProcess runs a job as one of several runs in this process.
func inThisProcess(ctx context.Context, job, target string, memory *store.Memory) (err error) {
	env := environment()
	env.Memory = memory
	j, err := jobs.Load(job, jobs.Environment{}, "target.url="+target)
	if err != nil {
		return err
	}
	plan, err := jobs.NewPlan(ctx, j, env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	_, err = jobs.Run(ctx, plan, env, jobs.RunOptions{Owner: journal.ThisProcess("test")})
	return err
}
