package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/stages"
)

// halfEmpty is a job whose first two chunks hold only the fill value.
func halfEmpty(t *testing.T) *jobfile.Job {
	t.Helper()
	j := jobtest.Raw(t, "arrays:\n  group/a: {chunks: [4, 4], codecs: [bytes]}\n")
	file := filepath.Join(j.Dir, "a.raw")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[:4*6*4])
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return j
}

// objectsAt returns the objects at a URL, by their keys.
func objectsAt(t *testing.T, url string, env environment.Environment) map[string]string {
	t.Helper()
	st, err := store.Open(t.Context(), url, store.Options{Memory: env.Memory})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	err = st.List(t.Context(), "", func(o store.Info) error {
		data, err := st.ReadAll(t.Context(), o.Key, 1<<20)
		found[o.Key] = string(data)
		return err
	})
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDamagedTargetIsMended damages targets that are complete. The next run of the job writes
// the damaged objects again, and no others.
func TestDamagedTargetIsMended(t *testing.T) {
	const chunk, none = "group/a/c/1/1", "group/a/c/0/1"
	put := func(key, data string) func(string) error {
		return func(root string) error {
			name := filepath.Join(root, filepath.FromSlash(key))
			return errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(data), 0o600))
		}
	}
	for name, c := range map[string]struct {
		damage func(root string) error
		mended int
	}{
		"nothing":    {func(string) error { return nil }, 0},
		"other":      {put(chunk, strings.Repeat("x", 64)), 1},
		"longer":     {put(chunk, strings.Repeat("x", 65)), 1},
		"cut off":    {put(chunk, ""), 1},
		"missing":    {func(root string) error { return os.Remove(filepath.Join(root, chunk)) }, 1},
		"stray":      {put(none, strings.Repeat("x", 64)), 1},
		"several":    {func(root string) error { return errors.Join(put(chunk, "x")(root), put(none, "y")(root)) }, 2},
		"all chunks": {func(root string) error { return os.RemoveAll(filepath.Join(root, "group/a/c")) }, 4},
		"no chunk":   {put("group/a/c/9/9", "beyond the array"), 0},
		"copied": {func(root string) error {
			return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
				return errors.Join(err, os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)))
			})
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			j, env := halfEmpty(t), jobtest.Environment()
			first, err := execute(t, j, env, Options{})
			if err != nil || first.Empty != 2 {
				t.Fatalf("%+v, %v", first, err)
			}
			want := objectsAt(t, j.Target.URL, env)
			if err := c.damage(j.Target.URL); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			env.Log = slog.New(slog.NewTextHandler(&said, nil))
			result, err := execute(t, j, env, Options{})
			if err != nil || result.Mended != c.mended || result.Nothing != (c.mended == 0) {
				t.Fatalf("%+v, %v", result, err)
			}
			if c.mended > 0 && !strings.Contains(said.String(), "are written again") {
				t.Errorf("nothing was said: %s", said.String())
			}
			got := objectsAt(t, j.Target.URL, env)
			delete(got, "group/a/c/9/9")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-as it was +mended):\n%s", diff)
			}
			if result.Chunks != first.Chunks || result.BytesOut != first.BytesOut || result.Empty != first.Empty {
				t.Errorf("%+v, at first %+v", result, first)
			}
			if again, err := execute(t, j, env, Options{}); err != nil || !again.Nothing || again.Mended != 0 {
				t.Errorf("once more: %+v, %v", again, err)
			}
		})
	}
}

// silent leaves the marker of an owner on another machine. The last heartbeat of this owner
// was years ago.
func silent(t *testing.T, url string, env environment.Environment) {
	t.Helper()
	st, err := store.Open(t.Context(), url+".zmigrate", store.Options{Memory: env.Memory})
	if err != nil {
		t.Fatal(err)
	}
	marker := fmt.Sprintf(`{"id":"x","host":"elsewhere","pid":1,"nonce":"n","ttl_ns":%d,"heartbeat":"2020-01-01T00:00:00Z"}`, time.Millisecond)
	if err := errors.Join(st.Put(t.Context(), "lock/000001.json", []byte(marker)), st.Sync(t.Context()), st.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestLateObjects takes a lock over. Late objects of the old owner replace objects of the new
// owner, or appear where no object should be. No document appears before that is put right.
func TestLateObjects(t *testing.T) {
	for name, c := range map[string]struct {
		late  map[string]string
		again int // chunks that are written once more
	}{
		"none":     {nil, 0},
		"replaced": {map[string]string{"group/a/c/1/1": "old", "group/a/c/2/0": ""}, 2},
		"stray":    {map[string]string{"group/a/c/0/1": "old"}, 0},
		"both":     {map[string]string{"group/a/c/0/0": "old", "group/a/c/2/1": "old"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			j, env := halfEmpty(t), jobtest.Environment()
			env.Memory = &store.Memory{}
			j.Target.URL = "mem://b/want.zarr"
			if _, err := execute(t, j, env, Options{}); err != nil {
				t.Fatal(err)
			}
			want := objectsAt(t, j.Target.URL, env)
			j.Target.URL, j.Run.LockLifetime = "mem://b/out.zarr", 200*time.Millisecond
			silent(t, j.Target.URL, env)
			st, err := store.Open(t.Context(), j.Target.URL, store.Options{Memory: env.Memory})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = st.Close() }()
			var mu sync.Mutex
			written := map[int]int{}
			result, err := execute(t, j, env, Options{Observe: func(e stages.Event) {
				mu.Lock()
				defer mu.Unlock()
				written[e.Unit]++
				if len(written) < 6 {
					return
				}
				for key, data := range c.late {
					if written[e.Unit] == 1 {
						if err := st.Put(t.Context(), key, []byte(data)); err != nil {
							t.Error(err)
						}
					}
				}
				if _, err := st.Stat(t.Context(), "group/a/zarr.json"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("there is a document already: %v", err)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, objectsAt(t, j.Target.URL, env)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again := -6
			for _, n := range written {
				again += n
			}
			if again != c.again || result.Empty != 2 || result.BytesOut != 4*64 {
				t.Errorf("%d chunks were written again: %+v", again, result)
			}
			if next, err := execute(t, j, env, Options{}); err != nil || !next.Nothing {
				t.Errorf("next: %+v, %v", next, err)
			}
		})
	}
}

// TestLateObjectsForEver has another program that goes on writing to the target.
func TestLateObjectsForEver(t *testing.T) {
	j, env := halfEmpty(t), jobtest.Environment()
	env.Memory = &store.Memory{}
	j.Target.URL, j.Run.LockLifetime = "mem://b/out.zarr", 200*time.Millisecond
	silent(t, j.Target.URL, env)
	st, err := store.Open(t.Context(), j.Target.URL, store.Options{Memory: env.Memory})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	_, err = execute(t, j, env, Options{Observe: func(e stages.Event) {
		if err := st.Put(t.Context(), "group/a/c/2/1", []byte("old")); err != nil {
			t.Error(err)
		}
	}})
	if !errors.Is(err, ErrTampered) {
		t.Errorf("got %v", err)
	}
	if _, ok := objectsAt(t, j.Target.URL, env)["group/a/zarr.json"]; ok {
		t.Error("there is a document")
	}
}

// TestChangedTargetThatGrows changes a chunk of a target before rows are appended. That is a
// warning, because other programs may write to the target. If a run has lost its lock, it
// is an error.
func TestChangedTargetThatGrows(t *testing.T) {
	for _, overtaken := range []bool{false, true} {
		dir, env := t.TempDir(), jobtest.Environment()
		var last *jobfile.Job
		for n := range 2 {
			last = night{4 * n, 4}.job(t, dir)
			if overtaken && n == 1 {
				last.Run.LockLifetime = 200 * time.Millisecond
				silent9(t, last)
			}
			if _, err := execute(t, last, env, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		chunk := filepath.Join(last.Target.URL, "g/v/c/0/0")
		if err := os.WriteFile(chunk, []byte("changed"), 0o600); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		env.Log = slog.New(slog.NewTextHandler(&said, nil))
		j := night{8, 1}.job(t, dir)
		_, err := execute(t, j, env, Options{})
		if overtaken && (!errors.Is(err, ErrTampered) || !strings.Contains(err.Error(), "g/v/c/0/0")) {
			t.Errorf("overtaken: %v", err)
		}
		if !overtaken && (err != nil || !strings.Contains(said.String(), "have been changed")) {
			t.Errorf("%v: %s", err, said.String())
		}
	}
}

// silent9 is silent for a checkpoint that has been used.
func silent9(t *testing.T, j *jobfile.Job) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"id": "x", "host": "elsewhere", "pid": 1, "nonce": "n", "ttl_ns": time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(j.Target.URL+".zmigrate/lock/000009.json", text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSegmentThatComesLate leaves two late segments in the checkpoint of an unfinished run: a
// segment of another plan, and a segment of an earlier owner that has the next number.
func TestSegmentThatComesLate(t *testing.T) {
	j, env := halfEmpty(t), jobtest.Environment()
	want, err := execute(t, j, env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	objects := objectsAt(t, j.Target.URL, env)
	if err := errors.Join(os.RemoveAll(j.Target.URL), os.RemoveAll(j.Target.URL+".zmigrate")); err != nil {
		t.Fatal(err)
	}
	_, err = execute(t, j, env, Options{Begin: func(Progress) {
		st, err := store.Open(t.Context(), j.Target.URL+".zmigrate", store.Options{})
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = st.Close() }()
		other, err := journal.Open(t.Context(), st)
		if err == nil {
			err = other.Append(t.Context(), []sinks.Receipt{{Unit: 0, Empty: true}})
		}
		lie := `{"a":0,"u":5,"e":true}` + "\n"
		err = errors.Join(err, st.Create(context.Background(), "segments/0123456789ab-000001.jsonl", []byte(lie)))
		if err != nil {
			t.Error(err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(objects, objectsAt(t, j.Target.URL, env)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, err := execute(t, j, env, Options{}); err != nil || !again.Nothing || again.BytesOut != want.BytesOut {
		t.Errorf("%+v, %v", again, err)
	}
	left, err := filepath.Glob(j.Target.URL + ".zmigrate/segments/*")
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestLateObjectsOfRows lets late objects replace objects of the run that appended last, or of
// the run before. The next run over the same source writes the objects of its rows again.
func TestLateObjectsOfRows(t *testing.T) {
	for name, c := range map[string]struct {
		nights  int
		objects map[string]string // by key: what comes late, or the key of that
		mended  bool
	}{
		"one of the last run":       {2, map[string]string{"g/v/c/1/0": "late"}, true},
		"all of the last run":       {2, map[string]string{"g/v/c/1/0": "late", "g/time/c/1": "late"}, true},
		"other times":               {2, map[string]string{"g/time/c/1": "g/time/c/0"}, true},
		"one that is gone":          {2, map[string]string{"g/v/c/1/0": ""}, true},
		"of the run before":         {2, map[string]string{"g/v/c/0/0": "late"}, false},
		"of this run and of before": {2, map[string]string{"g/v/c/0/0": "late", "g/v/c/1/0": "late"}, false},
		"of the first run":          {1, map[string]string{"g/v/c/0/0": "late"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			var last *jobfile.Job
			for n := range c.nights {
				last = night{4 * n, 4}.job(t, dir)
				if n == c.nights-1 {
					last.Run.LockLifetime = 200 * time.Millisecond
					if n == 0 {
						silent(t, last.Target.URL, env)
					} else {
						silent9(t, last)
					}
				}
				if _, err := execute(t, last, env, Options{}); err != nil {
					t.Fatal(err)
				}
			}
			want := objectsAt(t, last.Target.URL, env)
			for key, text := range c.objects {
				file := filepath.Join(last.Target.URL, key)
				if other, ok := want[text]; ok {
					text = other
				}
				err := os.Remove(file)
				if text != "" {
					err = os.WriteFile(file, []byte(text), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			result, err := execute(t, last, env, Options{})
			if !c.mended {
				if !errors.Is(err, ErrTampered) {
					t.Errorf("%+v, %v", result, err)
				}
				return
			}
			if err != nil || result.Mended != len(c.objects) || !cmp.Equal(objectsAt(t, last.Target.URL, env), want) {
				t.Fatalf("%+v, %v", result, err)
			}
			if next, err := execute(t, last, env, Options{}); err != nil || !next.Nothing {
				t.Errorf("next: %+v, %v", next, err)
			}
			if next, err := execute(t, night{4 * c.nights, 4}.job(t, dir), env, Options{}); err != nil || next.Nothing {
				t.Errorf("more rows: %+v, %v", next, err)
			}
		})
	}
}
