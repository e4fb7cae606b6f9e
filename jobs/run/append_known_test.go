package run

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/stages"
)

// copyRaw copies the files of a night under other names.
func copyRaw(t *testing.T, dir, from, to string) {
	t.Helper()
	for _, name := range []string{"time", "v"} {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s_%s.raw", name, from)))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s_%s.raw", name, to)), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAppendComparesKnownCoordinates has files that are not on record, with coordinates that
// the target already has. Nothing is appended if the rows have the same values, and other
// values are refused.
func TestAppendComparesKnownCoordinates(t *testing.T) {
	for name, arrays := range map[string]string{
		"chunks":       "chunks: [4, 2]",
		"small chunks": "chunks: [1, 1]",
		"shards":       "chunks: [2, 1], shards: [6, 2]",
		"rounded":      "chunks: [4, 2], codecs: [{scale_offset: {scale: 0.4}}, {cast_value: {data_type: int16, rounding: nearest-even}}, bytes]",
	} {
		for _, n := range []night{{0, 9}, {3, 3}, {5, 1}, {7, 2}} {
			t.Run(fmt.Sprintf("%s from %d", name, n.first), func(t *testing.T) {
				dir, env := t.TempDir(), jobtest.Environment()
				edit := []string{"chunks: [4, 2]", arrays}
				if _, err := execute(t, night{0, 9}.job(t, dir, edit...), env, Options{}); err != nil {
					t.Fatal(err)
				}
				n.write(t, dir)
				copyRaw(t, dir, fmt.Sprint(n.first), "other")
				edit = append(edit, fmt.Sprintf("v_%d.raw", n.first), "v_other.raw", fmt.Sprintf("time_%d.raw", n.first), "time_other.raw")
				if result, err := execute(t, n.job(t, dir, edit...), env, Options{}); err != nil || !result.Nothing {
					t.Fatalf("%+v, %v", result, err)
				}
				file := filepath.Join(dir, "v_other.raw")
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				copy(data[len(data)-4:], []byte{0, 0, 0x7a, 0x43}) // 250
				if err := os.WriteFile(file, data, 0o600); err != nil {
					t.Fatal(err)
				}
				want := fmt.Sprintf(`array "g/v": the target already has rows with the coordinates of the source, but with other values and from other files: element [%d 1] is`, n.first+n.days-1)
				if _, err := execute(t, n.job(t, dir, edit...), env, Options{}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "and 250.0 in the source") {
					t.Errorf("%v\nwant %s", err, want)
				}
			})
		}
	}
}

// TestAppendKnowsFilesHoweverSpelled appends, without a coordinate, files whose rows the
// target already has. Their names are spelled in other ways, or the files have changed.
func TestAppendKnowsFilesHoweverSpelled(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	job := func(url string) *jobfile.Job {
		j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: "%s", data_type: float32, shape: [1, 2], dimension_names: [time, x]}}}
target: {url: out.zarr, existing: append, append: time}
`, url), dir, jobfile.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	night{0, 1}.write(t, dir)
	night{1, 1}.write(t, dir)
	for _, name := range []string{"v_0.raw", "v_1.raw"} {
		if _, err := execute(t, job(name), env, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "v_1.raw")
	if err := os.Symlink(file, filepath.Join(dir, "latest.raw")); err != nil {
		t.Fatal(err)
	}
	names := []string{"./v_1.raw", file, "file://" + file, "latest.raw"}
	for _, name := range names {
		if result, err := execute(t, job(name), env, Options{}); err != nil || !result.Nothing {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := execute(t, job(name), env, Options{}); err == nil || !strings.Contains(err.Error(), "of these files, which have changed since:\n  source file v_1.raw was last changed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAppendToAnEarlierState puts an earlier state of the target back. The checkpoint then no
// longer describes the target.
func TestAppendToAnEarlierState(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	job := func(n int) *jobfile.Job {
		night{n, 1}.write(t, dir)
		j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: v_%d.raw, data_type: float32, shape: [1, 2], dimension_names: [time, x]}}}
target: {url: out.zarr, existing: append, append: time}
`, n), dir, jobfile.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	backup := map[string]string{}
	for n := range 2 {
		if _, err := execute(t, job(n), env, Options{}); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			maps.Copy(backup, contents(t, filepath.Join(dir, "out.zarr")))
		}
	}
	for key, text := range backup {
		if err := os.WriteFile(filepath.Join(dir, "out.zarr", key), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 3 {
		if _, err := execute(t, job(n), env, Options{}); err == nil || !strings.Contains(err.Error(), `array "v" has 1 rows, and had 2 when the last run ended`) {
			t.Errorf("night %d: %v", n, err)
		}
	}
}

// TestAppendWhileAnotherRuns appends other rows while an unfinished run holds the lock, and
// again after that run was killed.
func TestAppendWhileAnotherRuns(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	if _, err := execute(t, night{0, 5}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	close(stop)
	j := night{5, 2}.job(t, dir)
	if _, err := execute(t, j, env, Options{Stop: stop}); !errors.Is(err, stages.ErrStopped) {
		t.Fatal(err)
	}
	st, err := environment.OpenCheckpoint(t.Context(), j, env, limits.New(0))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := journal.Acquire(t.Context(), st, journal.LockOptions{TTL: time.Minute, Owner: journal.ThisProcess("other")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, night{7, 1}.job(t, dir), env, Options{}); !isHeld(err) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(lock.Release(t.Context(), false), st.Close()); err != nil {
		t.Fatal(err)
	}
	var why *environment.ChangedError
	if _, err := execute(t, night{7, 1}.job(t, dir), env, Options{}); !errors.As(err, &why) {
		t.Errorf("got %v", err)
	}
}

// TestAppendLeavesNothingBehindWithoutCoordinate has an array in a group below that the next
// job does not have. There is no coordinate. The arrays count as sharing the dimension
// because they have the same number of rows.
func TestAppendLeavesNothingBehindWithoutCoordinate(t *testing.T) {
	for rows, want := range map[int]string{1: `array "g/w" of the target has the dimension "time" and would stay behind`, 2: ""} {
		dir, env := t.TempDir(), jobtest.Environment()
		job := func(n int, exclude string) *jobfile.Job {
			night{n, 2}.write(t, dir)
			j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source:
  driver: raw
  exclude: [%[2]s]
  arrays:
    v: {url: v_%[1]d.raw, data_type: float32, shape: [1, 4], dimension_names: [time, x]}
    g/w: {url: v_%[1]d.raw, data_type: float32, shape: [%[3]d, %[4]d], dimension_names: [time, y]}
target: {url: out.zarr, existing: append, append: time}
`, n, exclude, rows, 4/rows), dir, jobfile.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		if _, err := execute(t, job(0, ""), env, Options{}); err != nil {
			t.Fatal(err)
		}
		_, err := execute(t, job(2, "g/w"), env, Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d rows: got %v, want %q", rows, err, want)
		}
	}
}
