package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs"
)

// storm is the weather that a migration has to survive.
var storm = weather{busy: 0.10, reset: 0.05, cut: 0.02, latency: 200 * time.Millisecond, outage: 2 * time.Minute, outageAt: 150}

// faster returns the weather for a time that runs factor times as fast.
func (w weather) faster(factor time.Duration) weather {
	w.latency /= factor
	w.outage /= factor
	return w
}

// hurry returns a function that waits for a fraction of the time.
func hurry(factor time.Duration) func(context.Context, time.Duration) error {
	return func(ctx context.Context, d time.Duration) error {
		select {
		case <-time.After(d / factor):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stormJob puts a hierarchy of small objects and a large one into the folder "in" of a
// bucket, and writes a job that encodes it anew. It returns the job, and the digests of
// an undisturbed target.
func stormJob(t *testing.T, b *bucket) (job string, finished map[string]string) {
	t.Helper()
	dir := fast(t)
	write(t, dir, "data.bin", smooth(40*256*256))
	in := write(t, dir, "in.yaml", []byte(`zmigrate: 1
source:
  driver: raw
  arrays:
    small: {url: data.bin, data_type: float32, shape: [40, 256, 256]}
    large: {url: data.bin, data_type: float32, shape: [40, 256, 256]}
target: {url: in.zarr}
arrays:
  small: {chunks: [5, 64, 64]}
  large: {chunks: [1, 256, 256], shards: [40, 256, 256], codecs: [bytes]}
`))
	folder := b.open(t, "in")
	for key := range undisturbed(t, in, filepath.Join(dir, "in.zarr")) {
		data, err := os.ReadFile(filepath.Join(dir, "in.zarr", key))
		if err = errors.Join(err, folder.Put(t.Context(), key, data)); err != nil {
			t.Fatal(err)
		}
	}
	job = write(t, dir, "storm.yaml", []byte(`zmigrate: 1
source: {driver: zarr, url: in.zarr}
target: {url: out.zarr}
arrays:
  small: {codecs: [bytes, {gzip: {level: 1}}]}
  large: {chunks: [1, 256, 256], shards: [40, 256, 256], codecs: [bytes, crc32c]}
`))
	return job, undisturbed(t, job, filepath.Join(dir, "out.zarr"))
}

// stormSet returns flags that make the job read from the bucket and write to a folder
// in it.
func (p *proxy) stormSet(target string) []string {
	return []string{"source.url=" + p.url("in"), "target.url=" + p.url(target)}
}

// TestStorm migrates from and to a server behind a network that breaks, with time that
// runs a hundred times as fast.
func TestStorm(t *testing.T) {
	t.Parallel()
	const factor = 100
	b := serve(t)
	job, finished := stormJob(t, b)
	p := newProxy(t, b.endpoint, storm.faster(factor))
	env := environment()
	env.Sleep = hurry(factor)
	result, err := migrate(t.Context(), job, env, jobs.RunOptions{},
		append(p.stormSet("out/a.zarr"), "run.lock_ttl="+(2*time.Minute/factor).String(), "run.checkpoint.every=50ms")...)
	t.Log(p.made())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finished, b.tree(t, "out/a.zarr")); diff != "" {
		t.Errorf("objects (-undisturbed +storm):\n%s", diff)
	}
	requests := result.Requests
	t.Logf("%+v", requests)
	for _, side := range []limits.Traffic{requests.Source, requests.Target} {
		if side.Requests < 200 || side.Retries < 20 || side.Throttled < 10 {
			t.Errorf("counted: %+v", requests)
		}
	}
}

// TestBusyServer writes, with 64 workers, to a server that accepts eight requests at a
// time. The workers slow down together, so that the server refuses few of their requests:
// a fifth, and two thirds if each worker slows down by itself. A busy machine answers late,
// which makes it more than a fifth. So this test does not run beside others.
func TestBusyServer(t *testing.T) {
	b := serve(t)
	job, finished := stormJob(t, b)
	p := newProxy(t, b.endpoint, weather{latency: 2 * time.Millisecond, room: 8})
	env := environment()
	env.Sleep = hurry(100)
	result, err := migrate(t.Context(), job, env, jobs.RunOptions{}, "target.url="+p.url("out/a.zarr"), "run.requests.per_second=0")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finished, b.tree(t, "out/a.zarr")); diff != "" {
		t.Errorf("objects (-undisturbed +throttled):\n%s", diff)
	}
	to := result.Requests.Target
	t.Logf("%+v", to)
	if to.Throttled == 0 || to.Throttled > to.Requests*3/5 {
		t.Errorf("counted: %+v, want some throttled and at most three of five", to)
	}
}

// TestBudgetOfASide reads from several folders. Their stores share one request budget.
// The target and its checkpoint share another.
func TestBudgetOfASide(t *testing.T) {
	t.Parallel()
	const perSecond, burst, folders = 40, 4, 8
	b := serve(t)
	dir := fast(t)
	var described strings.Builder
	for i := range folders {
		name := fmt.Sprintf("folder%d/data.bin", i)
		if err := b.open(t, "").Put(t.Context(), name, smooth(1024)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&described, "    a%d: {url: %q, data_type: float32, shape: [1024]}\n", i, b.url(name))
	}
	job := write(t, dir, "job.yaml", []byte("zmigrate: 1\nsource:\n  driver: raw\n  arrays:\n"+described.String()+"target: {url: out.zarr}\n"))
	for name, target := range map[string]string{"remote": b.url("out.zarr"), "local": filepath.Join(dir, "out.zarr")} {
		t.Run(name, func(t *testing.T) {
			b.reset()
			began := time.Now()
			result, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}, "target.url="+target, fmt.Sprintf("run.requests.per_second=%d", perSecond))
			took := time.Since(began)
			if err != nil {
				t.Fatal(err)
			}
			source, other := int64(0), int64(0)
			for name, c := range b.reset() {
				if strings.Contains(name, " folder") {
					source += int64(c.requests)
				} else {
					other += int64(c.requests)
				}
			}
			got := result.Requests
			t.Logf("%+v in %v, the server saw %d and %d", got, took, source, other)
			if got.Source.Requests != source || name == "local" && got.Target.Requests != 0 {
				t.Errorf("counted %+v, the server saw %d and %d", got, source, other)
			}
			if least := time.Duration(max(source, got.Target.Requests)-burst) * time.Second / perSecond; source < 2*folders || took < least {
				t.Errorf("%d and %d requests in %v, want at least %v", source, got.Target.Requests, took, least)
			}
		})
	}
}

// TestOutageForGood makes the server disappear in the middle of a run. The program
// gives up with the status for that, and a later run continues.
func TestOutageForGood(t *testing.T) {
	t.Parallel()
	b := serve(t)
	job, finished := stormJob(t, b)
	p := newProxy(t, b.endpoint, weather{outage: time.Hour, outageAt: 150})
	var args []string
	for _, field := range append(p.stormSet("out/a.zarr"), "run.requests.retries=2", "run.checkpoint.every=10ms", "run.workers.write=2") {
		args = append(args, "--set", field)
	}
	_, err := zmigrate(t.Context(), t, append(append([]string{"run"}, args...), job)...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != 3 {
		t.Fatalf("%v, want exit status 3", err)
	}
	for key := range b.tree(t, "out/a.zarr") {
		if _, belongs := finished[key]; !belongs || key == "zarr.json" {
			t.Errorf("%s is in the unfinished target", key)
		}
	}
	p.change(weather{busy: 0.1})
	s := run(t, append(args, "--set", "run.requests.retries=9", job)...)
	if s.Resumed == 0 || s.Resumed == s.Chunks {
		t.Errorf("the second run: %+v", s)
	}
	for _, side := range []limits.Traffic{s.Requests.Source, s.Requests.Target} {
		// Nothing but throttled requests is repeated; the end of the run may cancel a last one.
		if side.Requests == 0 || side.Retries == 0 || side.Retries > side.Throttled {
			t.Errorf("counted by the second run: %+v", s.Requests)
		}
	}
	if diff := cmp.Diff(finished, b.tree(t, "out/a.zarr")); diff != "" {
		t.Errorf("objects (-undisturbed +resumed):\n%s", diff)
	}
}

// TestRefused makes requests that would fail again if they were repeated. The run ends
// at once, and the message names a way out.
func TestRefused(t *testing.T) {
	b := serve(t)
	job, _ := cube(t, fast(t), 16, "zstd")
	forbidden := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
	}))
	t.Cleanup(forbidden.Close)
	for _, c := range []struct{ name, target, hint string }{
		{"no such bucket", strings.Replace(b.url("x"), "//bucket/", "//nobody/", 1), "create it, or correct its name"},
		{"not allowed", s3URL(forbidden.URL, "x"), "credentials"},
	} {
		env := environment()
		env.Sleep = func(context.Context, time.Duration) error {
			t.Errorf("%s: repeated", c.name)
			return nil
		}
		_, err := migrate(t.Context(), job, env, jobs.RunOptions{}, "target.url="+c.target)
		if err == nil || limits.Passing(err) || !strings.Contains(err.Error(), c.hint) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.hint)
		}
	}
}

// TestStormInRealTime is TestStorm with the program itself, in real time.
func TestStormInRealTime(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") == "" {
		t.Skip("it takes some four minutes: ZMIGRATE_HEAVY=1 runs it")
	}
	b := serve(t)
	job, finished := stormJob(t, b)
	p := newProxy(t, b.endpoint, storm)
	var args []string
	for _, field := range p.stormSet("out/a.zarr") {
		args = append(args, "--set", field)
	}
	began := time.Now()
	run(t, append(args, job)...)
	t.Logf("%v, %s", time.Since(began), p.made())
	if diff := cmp.Diff(finished, b.tree(t, "out/a.zarr")); diff != "" {
		t.Errorf("objects (-undisturbed +storm):\n%s", diff)
	}
}
