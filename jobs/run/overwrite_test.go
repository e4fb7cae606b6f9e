package run

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// severalArrays returns a job that reads the file of testJob as several arrays, which all
// have chunks of the given shape.
func severalArrays(t *testing.T, dir, chunks string, arrays ...string) *jobfile.Job {
	t.Helper()
	text := "zmigrate: 1\nsource:\n  driver: raw\n  arrays:\n"
	for _, name := range arrays {
		text += fmt.Sprintf("    %s: {url: a.raw, data_type: float32, shape: [10, 6]}\n", name)
	}
	text += "target: {url: out.zarr}\ndefaults: {chunks: " + chunks + "}\n"
	j := jobtest.Parse(t, dir, text)
	return j
}

// TestOverwriteLeavesOthers overwrites one array of a hierarchy, and breaks the run at each of
// its changes in turn. The other arrays stay as they are, and in the end the root's
// consolidated metadata have all arrays.
func TestOverwriteLeavesOthers(t *testing.T) {
	dir, env := jobtest.Raw(t, "").Dir, jobtest.Environment()
	target := filepath.Join(dir, "out.zarr")
	all := []string{"group/a", "group/b", "other/c"}
	if _, err := execute(t, severalArrays(t, dir, "[10, 6]", all...), env, Options{}); err != nil {
		t.Fatal(err)
	}
	// The others' documents are those of another program.
	strange := `{"zarr_format":3,"node_type":"group","attributes":{"mine":true},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{}}}`
	if err := os.WriteFile(filepath.Join(target, "zarr.json"), []byte(strange), 0o600); err != nil {
		t.Fatal(err)
	}
	one := severalArrays(t, dir, "[4, 4]", "group/a")
	one.Target.Existing = "overwrite"
	var removed []Removal
	seen := 0
	for stop := int64(1); ; stop++ {
		err := executeBroken(t, one, env, Options{Confirm: func(r Removal) error {
			removed = append(removed, r)
			return nil
		}}, stop)
		for _, name := range all[1:] {
			if _, values := readArray(t, target, name, env); values[59] != 59 {
				t.Fatalf("%s: the last element is %v", name, values[59])
			}
		}
		if seen++; err == nil {
			break
		}
	}
	if seen < 10 {
		t.Errorf("only %d operations", seen)
	}
	if diff := cmp.Diff([]Removal{{Target: target, Arrays: []string{"group/a"}, Objects: 2}}, removed[:1]); diff != "" {
		t.Error(diff)
	}
	array, values := readArray(t, target, "group/a", env)
	if diff := cmp.Diff([]int{4, 4}, array.Grid.Chunk); diff != "" || values[59] != 59 {
		t.Errorf("%v, %s", values[59], diff)
	}
	root := contents(t, target)["zarr.json"]
	for _, want := range append([]string{`"mine": true`}, all...) {
		if !strings.Contains(root, want) {
			t.Errorf("%s is not in %s", want, root)
		}
	}
}

// executeBroken runs a job as if in another process. The operation with the given number
// fails, among those that change something, counted from 1. If the run has fewer such
// operations, it succeeds.
func executeBroken(t *testing.T, j *jobfile.Job, env environment.Environment, opt Options, stop int64) error {
	t.Helper()
	var operations atomic.Int64
	env.Fault = func(op, _ string) error {
		if slices.Contains([]string{"put", "create", "sync", "delete"}, op) && operations.Add(1) == stop {
			return errors.New("made to fail")
		}
		return nil
	}
	opt.Owner = journal.ThisProcess("test")
	opt.Owner.ID = rand.Text()
	_, err := execute(t, j, env, opt)
	return err
}

// TestFailSaysWhatIsThere has a job with existing: fail and a target that exists. The error
// says what the target holds.
func TestFailSaysWhatIsThere(t *testing.T) {
	dir, env := jobtest.Raw(t, "").Dir, jobtest.Environment()
	j := severalArrays(t, dir, "[4, 4]", "group/a", "b")
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "out.zarr.zmigrate")); err != nil {
		t.Fatal(err)
	}
	j.Target.Existing = "fail"
	_, err := execute(t, j, env, Options{})
	if want := "16 objects (b/c/0/0, b/c/0/1, b/c/1/0, …), 4 of them documents"; !errors.Is(err, ErrTargetExists) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// TestDeclinedOverwriteForgetsNothing declines to overwrite a target. Target and checkpoint
// stay as they are.
func TestDeclinedOverwriteForgetsNothing(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	other := jobtest.RawIn(t, j.Dir, strings.Replace(smallChunks, "[4, 4]", "[5, 6]", 1))
	other.Target.Existing = "overwrite"
	declined := errors.New("no")
	if _, err := execute(t, other, env, Options{Confirm: func(Removal) error { return declined }}); !errors.Is(err, declined) {
		t.Errorf("got %v", err)
	}
	if result, err := execute(t, j, env, Options{}); err != nil || !result.Nothing {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestOverwriteOfManyObjects removes more objects than fit one batch. The run does not keep
// the names of all of them.
func TestOverwriteOfManyObjects(t *testing.T) {
	const objects = 20_000
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	j.Target.URL, j.Target.Existing = "mem://b/out.zarr", "overwrite"
	j.Run.PerSecond = 0
	p, err := plan.New(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &run{plan: p, log: slog.New(slog.DiscardHandler)}
	if r.target, err = store.Open(t.Context(), j.Target.URL, env.StoreOptions(j, p.Limits.Target)); err != nil {
		t.Fatal(err)
	}
	for i := range objects {
		if err := r.target.Put(t.Context(), fmt.Sprintf("group/a/c/%d/%d", i, i), nil); err != nil {
			t.Fatal(err)
		}
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	there, err := r.inTheWay(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if after := heap(); after > before+objects*10 {
		t.Errorf("%d bytes for %d objects", after-before, objects)
	}
	want := Removal{Target: r.target.URL(), Arrays: []string{"group/a"}, Objects: objects}
	if diff := cmp.Diff(want, r.removal(there)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := r.remove(t.Context(), there); err != nil {
		t.Fatal(err)
	}
	err = r.target.List(t.Context(), "", func(o store.Info) error { return fmt.Errorf("%s is left", o.Key) })
	if err = errors.Join(err, r.target.Close()); err != nil {
		t.Error(err)
	}
}
