package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/s3test"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// bucket is an S3 server with one bucket, "bucket". It counts requests.
type bucket struct {
	endpoint string

	mu     sync.Mutex
	counts map[string]traffic // by method and key
}

type traffic struct {
	requests, whole int // whole counts requests without a range
	bytes           int64
}

// credentials gives this process, and those that it starts, credentials for all servers
// of serve. The servers of `make cloud-test` have other credentials.
func credentials() (err error) {
	if os.Getenv("ZMIGRATE_S3") != "" {
		return nil
	}
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_EC2_METADATA_DISABLED": "true",
	} {
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}

// serve starts the server.
func serve(t *testing.T) *bucket {
	t.Helper()
	b := &bucket{counts: map[string]traffic{}}
	inner := s3test.New(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countingWriter{ResponseWriter: w}
		r.Header.Del("X-Amz-Checksum-Crc32c") // the server would return the old checksum after the object is replaced
		inner.ServeHTTP(counted, r)
		b.mu.Lock()
		defer b.mu.Unlock()
		name := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/bucket/")
		c := b.counts[name]
		c.requests++
		c.bytes += counted.n
		if r.Header.Get("Range") == "" {
			c.whole++
		}
		b.counts[name] = c
	}))
	t.Cleanup(server.Close)
	b.endpoint = server.URL
	return b
}

type countingWriter struct {
	http.ResponseWriter
	n int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.n += int64(n)
	return n, err
}

func (b *bucket) url(prefix string) string {
	return fmt.Sprintf("s3://bucket/%s?region=us-east-1&endpoint=%s&use_path_style=true", prefix, b.endpoint)
}

// reset forgets the counts and returns them.
func (b *bucket) reset() map[string]traffic {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.counts
	b.counts = map[string]traffic{}
	return old
}

// open opens a folder of the bucket for the length of the test.
func (b *bucket) open(t *testing.T, prefix string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), b.url(prefix), store.Options{Limits: limits.New(0)})
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

// tree is like the function tree, for a folder of the bucket.
func (b *bucket) tree(t *testing.T, prefix string) map[string]string {
	t.Helper()
	return digests(t, b.open(t, prefix))
}

// digests returns the SHA-256 of every object of a store, by its key.
func digests(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := s.List(t.Context(), "", func(o store.Info) error {
		data, err := s.ReadAll(t.Context(), o.Key, 1<<30)
		sum := sha256.Sum256(data)
		files[o.Key] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// run runs the program with --json and returns its summary.
func run(t *testing.T, args ...string) (summary struct {
	Chunks   int           `json:"chunks"`
	Resumed  int           `json:"resumed_chunks"`
	Nothing  bool          `json:"already_complete"`
	Requests jobs.Requests `json:"requests"`
}) {
	t.Helper()
	out, err := zmigrate(t.Context(), t, append([]string{"run", "--json"}, args...)...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &summary); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return summary
}

// TestS3 reads the example from an S3 server by ranges and writes it to another place
// in the server. The objects must be those of a run from file to file.
func TestS3(t *testing.T) {
	t.Parallel()
	b := serve(t)
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	in := b.open(t, "in")
	if err := errors.Join(in.Put(t.Context(), "coads.cdf", data), in.Sync(t.Context())); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "coads.cdf", data)
	local := write(t, dir, "local.yaml", []byte(`{zmigrate: 1, source: {driver: netcdf, url: coads.cdf}, target: {url: out.zarr}}`))
	finished := undisturbed(t, local, filepath.Join(dir, "out.zarr"))
	remote := write(t, dir, "remote.yaml", fmt.Appendf(nil, `{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {url: %q}}`,
		b.url("in/coads.cdf"), b.url("out/coads.zarr")))

	b.reset()
	if s := run(t, remote); s.Nothing || s.Resumed != 0 {
		t.Errorf("the first run: %+v", s)
	}
	counts := b.reset()
	if diff := cmp.Diff(finished, b.tree(t, "out/coads.zarr")); diff != "" {
		t.Errorf("objects (-file to file +bucket to bucket):\n%s", diff)
	}
	got := counts["GET in/coads.cdf"]
	t.Logf("%d requests for %d of %d bytes of the source", got.requests, got.bytes, len(data))
	if got.whole > 0 || got.bytes > int64(len(data))*5/4 {
		t.Errorf("%d requests without a range, %d bytes of a source of %d", got.whole, got.bytes, len(data))
	}
	for name, c := range counts {
		if strings.HasPrefix(name, "PUT out/coads.zarr/") && c.requests != 1 {
			t.Errorf("%s: %d times", name, c.requests)
		}
	}
	for key := range b.tree(t, "out/coads.zarr.zmigrate") {
		if key != "done.json" && key != "report.json" && !strings.HasPrefix(key, "lock/") && !strings.HasPrefix(key, "objects/") {
			t.Errorf("left in the checkpoint: %s", key)
		}
	}

	// The second run has nothing to do. It reads nothing of the source but the header.
	b.reset()
	if s := run(t, remote); !s.Nothing {
		t.Errorf("the second run: %+v", s)
	}
	counts = b.reset()
	for name := range counts {
		if strings.HasPrefix(name, "PUT ") && !strings.HasPrefix(name, "PUT out/coads.zarr.zmigrate/lock/") || strings.HasPrefix(name, "DELETE out/coads.zarr/") {
			t.Errorf("a run with nothing to do made the request %s", name)
		}
	}
	if n := counts["GET in/coads.cdf"].bytes; n > int64(len(data))/10 {
		t.Errorf("a run with nothing to do read %d bytes", n)
	}

	// The checkpoint is no job file and no target, and the message names the target.
	for _, command := range []string{"verify", "report", "status"} {
		text, err := zmigrate(t.Context(), t, command, "--json", b.url("out/coads.zarr.zmigrate")).Output()
		if err == nil || !strings.Contains(string(text), "is the checkpoint of ") || !strings.Contains(string(text), "s3://bucket/out/coads.zarr?") {
			t.Errorf("%s of a checkpoint: %v: %s", command, err, text)
		}
	}

	// Reading one of ten variables takes the variable's bytes and a part of the header.
	b.reset()
	run(t, "--set", "source.include=[SST]", "--set", "target.url="+b.url("out/sst.zarr"), remote)
	if n, most := b.reset()["GET in/coads.cdf"].bytes, int64(4*12*90*180+256<<10); n > most {
		t.Errorf("SST took %d bytes of the source, want at most %d", n, most)
	}
}

// TestS3Resume cancels a run after every tenth chunk. Then the program completes the
// target.
func TestS3Resume(t *testing.T) {
	t.Parallel()
	b := serve(t)
	dir := fast(t)
	job, target := cube(t, dir, 32, "zstd")
	finished := undisturbed(t, job, target)
	set := []string{"target.url=" + b.url("deep/er/cube.zarr"), "run.workers.write=2", "run.workers.encode=1", "run.checkpoint.every=5ms"}
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		n := 0
		_, err := migrate(ctx, job, environment(), jobs.RunOptions{Observe: func(e stages.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Partial {
				return
			}
			if n++; n == 10 {
				cancel()
			}
		}}, set...)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want a cancelled run", err)
		}
		for key := range b.tree(t, "deep/er/cube.zarr") {
			if _, belongs := finished[key]; !belongs || key == "zarr.json" {
				t.Errorf("%s is in the unfinished target", key)
			}
		}
	}
	b.reset()
	if s := run(t, "--set", set[0], job); s.Resumed < 30 || s.Resumed == s.Chunks {
		t.Errorf("the last run: %+v", s)
	}
	if diff := cmp.Diff(finished, b.tree(t, "deep/er/cube.zarr")); diff != "" {
		t.Errorf("objects (-local +S3):\n%s", diff)
	}
}
