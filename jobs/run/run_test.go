package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/zarr"
)

const smallChunks = `
arrays:
  group/a: {chunks: [4, 4], attributes: {drop: null, long_name: height}, fill_value: 7}
`

func execute(t *testing.T, j *jobfile.Job, env environment.Environment, opt Options) (*Result, error) {
	t.Helper()
	p, err := plan.New(t.Context(), j, env)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	if opt.Owner.ID == "" {
		opt.Owner = journal.ThisProcess("test")
	}
	return Run(t.Context(), p, env, opt)
}

func TestRunWritesWhatThePlanSays(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	result, err := execute(t, j, env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	result.Time, result.Run, result.Busy = 0, "", nil
	want := Result{Target: j.Target.URL, Arrays: 1, Chunks: 6, BytesIn: 240, BytesOut: result.BytesOut, ByArray: []CompletedArray{{BytesOut: result.BytesOut, Digest: result.ByArray[0].Digest}}}
	if diff := cmp.Diff(want, *result); diff != "" {
		t.Error(diff)
	}
	array, values := readArray(t, j.Target.URL, "group/a", env)
	for i, v := range values {
		if v != float32(i) {
			t.Fatalf("element %d is %v", i, v)
		}
	}
	if diff := cmp.Diff([]string{"y", "x"}, array.DimensionNames); diff != "" {
		t.Error(diff)
	}
	text, err := array.Attributes.MarshalJSON()
	if err != nil || string(text) != `{"units":"m","long_name":"height"}` {
		t.Errorf("attributes %s, %v", text, err)
	}
	if fill := array.Type.FormatScalar(dtype.V3, array.Fill); string(fill) != "7.0" {
		t.Errorf("fill value %s", fill)
	}
	entries, err := os.ReadDir(filepath.Dir(j.Target.URL))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"a.raw", "out.zarr", "out.zarr.zmigrate"}, names); diff != "" {
		t.Error(diff)
	}
}

// readArray decodes a whole float32 array of a local target.
func readArray(t *testing.T, target, path string, env environment.Environment) (*zarr.Array, []float32) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(target, path, zarr.MetadataKey))
	if err != nil {
		t.Fatal(err)
	}
	array, err := zarr.ParseArray(text, env.Codecs.Types())
	if err != nil {
		t.Fatal(err)
	}
	chain, err := env.Codecs.Bind(array.Codecs, codecs.Chunk{Type: array.Type, Shape: array.Grid.Chunk, Fill: array.Fill})
	if err != nil {
		t.Fatal(err)
	}
	whole, pool := ndarray.New(array.Type, array.Grid.Shape), &ndarray.Pool{}
	for n := range array.Grid.Len() {
		index := array.Grid.Index(n)
		chunk := ndarray.New(array.Type, array.Grid.Chunk)
		data, err := os.ReadFile(filepath.Join(target, path, zarr.KeyEncoding{}.Key(index)))
		switch {
		case errors.Is(err, os.ErrNotExist):
			ndarray.Fill(chunk, array.Fill)
		case err != nil:
			t.Fatal(err)
		default:
			if err := chain.Decode(pool, chunk, data); err != nil {
				t.Fatal(err)
			}
		}
		region := array.Grid.Region(index)
		ndarray.Copy(whole.Sub(region), chunk.Sub(ndarray.Region{Start: make([]int, len(index)), Shape: region.Shape}))
	}
	values, ok := ndarray.As[float32](whole)
	if !ok {
		t.Fatal("not float32")
	}
	return array, values
}

func TestRunAgainDoesNothing(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	before := modified(t, j.Target.URL)
	// A run may be killed when the job is complete already.
	left := filepath.Join(j.Target.URL+".zmigrate", "incoming", "object-of-another")
	if err := errors.Join(os.MkdirAll(filepath.Dir(left), 0o700), os.WriteFile(left, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	result, err := execute(t, j, env, Options{})
	if err != nil || !result.Nothing {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := os.Stat(filepath.Dir(left)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a killed run has left is there: %v", err)
	}
	if diff := cmp.Diff(before, modified(t, j.Target.URL)); diff != "" {
		t.Error(diff)
	}
	status, err := ReadStatus(t.Context(), j, env)
	if err != nil || status.State != "complete" || status.Done != 6 {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestRunAgainRemovesEmptyFolders has the empty folders beside a complete target that a process
// leaves if it is killed while it makes or removes folders.
func TestRunAgainRemovesEmptyFolders(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, left := range []string{"segments", "work", "work/0123456789ab", "work/0123456789ab/worker", "work/0123456789ab/worker/lock"} {
		if err := os.MkdirAll(filepath.Join(j.Target.URL+".zmigrate", left), 0o700); err != nil {
			t.Fatal(err)
		}
		result, err := execute(t, j, env, Options{})
		if err != nil || !result.Nothing {
			t.Fatalf("%+v, %v", result, err)
		}
		first, _, _ := strings.Cut(left, "/")
		if _, err := os.Stat(filepath.Join(j.Target.URL+".zmigrate", first)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %s is left: %v", left, first, err)
		}
	}
}

func TestAFolderCanMove(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(j.Dir, moved); err != nil {
		t.Fatal(err)
	}
	there := jobtest.RawIn(t, moved, smallChunks)
	result, err := execute(t, there, env, Options{})
	if err != nil || !result.Nothing || result.Target != there.Target.URL {
		t.Errorf("%+v, %v", result, err)
	}
}

func modified(t *testing.T, root string) map[string]time.Time {
	t.Helper()
	times := map[string]time.Time{}
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		times[p] = info.ModTime()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return times
}

func TestRunAfterAChangeIsRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string) *jobfile.Job
		want   string
	}{
		{"the source has grown", func(t *testing.T, dir string) *jobfile.Job {
			if err := os.Chtimes(filepath.Join(dir, "a.raw"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			return jobtest.RawIn(t, dir, smallChunks)
		}, "a.raw was last changed"},
		{"the chunks differ", func(t *testing.T, dir string) *jobfile.Job {
			return jobtest.RawIn(t, dir, strings.Replace(smallChunks, "[4, 4]", "[5, 6]", 1))
		}, "chunks: was [4,4], is [5,6]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
			if _, err := execute(t, j, env, Options{}); err != nil {
				t.Fatal(err)
			}
			before := modified(t, j.Target.URL)
			changed := c.change(t, j.Dir)
			_, err := execute(t, changed, env, Options{})
			var why *environment.ChangedError
			if !errors.As(err, &why) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if diff := cmp.Diff(before, modified(t, j.Target.URL)); diff != "" {
				t.Error(diff)
			}
			changed.Target.Existing = "overwrite"
			if result, err := execute(t, changed, env, Options{}); err != nil || result.Nothing {
				t.Errorf("overwrite: %+v, %v", result, err)
			}
			if _, values := readArray(t, j.Target.URL, "group/a", env); values[59] != 59 {
				t.Errorf("after overwrite the last element is %v", values[59])
			}
		})
	}
}

func TestExistingTargets(t *testing.T) {
	foreign := func(t *testing.T, j *jobfile.Job, key string) {
		t.Helper()
		file := filepath.Join(j.Target.URL, key)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		existing, key string
		fails         bool
	}{
		{"resume", "zarr.json", true},
		{"fail", "group/a/c/0/0", true},
		{"overwrite", "group/a/c/9/9", false},
		{"overwrite", "group/zarr.json", false},
		{"overwrite", "other/zarr.json", true},
		{"overwrite", "group/a/notes.txt", true},
		{"overwrite", "group/a/c/x", true},
		{"overwrite", "group/a/b/zarr.json", true},
	} {
		t.Run(fmt.Sprintf("%s over %s", c.existing, c.key), func(t *testing.T) {
			j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
			j.Target.Existing = c.existing
			foreign(t, j, c.key)
			_, err := execute(t, j, env, Options{})
			if c.fails {
				if !errors.Is(err, ErrTargetExists) || !strings.Contains(err.Error(), c.key) {
					t.Errorf("got %v", err)
				}
				if text, err := os.ReadFile(filepath.Join(j.Target.URL, c.key)); err != nil || string(text) != "{}" {
					t.Errorf("what was there is now %q, %v", text, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(filepath.Join(j.Target.URL, c.key)); err == nil && string(text) == "{}" {
				t.Error("the old object is still there")
			}
		})
	}
}

func TestStoppedRunsGoOn(t *testing.T) {
	j, env := largeJob(t), jobtest.Environment()
	first := interrupt(t, j, env)
	status, err := ReadStatus(t.Context(), j, env)
	if err != nil || status.State != "interrupted" || status.Done != first || first == 16 {
		t.Fatalf("%d done, status %+v, %v", first, status, err)
	}
	if _, err := os.Stat(filepath.Join(j.Target.URL, "a", zarr.MetadataKey)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the document of an unfinished array: %v", err)
	}
	result, err := execute(t, j, env, Options{})
	if err != nil || result.Resumed != first || result.Chunks != 16 {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, values := readArray(t, j.Target.URL, "a", env); values[largeRows*columns-1] != largeRows*columns {
		t.Errorf("the last element is %v", values[largeRows*columns-1])
	}
}

func TestTheLockKeepsRunsApart(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	checkpoint, err := environment.OpenCheckpoint(t.Context(), j, env, limits.New(0))
	if err != nil {
		t.Fatal(err)
	}
	runsApart(t, j, env, checkpoint)
}

func TestPlanFindsEverythingAtOnce(t *testing.T) {
	j, env := jobtest.Raw(t, `
arrays:
  group/a: {chunks: [4], fill_value: red, codecs: [gzip]}
  nothing: {rename: x}
`), jobtest.Environment()
	_, err := plan.New(t.Context(), j, env)
	var problems jobfile.Problems
	if !errors.As(err, &problems) || len(problems) < 3 {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"job.yaml:10:13: arrays.group/a.chunks", "fill_value", "nothing"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
}

func TestManifestIsTheSameEachTime(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	var texts []string
	for range 2 {
		p, err := plan.New(t.Context(), j, env)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.Manifest()
		if err := errors.Join(err, p.Close()); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(m))
	}
	if texts[0] != texts[1] {
		t.Errorf("manifests %v", texts)
	}
}

// TestUnusableCheckpoint has checkpoints in places where no folder can be made.
func TestUnusableCheckpoint(t *testing.T) {
	for what, below := range map[string]string{
		"not a directory":    filepath.Join("a.raw", "checkpoint"),
		"file name too long": strings.Repeat("x", 300),
	} {
		j := jobtest.Raw(t, smallChunks)
		place := filepath.Join(j.Dir, below)
		j.Run.Checkpoint.Text, j.Run.Checkpoint.URL = place, place
		_, err := execute(t, j, jobtest.Environment(), Options{})
		for _, want := range []string{"the folder " + place + " cannot be used", what, "run.checkpoint.url"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}
