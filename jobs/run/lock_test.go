package run

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// TestCheckpointBesideTheTarget has a job that names the default place of the checkpoint, in
// another spelling. The run does not lock itself out.
func TestCheckpointBesideTheTarget(t *testing.T) {
	dir := t.TempDir()
	for target, checkpoints := range map[string][]string{
		"mem://b/out.zarr": {"mem://b/out.zarr.zmigrate", "mem://b/out.zarr.zmigrate/"},
		"out.zarr":         {"out.zarr.zmigrate", "./x/../out.zarr.zmigrate/", dir + "/out.zarr.zmigrate", "file://" + dir + "/out.zarr.zmigrate/"},
	} {
		for _, at := range checkpoints {
			j := night{0, 2}.job(t, dir, "target: {url: out.zarr,", "run: {checkpoint: {url: '"+at+"'}}\ntarget: {url: '"+target+"',")
			if _, err := execute(t, j, jobtest.Environment(), Options{}); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
}

// TestNoLockBesideTheTarget has a target beside which nothing can be written. A checkpoint
// elsewhere is enough.
func TestNoLockBesideTheTarget(t *testing.T) {
	j := jobtest.Raw(t, smallChunks)
	if err := os.WriteFile(j.Target.URL+".zmigrate", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, jobtest.Environment(), Options{}); err == nil || !strings.Contains(err.Error(), "run.checkpoint.url") {
		t.Fatalf("got %v", err)
	}
	j.Run.Checkpoint.URL = filepath.Join(t.TempDir(), "checkpoint")
	for _, nothing := range []bool{false, true} {
		result, err := execute(t, j, jobtest.Environment(), Options{})
		if err != nil || result.Nothing != nothing {
			t.Fatalf("%+v, %v", result, err)
		}
	}
}

// TestLockOfABusyTarget takes the lock and gives it back while the budget of the
// target's requests is used up.
func TestLockOfABusyTarget(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	j.Target.URL = "mem://b/out.zarr"
	p, err := plan.New(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	p.Limits.Target = limits.New(1e-6) // one request at once, and then one in days
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r := &run{plan: p, log: slog.New(slog.DiscardHandler)}
	if r.target, err = store.Open(ctx, j.Target.URL, env.StoreOptions(j, p.Limits.Target)); err != nil {
		t.Fatal(err)
	}
	if r.checkpoint, err = environment.OpenCheckpoint(ctx, j, env, p.Limits.Target); err != nil {
		t.Fatal(err)
	}
	if _, err := r.checkpoint.ReadAll(ctx, "none", 1); err == nil {
		t.Fatal("there is no such object")
	}
	before := p.Requests().Target.Requests
	release, err := r.acquire(ctx, env, Options{Owner: journal.ThisProcess("test")}, func(context.Context, *store.Store) (*journal.Journal, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := r.held(ctx); err != nil {
		t.Error(err)
	}
	if err := release(ctx, false); err != nil {
		t.Error(err)
	}
	if after := p.Requests().Target.Requests; before != 1 || after < before+4 {
		t.Errorf("%d requests were counted, with the lock %d", before, after)
	}
	if err := r.checkpoint.Close(); err != nil {
		t.Error(err)
	}
}
