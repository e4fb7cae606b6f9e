package run

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/stages"
	"github.com/zmigrate/zmigrate/zarr"
)

// largeRows and columns are the shape of an array of blocks of two chunks, so
// that a run can be stopped between them.
const largeRows, columns = 4000, 600

func largeJob(t *testing.T) *jobfile.Job {
	t.Helper()
	dir := t.TempDir()
	data := make([]byte, 0, largeRows*columns*4)
	for i := range largeRows * columns {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i+1)))
	}
	if err := os.WriteFile(filepath.Join(dir, "a.raw"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	j := jobtest.Parse(t, dir, `
zmigrate: 1
source:
  driver: raw
  arrays: {a: {url: a.raw, data_type: float32, shape: [4000, 600]}}
target: {url: out.zarr}
arrays: {a: {chunks: [250, 600]}}
run: {workers: {read: 1, encode: 1, write: 1}}
`)
	return j
}

// interrupt runs a job and stops it after its first chunk; it returns the
// number of chunks that were done.
func interrupt(t *testing.T, j *jobfile.Job, env environment.Environment) int {
	t.Helper()
	stop := make(chan struct{})
	done := 0
	_, err := execute(t, j, env, Options{Stop: stop, Observe: func(stages.Event) {
		if done++; done == 1 {
			close(stop)
		}
	}})
	if !errors.Is(err, stages.ErrStopped) || done == 16 {
		t.Fatalf("%d chunks, %v", done, err)
	}
	return done
}

func TestChunksThatAreGoneAreDoneAgain(t *testing.T) {
	for name, remove := range map[string]func(target string) error{
		"the target": os.RemoveAll,
		"one chunk":  func(target string) error { return os.Remove(filepath.Join(target, "a/c/0/0")) },
	} {
		t.Run(name, func(t *testing.T) {
			j, env := largeJob(t), jobtest.Environment()
			done := interrupt(t, j, env)
			if err := remove(j.Target.URL); err != nil {
				t.Fatal(err)
			}
			result, err := execute(t, j, env, Options{})
			if err != nil || result.Resumed >= done {
				t.Fatalf("%+v after %d chunks, %v", result, done, err)
			}
			_, values := readArray(t, j.Target.URL, "a", env)
			for i, v := range values {
				if v != float32(i+1) {
					t.Fatalf("element %d is %v", i, v)
				}
			}
		})
	}
}

func TestSourceThatChangesWhileItIsRead(t *testing.T) {
	// The first array is complete long before the second one: its document,
	// too, would tell readers that it is whole.
	dir, env := largeJob(t).Dir, jobtest.Environment()
	j := jobtest.Parse(t, dir, `
zmigrate: 1
source:
  driver: raw
  arrays:
    first: {url: a.raw, data_type: float32, shape: [4000, 600]}
    second: {url: a.raw, data_type: float32, shape: [4000, 600]}
target: {url: out.zarr}
defaults: {chunks: [250, 600]}
run: {workers: {read: 1, encode: 1, write: 1}, checkpoint: {every: 1ms}}
`)
	file := filepath.Join(j.Dir, "a.raw")
	_, err := execute(t, j, env, Options{Begin: func(Progress) {
		if err := os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Error(err)
		}
	}})
	if !errors.Is(err, sources.ErrChanged) || !strings.Contains(err.Error(), "a.raw") {
		t.Errorf("got %v", err)
	}
	for _, node := range []string{"", "first", "second"} {
		if _, err := os.Stat(filepath.Join(j.Target.URL, node, zarr.MetadataKey)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the document of %q: %v", node, err)
		}
	}
}

func TestARefusedOverwriteForgetsNothing(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(j.Target.URL, "NOTES.txt")
	if err := os.WriteFile(note, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := jobtest.RawIn(t, j.Dir, strings.Replace(smallChunks, "[4, 4]", "[5, 6]", 1))
	other.Target.Existing = "overwrite"
	if _, err := execute(t, other, env, Options{}); !errors.Is(err, ErrTargetExists) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(note); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if result, err := execute(t, j, env, Options{}); err != nil || !result.Nothing {
		t.Errorf("the record is lost: %+v, %v", result, err)
	}
}

func TestSourceInsideTheTarget(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	j.Target.URL, j.Target.Existing = j.Dir, "overwrite"
	var problems jobfile.Problems
	if _, err := plan.New(t.Context(), j, env); !errors.As(err, &problems) || !strings.Contains(err.Error(), "inside the target") {
		t.Errorf("got %v", err)
	}
}

func TestTargetIsLockedWhereverItsCheckpointIs(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	j.Run.Checkpoint.URL = filepath.Join(t.TempDir(), "elsewhere")
	beside, err := environment.OpenState(t.Context(), j, j.Target.URL+".zmigrate", environment.LockStaging, env, limits.New(0))
	if err != nil {
		t.Fatal(err)
	}
	runsApart(t, j, env, beside)
}

func TestAnOvertakenRunWritesNothingMore(t *testing.T) {
	j, env := largeJob(t), jobtest.Environment()
	st, err := environment.OpenCheckpoint(t.Context(), j, env, limits.New(0))
	if err != nil {
		t.Fatal(err)
	}
	var taker *journal.Lock
	_, err = execute(t, j, env, Options{Begin: func(Progress) { taker = overtake(t, st) }})
	if !errors.Is(err, journal.ErrLost) {
		t.Errorf("got %v", err)
	}
	status, err := ReadStatus(t.Context(), j, env)
	if err != nil || status.Done != 0 {
		t.Errorf("on record: %+v, %v", status, err)
	}
	if left, err := filepath.Glob(filepath.Join(j.Target.URL, "a", "zarr.json")); err != nil || len(left) > 0 {
		t.Errorf("written: %v, %v", left, err)
	}
	if err := errors.Join(taker.Release(t.Context(), false), st.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestAnOvertakenRunForgetsNothing changes the source of a run that has lost its lock. The
// run forgets no receipts, because the record belongs to the other run by then.
func TestAnOvertakenRunForgetsNothing(t *testing.T) {
	j, env := largeJob(t), jobtest.Environment()
	done := interrupt(t, j, env)
	st, err := environment.OpenCheckpoint(t.Context(), j, env, limits.New(0))
	if err != nil {
		t.Fatal(err)
	}
	var taker *journal.Lock
	_, err = execute(t, j, env, Options{Begin: func(Progress) {
		taker = overtake(t, st)
		if err := os.Chtimes(filepath.Join(j.Dir, "a.raw"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Error(err)
		}
	}})
	if !errors.Is(err, journal.ErrLost) {
		t.Errorf("got %v", err)
	}
	if status, err := ReadStatus(t.Context(), j, env); err != nil || status.Done != done {
		t.Errorf("on record: %+v, %v, and there were %d", status, err, done)
	}
	if err := errors.Join(taker.Release(t.Context(), false), st.Close()); err != nil {
		t.Fatal(err)
	}
}

// overtake takes over the lock in st, as another machine does after it has seen no heartbeat
// of the owner during the time to live of the lock.
func overtake(t *testing.T, st *store.Store) *journal.Lock {
	t.Helper()
	var clock time.Duration
	taker, err := journal.Acquire(t.Context(), st, journal.LockOptions{
		TTL: time.Minute, Owner: journal.Owner{ID: "other", Host: "elsewhere"},
		Clock: func() time.Duration { return clock },
		Sleep: func(_ context.Context, d time.Duration) error { clock += d; return nil },
	})
	if err != nil {
		t.Error(err)
	}
	return taker
}

// runsApart checks that a lock held in st keeps the job from running, until it
// is released; it closes st.
func runsApart(t *testing.T, j *jobfile.Job, env environment.Environment, st *store.Store) {
	t.Helper()
	lock, err := journal.Acquire(t.Context(), st, journal.LockOptions{TTL: time.Minute, Owner: journal.ThisProcess("other")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, env, Options{}); !isHeld(err) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(lock.Release(t.Context(), false), st.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Error(err)
	}
}

func isHeld(err error) bool {
	_, ok := errors.AsType[*journal.HeldError](err)
	return ok
}

func TestTooManyChunks(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	file, err := os.Create(filepath.Join(dir, "a.raw"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(1<<40), file.Close()); err != nil {
		t.Skipf("no sparse files of a tebibyte here: %v", err)
	}
	j := jobtest.Parse(t, dir, `
zmigrate: 1
source: {driver: raw, arrays: {a: {url: a.raw, data_type: uint8, shape: [1099511627776]}}}
target: {url: out.zarr}
arrays: {a: {chunks: [1]}}
`)
	if _, err := plan.New(t.Context(), j, env); err == nil || !strings.Contains(err.Error(), "1099511627776 objects") {
		t.Errorf("got %v", err)
	}
}
