package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/stages"
)

// night is what one file of a series holds: several days, beginning with the day first, with
// two numbers for each day, and values that all files share.
type night struct{ first, days int }

// value is element x of day d.
func value(d, x int) float32 { return float32(10*d + x) }

// write writes the night's files into a folder.
func (n night) write(t *testing.T, dir string) {
	t.Helper()
	var time, v []byte
	for d := n.first; d < n.first+n.days; d++ {
		time = binary.LittleEndian.AppendUint64(time, math.Float64bits(float64(d)))
		for x := range 2 {
			v = binary.LittleEndian.AppendUint32(v, math.Float32bits(value(d, x)))
		}
	}
	for name, data := range map[string][]byte{"time": time, "v": v, "lat": {10, 20}} {
		file := filepath.Join(dir, fmt.Sprintf("%s_%d.raw", name, n.first))
		if _, err := os.Stat(file); err == nil {
			continue // as it was before
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// job returns the job that appends the night, with options of the arrays. The
// first edit, if any, replaces text of the job file.
func (n night) job(t *testing.T, dir string, edit ...string) *jobfile.Job {
	t.Helper()
	n.write(t, dir)
	text := fmt.Sprintf(`
zmigrate: 1
source:
  driver: raw
  arrays:
    g/time: {url: time_%[1]d.raw, data_type: float64, shape: [%[2]d], dimension_names: [time], attributes: {units: days since 2001-01-01}}
    g/v: {url: v_%[1]d.raw, data_type: float32, shape: [%[2]d, 2], dimension_names: [time, lat], attributes: {units: K, history: night %[1]d}}
    g/lat: {url: lat_%[1]d.raw, data_type: uint8, shape: [2], dimension_names: [lat]}
target: {url: out.zarr, existing: append, append: time}
arrays:
  g/v: {chunks: [4, 2]}
  g/time: {chunks: [4]}
`, n.first, n.days)
	text = strings.NewReplacer(edit...).Replace(text)
	j := jobtest.Parse(t, dir, text)
	if err := j.Check(jobtest.Environment().Codecs).Err(); err != nil {
		t.Fatal(err)
	}
	return j
}

// days reads how many days the target has, and checks their values.
func days(t *testing.T, dir string, env environment.Environment) int {
	t.Helper()
	array, values := readArray(t, filepath.Join(dir, "out.zarr"), "g/v", env)
	for i, v := range values {
		if want := value(i/2, i%2); v != want {
			t.Fatalf("day %d, element %d: %v, want %v", i/2, i%2, v, want)
		}
	}
	return array.Grid.Shape[0]
}

func TestAppend(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	total := 0
	for _, n := range []night{{0, 3}, {3, 1}, {4, 4}, {8, 2}, {10, 9}, {19, 1}} {
		result, err := execute(t, n.job(t, dir), env, Options{})
		if err != nil {
			t.Fatal(err)
		}
		total += n.days
		if got := days(t, dir, env); got != total {
			t.Fatalf("%d days after %+v, want %d", got, n, total)
		}
		if total > 3 && result.Appended != n.days {
			t.Errorf("%+v: %+v", n, result)
		}
		before := modified(t, filepath.Join(dir, "out.zarr"))
		if again, err := execute(t, n.job(t, dir), env, Options{}); err != nil || !again.Nothing {
			t.Fatalf("again: %+v, %v", again, err)
		}
		if diff := cmp.Diff(before, modified(t, filepath.Join(dir, "out.zarr"))); diff != "" {
			t.Error(diff)
		}
		status, err := ReadStatus(t.Context(), n.job(t, dir), env)
		if err != nil || status.State != "complete" {
			t.Errorf("%+v, %v", status, err)
		}
	}
	// All in one run make the same hierarchy, byte for byte.
	other := t.TempDir()
	whole := night{0, total}
	if _, err := execute(t, whole.job(t, other, "night 0", "night 0"), env, Options{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, filepath.Join(other, "out.zarr")), contents(t, filepath.Join(dir, "out.zarr"))); diff != "" {
		t.Errorf("(-at once +appended):\n%s", diff)
	}
}

// contents reads all files below a folder.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		key, _ := filepath.Rel(root, p)
		files[key] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestAppendRefuses appends rows and arrays that do not fit to a target of four days.
func TestAppendRefuses(t *testing.T) {
	next := night{4, 2}
	for name, test := range map[string]struct {
		night night
		edit  []string
		want  []string
	}{
		"overlap":       {night{3, 3}, nil, []string{`coordinate "g/time": row 0 of the source, 3.0 days since 2001-01-01, is row 3 of the target already`}},
		"hole in front": {night{-1, 2}, nil, []string{`row 1 of the source, 0.0 days since 2001-01-01, is row 0 of the target`}},
		"earlier":       {night{-9, 2}, nil, []string{`row 0 of the source, -9.0 days since 2001-01-01, does not go on from row 3 of the target, 3.0 days`}},
		"other units":   {next, []string{"days since 2001", "days since 2002", "driver: raw", "driver: raw\n  time: keep"}, []string{`arrays.g/time.attributes.units`, `"days since 2002-01-01", in the target "days since 2001-01-01"`}},
		"other meaning": {next, []string{"units: K", "units: degC"}, []string{`array "g/v": the attribute units is "degC", in the target "K"`}},
		"other packing": {next, []string{"units: K", "units: K, scale_factor: 0.1"}, []string{"write a new target from all files, with source.cf: unpack"}},
		"wanted":        {next, []string{"g/v: {chunks: [4, 2]}", "g/v: {attributes: {long_name: x}}"}, []string{`long_name is "x", in the target absent`}},
		"other type":    {next, []string{"g/lat: {url: lat_4.raw, data_type: uint8", "g/lat: {url: lat_4.raw, data_type: int8"}, []string{`array "g/lat": int8, the target has uint8`, "data_type: uint8 converts"}},
		"other chunks":  {next, []string{"chunks: [4, 2]", "chunks: [2, 2]"}, []string{"arrays.g/v.chunks", "[2 2], the target has [4 2]"}},
		"shards":        {next, []string{"chunks: [4, 2]", "chunks: [4, 2], shards: [8, 2]"}, []string{"arrays.g/v.shards", "[8 2], the target has [4 2]"}},
		"other codecs":  {next, []string{"chunks: [4, 2]", "codecs: [bytes, gzip]"}, []string{"arrays.g/v.codecs", "gzip", `the target has [{"configuration":{"endian":"little"},"name":"bytes"},{"configuration":{"level":3},"name":"zstd"}]`}},
		"other fill":    {next, []string{"chunks: [4, 2]", "fill_value: 7"}, []string{"arrays.g/v.fill_value", "7.0, the target has 0.0"}},
		"other names":   {next, []string{"chunks: [4, 2]", "dimension_names: [time, y]"}, []string{`["time" "y"], the target has ["time" "lat"]`}},
		"other shape":   {next, []string{"shape: [2, 2]", "shape: [1, 4]"}, []string{`array "g/v" has the shape [1 4], the target's array has [4 2]`}},
		"other values":  {next, []string{"lat_4.raw", "lat_4.raw, offset: 1", "shape: [2], dimension_names: [lat]", "shape: [1], dimension_names: [lat]"}, []string{`array "g/lat" has the shape [1]`}},
		"left out":      {next, []string{"target:", "  exclude: [g/v]\ntarget:", "  g/v: {chunks: [4, 2]}\n", ""}, []string{`array "g/v" of the target has the dimension "time" and would stay behind`}},
		"new array":     {next, []string{"    g/lat:", "    g/w: {url: lat_4.raw, data_type: uint8, shape: [2], dimension_names: [time]}\n    g/lat:"}, []string{`the target has no array "g/w"`, "source.exclude"}},
		"other length":  {next, []string{"v_4.raw, data_type: float32, shape: [2, 2]", "v_4.raw, data_type: float32, offset: 8, shape: [1, 2]"}, []string{`array "g/v" has 1 rows along time in the source, array "g/time" has 2`}},
		"no such name":  {next, []string{"append: time", "append: depth"}, []string{`no array has the dimension "depth"`}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			if _, err := execute(t, night{0, 4}.job(t, dir), env, Options{}); err != nil {
				t.Fatal(err)
			}
			before := contents(t, dir)
			_, err := execute(t, test.night.job(t, dir, test.edit...), env, Options{})
			if err != nil && name != "left out" && strings.Contains(err.Error(), "stay behind") {
				t.Errorf("%v\nthe job has the array", err)
			}
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nwant %q", err, want)
				}
			}
			after := contents(t, dir)
			for key, text := range before {
				if !strings.Contains(key, "lock") && after[key] != text {
					t.Errorf("%s has changed", key)
				}
			}
			if _, err := execute(t, next.job(t, dir), env, Options{}); err != nil {
				t.Errorf("what belongs there is refused afterwards: %v", err)
			}
			if got := days(t, dir, env); got != 6 {
				t.Errorf("%d days", got)
			}
		})
	}
}

// TestAppendComparesWhatDoesNotGrow changes one value of an array without the
// dimension.
func TestAppendComparesWhatDoesNotGrow(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	if _, err := execute(t, night{0, 4}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	j := night{4, 1}.job(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "lat_4.raw"), []byte{10, 21}, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := execute(t, j, env, Options{})
	if want := `array "g/lat" does not grow, so source and target must have equal values: element [1] is 21 in the source and 20 in the target`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// TestAppendWithoutCoordinate appends without a coordinate: the record of files tells which
// rows the target has.
func TestAppendWithoutCoordinate(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	job := func(url string, rows int) *jobfile.Job {
		j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: %s, concat: time, data_type: float32, shape: [%d, 2], dimension_names: [time, x]}}}
target: {url: out.zarr, existing: append, append: time}
`, url, rows), dir, jobfile.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	for i, n := range []night{{0, 1}, {1, 1}, {2, 1}} {
		n.write(t, dir)
		one := job(fmt.Sprintf("v_%d.raw", i), 1)
		for again := range 2 {
			result, err := execute(t, one, env, Options{})
			if err != nil || result.Nothing != (again == 1) {
				t.Fatalf("night %d: %+v, %v", i, result, err)
			}
		}
	}
	array, values := readArray(t, filepath.Join(dir, "out.zarr"), "v", env)
	if diff := cmp.Diff([]float32{0, 1, 10, 11, 20, 21}, values); diff != "" || array.Grid.Shape[0] != 3 {
		t.Errorf("%v: %s", array.Grid.Shape, diff)
	}
	night{3, 1}.write(t, dir)
	if _, err := execute(t, job("[v_2.raw, v_3.raw]", 1), env, Options{}); err == nil || !strings.Contains(err.Error(), "the target already has the rows of v_2.raw, but not those of v_3.raw") {
		t.Errorf("got %v", err)
	}
	if result, err := execute(t, job("[v_0.raw, v_1.raw]", 1), env, Options{}); err != nil || !result.Nothing {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestAppendAfterAnotherWasInterrupted kills a run and then appends other rows. That is
// refused until the killed run is complete.
func TestAppendAfterAnotherWasInterrupted(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	if _, err := execute(t, night{0, 5}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	close(stop)
	if _, err := execute(t, night{5, 2}.job(t, dir), env, Options{Stop: stop}); !errors.Is(err, stages.ErrStopped) {
		t.Fatal(err)
	}
	_, err := execute(t, night{7, 1}.job(t, dir), env, Options{})
	var why *environment.ChangedError
	if !errors.As(err, &why) || !strings.Contains(err.Error(), "v_5.raw is gone") || !strings.Contains(err.Error(), "run that job as it was to complete it") {
		t.Fatalf("got %v", err)
	}
	if got := days(t, dir, env); got != 5 {
		t.Errorf("%d days", got)
	}
	for _, n := range []night{{5, 2}, {7, 1}} {
		if _, err := execute(t, n.job(t, dir), env, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := days(t, dir, env); got != 8 {
		t.Errorf("%d days", got)
	}
}

// TestAppendOverwritesWhatWasGivenUp appends rows that hold only the fill value to places
// where a run that was given up has left objects.
func TestAppendOverwritesWhatWasGivenUp(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	if _, err := execute(t, night{1, 4}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	stray := filepath.Join(dir, "out.zarr/g/v/c/1/0")
	if err := errors.Join(os.Mkdir(filepath.Dir(stray), 0o700), os.WriteFile(stray, []byte("what was given up"), 0o600)); err != nil {
		t.Fatal(err)
	}
	j := night{5, 4}.job(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "v_5.raw"), make([]byte, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the object is still there: %v", err)
	}
}

// TestAppendToWhatAnotherRunHasGrown plans twice, and runs both plans.
func TestAppendToWhatAnotherRunHasGrown(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	if _, err := execute(t, night{0, 5}.job(t, dir), env, Options{}); err != nil {
		t.Fatal(err)
	}
	j := night{5, 2}.job(t, dir)
	p, err := plan.New(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), p, env, Options{})
	if err := errors.Join(p.Close()); err != nil {
		t.Error(err)
	}
	if !errors.Is(err, stages.ErrStopped) || !strings.Contains(err.Error(), "another run has appended") {
		t.Errorf("got %v", err)
	}
	if got := days(t, dir, env); got != 7 {
		t.Errorf("%d days", got)
	}
}

// TestAppendNeedsAHierarchyOfV3 has objects in the place of the target that are no Zarr v3
// hierarchy.
func TestAppendNeedsAHierarchyOfV3(t *testing.T) {
	for key, want := range map[string]string{".zgroup": "of Zarr v2", ".zmetadata": "of Zarr v2", "notes.txt": ErrTargetExists.Error(), "zarr.json": "not a Zarr v3 document"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "out.zarr", key)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("{}"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := execute(t, night{0, 4}.job(t, dir), jobtest.Environment(), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestAppendWithoutConsolidatedMetadata breaks a run at each of its steps in turn. Without
// consolidated metadata, arrays grow one by one.
func TestAppendWithoutConsolidatedMetadata(t *testing.T) {
	dir, other, env := t.TempDir(), t.TempDir(), jobtest.Environment()
	plain := []string{"existing: append", "existing: append, consolidated: false"}
	for folder, n := range map[string]night{dir: {0, 5}, other: {0, 11}} {
		if _, err := execute(t, n.job(t, folder, plain...), env, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	j := night{5, 6}.job(t, dir, plain...)
	seen := 0
	for stop := int64(1); ; stop++ {
		err := executeBroken(t, j, env, Options{}, stop)
		if seen++; err == nil {
			break
		}
	}
	if seen < 10 {
		t.Errorf("only %d operations", seen)
	}
	if diff := cmp.Diff(contents(t, filepath.Join(other, "out.zarr")), contents(t, filepath.Join(dir, "out.zarr"))); diff != "" {
		t.Errorf("(-at once +appended):\n%s", diff)
	}
}
