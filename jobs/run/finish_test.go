package run

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
)

// anyone returns an owner that stands for another process.
func anyone() journal.Owner {
	owner := journal.ThisProcess("test")
	owner.ID = rand.Text()
	return owner
}

// openPlan makes the plan of a job, which is closed with the test.
func openPlan(t *testing.T, j *jobfile.Job, env environment.Environment) *plan.Plan {
	t.Helper()
	p, err := plan.New(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// begun makes the plan of a job, and saves it.
func begun(t *testing.T, j *jobfile.Job, env environment.Environment) *plan.Plan {
	t.Helper()
	p := openPlan(t, j, env)
	if c, complete, err := Save(t.Context(), p, env, Options{Owner: anyone()}); c == nil || complete || err != nil {
		t.Fatalf("complete %v, error %v", complete, err)
	}
	return p
}

// work does units of a plan as a worker of its own.
func work(t *testing.T, p *plan.Plan, env environment.Environment, b Bundle, opt Options) (*Receipts, error) {
	t.Helper()
	w, err := NewWorker(t.Context(), p, env, Options{Owner: anyone()})
	if err != nil {
		return nil, err
	}
	made, err := w.Work(t.Context(), b, opt)
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
	return made, err
}

// worked does units of a plan.
func worked(t *testing.T, p *plan.Plan, env environment.Environment, first, end int) *Receipts {
	t.Helper()
	receipts, err := work(t, p, env, Bundle{First: first, End: end}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return receipts
}

// receiptsFile returns the file with the receipts of a bundle.
func receiptsFile(t *testing.T, j *jobfile.Job, b Bundle) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(j.Target.URL+".zmigrate", "work", "*", "*", fmt.Sprintf("*-%d-%d.jsonl", b.First, b.End)))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	return files[0]
}

// rewrite replaces the receipts of a bundle.
func rewrite(t *testing.T, j *jobfile.Job, made *Receipts) {
	t.Helper()
	var text []byte
	for _, x := range made.List {
		line, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	file := receiptsFile(t, j, made.Bundle)
	if err := errors.Join(os.Remove(file), os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestFinishRefuses has receipts that do not finish a plan. The target gets no document, and
// afterwards the right receipts still finish the plan.
func TestFinishRefuses(t *testing.T) {
	type halves struct{ first, second *Receipts }
	for name, test := range map[string]struct {
		spoil func(t *testing.T, j *jobfile.Job, h *halves)
		want  string
		cause error // nil: the checkpoint is damaged
	}{
		"none at all": {func(_ *testing.T, _ *jobfile.Job, h *halves) {
			h.first.List, h.second.List = nil, nil
		}, "6 of 6 units have no receipt (0-6): do them with zmigrate work JOB --units 0-6", ErrReceipts},
		"one is missing": {func(_ *testing.T, _ *jobfile.Job, h *halves) {
			h.first.List = slices.DeleteFunc(h.first.List, func(x sinks.Receipt) bool { return x.Unit == 1 })
		}, "1 of 6 units have no receipt (1-2)", ErrReceipts},
		"of another plan": {func(t *testing.T, j *jobfile.Job, h *halves) {
			dir := filepath.Dir(filepath.Dir(receiptsFile(t, j, h.first.Bundle)))
			if err := os.Rename(dir, filepath.Join(filepath.Dir(dir), "000000000000")); err != nil {
				t.Fatal(err)
			}
		}, "6 of 6 units have no receipt", ErrReceipts},
		"another checksum": {func(_ *testing.T, _ *jobfile.Job, h *halves) {
			x := h.first.List[0]
			x.Sum++
			h.second.List = append(h.second.List, x)
		}, "two receipts contradict each other", ErrReceipts},
		"stored and empty": {func(_ *testing.T, _ *jobfile.Job, h *halves) {
			x := h.first.List[0]
			h.second.List = append(h.second.List, sinks.Receipt{Array: x.Array, Unit: x.Unit, Empty: true})
		}, "two receipts contradict each other", ErrReceipts},
		"empty and stored": {func(_ *testing.T, _ *jobfile.Job, h *halves) {
			x := h.second.List[0]
			h.first.List = append(h.first.List, sinks.Receipt{Array: x.Array, Unit: x.Unit, Empty: true})
		}, "two receipts contradict each other", ErrReceipts},
		"another object": {func(_ *testing.T, _ *jobfile.Job, h *halves) { h.first.List[0].Key = "group/a/c/9/9" }, "the object group/a/c/9/9, which is group/a/c/", nil},
		"no such unit":   {func(_ *testing.T, _ *jobfile.Job, h *halves) { h.first.List[0].Unit = 6 }, "chunk 6 of array 0, which the plan does not have", nil},
		"no such array":  {func(_ *testing.T, _ *jobfile.Job, h *halves) { h.first.List[0].Array = 1 }, "of array 1, which the plan does not have", nil},
		"negative":       {func(_ *testing.T, _ *jobfile.Job, h *halves) { h.first.List[0].Bytes = -1 }, "a negative number", nil},
		"an object is gone": {func(t *testing.T, j *jobfile.Job, h *halves) {
			if err := os.Remove(filepath.Join(j.Target.URL, filepath.FromSlash(h.first.List[0].Key))); err != nil {
				t.Error(err)
			}
		}, "1 objects are not what the receipts say, group/a/c/", ErrReceipts},
		"an object is another": {func(t *testing.T, j *jobfile.Job, h *halves) {
			file := filepath.Join(j.Target.URL, filepath.FromSlash(h.first.List[0].Key))
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)-1]++
			if err := errors.Join(os.Remove(file), os.WriteFile(file, data, 0o600)); err != nil {
				t.Error(err)
			}
		}, "1 objects are not what the receipts say, group/a/c/", ErrReceipts},
	} {
		t.Run(name, func(t *testing.T) {
			j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
			p := begun(t, j, env)
			h := halves{worked(t, p, env, 0, 3), worked(t, p, env, 3, 6)}
			rewrite(t, j, h.first)
			test.spoil(t, j, &h)
			if name != "of another plan" {
				rewrite(t, j, h.first)
				rewrite(t, j, h.second)
			}
			_, err := Finish(t.Context(), p, env, Options{Owner: anyone()})
			if err == nil || test.cause != nil && !errors.Is(err, test.cause) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			for key := range contents(t, j.Target.URL) {
				if filepath.Base(key) == "zarr.json" {
					t.Errorf("the target has %s", key)
				}
			}
			if err := os.RemoveAll(filepath.Join(j.Target.URL+".zmigrate", "work")); err != nil {
				t.Fatal(err)
			}
			worked(t, p, env, 0, 6)
			worked(t, p, env, 2, 5)
			result, err := Finish(t.Context(), p, env, Options{Owner: anyone()})
			if err != nil || result.Nothing || result.Chunks != 6 {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}

// TestWorkRefuses works on a plan that was not saved, on the plan of another job than the one
// that was saved, on a plan that another version has saved, and on units that the plan does not
// have.
func TestWorkRefuses(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	p := openPlan(t, j, env)
	if _, err := work(t, p, env, Bundle{First: 0, End: 6}, Options{}); !errors.Is(err, ErrNotBegun) {
		t.Errorf("not saved: %v", err)
	}
	if _, err := Finish(t.Context(), p, env, Options{Owner: anyone()}); !errors.Is(err, ErrNotBegun) {
		t.Errorf("finished without a plan: %v", err)
	}
	p = begun(t, j, env)
	for _, b := range []Bundle{{First: -1, End: 2}, {First: 3, End: 2}, {First: 0, End: 7}} {
		if _, err := work(t, p, env, b, Options{}); err == nil || !strings.Contains(err.Error(), "it has 6 units") {
			t.Errorf("units %v: %v", b, err)
		}
	}
	other := openPlan(t, jobtest.RawIn(t, j.Dir, strings.ReplaceAll(smallChunks, "fill_value: 7", "fill_value: 8")), env)
	if _, err := work(t, other, env, Bundle{First: 0, End: 6}, Options{}); !errors.Is(err, ErrNotBegun) || !errors.Is(err, plan.ErrOtherPlan) {
		t.Errorf("another plan: %v", err)
	}
	file := filepath.Join(j.Target.URL+".zmigrate", "campaign.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(text, []byte(`"version":"`), []byte(`"version":"0`), 1)
	if err := errors.Join(os.Remove(file), os.WriteFile(file, changed, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := work(t, p, env, Bundle{First: 0, End: 6}, Options{}); err == nil || !strings.Contains(err.Error(), "use the same program on all machines") {
		t.Errorf("another version: %v", err)
	}
}

// TestReadRefuses reads a plan whose job or source has changed.
func TestReadRefuses(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	text, err := openPlan(t, j, env).Manifest()
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Read(t.Context(), j, env, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	other := jobtest.RawIn(t, j.Dir, strings.ReplaceAll(smallChunks, "fill_value: 7", "fill_value: 8"))
	if _, err := plan.Read(t.Context(), other, env, text); !errors.Is(err, plan.ErrOtherPlan) || !strings.Contains(err.Error(), "fill_value") {
		t.Errorf("another job: %v", err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(j.Dir, "a.raw"), later, later); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Read(t.Context(), j, env, text); !errors.Is(err, plan.ErrOtherPlan) || !strings.Contains(err.Error(), "source file a.raw") {
		t.Errorf("another source: %v", err)
	}
	if _, err := plan.Read(t.Context(), j, env, []byte(`{"version":3}`)); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("another version: %v", err)
	}
}

// TestFinishGoesOn breaks Finish at each of its changes to target and checkpoint. A
// second one completes what the first has begun, and a third one finds nothing to do.
// The target is that of a run.
func TestFinishGoesOn(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	want := contents(t, j.Target.URL)
	broken := errors.New("broken")
	for at := int64(1); ; at++ {
		for _, place := range []string{j.Target.URL, j.Target.URL + ".zmigrate"} {
			if err := os.RemoveAll(place); err != nil {
				t.Fatal(err)
			}
		}
		p := begun(t, j, env)
		worked(t, p, env, 4, 6)
		worked(t, p, env, 0, 4)
		var changes atomic.Int64
		faulty := env
		faulty.Fault = func(op, _ string) error {
			if !slices.Contains([]string{"put", "create", "sync", "delete"}, op) {
				return nil
			}
			if changes.Add(1) == at {
				return broken
			}
			return nil
		}
		_, err := Finish(t.Context(), p, faulty, Options{Owner: anyone()})
		if changes.Load() < at {
			if err != nil {
				t.Fatal(err)
			}
			if at < 10 {
				t.Errorf("Finish makes only %d changes", at)
			}
			return
		}
		for _, nothing := range []bool{false, true} {
			result, err := Finish(t.Context(), p, env, Options{Owner: anyone()})
			if err != nil || nothing && !result.Nothing {
				t.Fatalf("broken at change %d: %+v, %v", at, result, err)
			}
		}
		if diff := cmp.Diff(want, contents(t, j.Target.URL)); diff != "" {
			t.Fatalf("broken at change %d (-run +parts):\n%s", at, diff)
		}
	}
}

// TestGrowthIsFinishedTwice finishes a plan that appends rows twice. The plan was made before
// the run began.
func TestGrowthIsFinishedTwice(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	for _, n := range []night{{0, 3}, {3, 4}} {
		if _, err := execute(t, n.job(t, dir), env, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	want := contents(t, filepath.Join(dir, "out.zarr"))
	dir = t.TempDir()
	if _, err := execute(t, night{0, 3}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	p := begun(t, night{3, 4}.job(t, dir), env)
	worked(t, p, env, 0, p.Units())
	for _, nothing := range []bool{false, true} {
		result, err := Finish(t.Context(), p, env, Options{Owner: anyone()})
		if err != nil || result.Nothing != nothing || result.Appended != 4 {
			t.Errorf("%+v, %v", result, err)
		}
	}
	if diff := cmp.Diff(want, contents(t, filepath.Join(dir, "out.zarr"))); diff != "" {
		t.Errorf("(-runs +parts):\n%s", diff)
	}
}

// TestWorkSkipsWhatIsNotStored works on bundles that overlap. The source stores only two of
// its chunks.
func TestWorkSkipsWhatIsNotStored(t *testing.T) {
	const n = 4000
	j, env := sparseZarr(t, n, "7", "}\ntarget: {url: out}"), jobtest.Environment()
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	want := contents(t, j.Target.URL)
	for _, place := range []string{j.Target.URL, j.Target.URL + ".zmigrate"} {
		if err := os.RemoveAll(place); err != nil {
			t.Fatal(err)
		}
	}
	p := begun(t, j, env)
	receipts := []*Receipts{worked(t, p, env, 2500, n), worked(t, p, env, 0, 1500), worked(t, p, env, 1400, 2600)}
	for i, most := range []int{2, 3, 1} {
		if n := len(receipts[i].List); n > most {
			t.Errorf("bundle %d has %d receipts, want at most %d", i, n, most)
		}
	}
	result, err := Finish(t.Context(), p, env, Options{Owner: anyone()})
	if err != nil || result.Chunks != n || result.Empty != n-2 {
		t.Errorf("%+v, %v", result, err)
	}
	if diff := cmp.Diff(want, contents(t, j.Target.URL)); diff != "" {
		t.Errorf("(-run +parts):\n%s", diff)
	}
}

// TestFinishReadsReceiptsTwice counts how often Finish reads the receipts of each bundle: once to
// check them, and once for the list of objects. If two workers have done a unit, Finish reads the
// receipts once more, to compare those of the unit.
func TestFinishReadsReceiptsTwice(t *testing.T) {
	for name, test := range map[string]struct {
		bundles []Bundle
		most    int
	}{
		"each unit once":   {[]Bundle{{First: 0, End: 2}, {First: 2, End: 5}, {First: 5, End: 6}}, 2},
		"some units twice": {[]Bundle{{First: 0, End: 4}, {First: 2, End: 6}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
			p := begun(t, j, env)
			for _, b := range test.bundles {
				worked(t, p, env, b.First, b.End)
			}
			var mu sync.Mutex
			reads := map[string]int{}
			env.Fault = func(op, key string) error {
				if strings.HasSuffix(key, ".jsonl") && op != "delete" {
					mu.Lock()
					defer mu.Unlock()
					reads[key]++
				}
				return nil
			}
			if _, err := Finish(t.Context(), p, env, Options{Owner: anyone()}); err != nil {
				t.Fatal(err)
			}
			if len(reads) != len(test.bundles) {
				t.Errorf("the receipts of %d bundles were read, want %d", len(reads), len(test.bundles))
			}
			for key, n := range reads {
				if n > test.most {
					t.Errorf("%s was read %d times, want %d", key, n, test.most)
				}
			}
		})
	}
}
