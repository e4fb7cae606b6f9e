package e2e

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// rows writes a job that appends rows first to first+n-1 to several arrays. One has
// chunks that are filled partly, one has shards, one is a coordinate, and one has only
// fill values in its rows.
func rows(t *testing.T, dir string, first, n int) (job string) {
	t.Helper()
	var x, data []byte
	for i := first; i < first+n; i++ {
		x = binary.LittleEndian.AppendUint64(x, uint64(i))
		for k := range 6 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(10*i+k)))
		}
	}
	write(t, dir, fmt.Sprintf("x_%d.bin", first), x)
	write(t, dir, fmt.Sprintf("data_%d.bin", first), data)
	write(t, dir, fmt.Sprintf("none_%d.bin", first), make([]byte, len(data)))
	return write(t, dir, fmt.Sprintf("rows_%d.yaml", first), fmt.Appendf(nil, `zmigrate: 1
source:
  driver: raw
  arrays:
    g/x: {url: x_%[1]d.bin, data_type: int64, shape: [%[2]d], dimension_names: [x]}
    g/chunks: {url: data_%[1]d.bin, data_type: float32, shape: [%[2]d, 6], dimension_names: [x, y]}
    g/shards: {url: data_%[1]d.bin, data_type: float32, shape: [%[2]d, 6], dimension_names: [x, y]}
    g/across: {url: data_%[1]d.bin, data_type: float32, shape: [%[2]d, 6], order: F, dimension_names: [x, y]}
    g/none: {url: none_%[1]d.bin, data_type: float32, shape: [%[2]d, 6], dimension_names: [x, y]}
target: {url: out.zarr, existing: append, append: x}
arrays:
  g/x: {chunks: [8]}
  g/chunks: {chunks: [4, 3]}
  g/shards: {chunks: [2, 3], shards: [4, 6]}
  g/across: {chunks: [3, 6]}
  g/none: {chunks: [4, 6]}
`, first, n))
}

// readAllRows checks the values of all rows that a reader of a target finds. It returns
// the number of rows.
func readAllRows(t *testing.T, target string) int {
	t.Helper()
	source, err := zarr.Open(t.Context(), target, zarr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close() //nolint:errcheck // only read
	found := map[int]bool{}
	for _, name := range []string{"g/chunks", "g/shards", "g/x"} {
		a, err := source.Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		shape := a.Info().Shape
		values := ndarray.New(a.Info().Type, shape)
		if err := a.ReadRegion(t.Context(), values, make([]int, len(shape))); err != nil {
			t.Fatal(err)
		}
		found[shape[0]] = true
		numbers, _ := ndarray.As[float32](values)
		for i, v := range numbers {
			if want := float32(10*(i/6) + i%6); v != want {
				t.Errorf("%s: element %d is %v, want %v", name, i, v, want)
			}
		}
		integers, _ := ndarray.As[int64](values)
		for i, v := range integers {
			if v != int64(i) {
				t.Errorf("%s: element %d is %d", name, i, v)
			}
		}
	}
	if len(found) != 1 {
		t.Errorf("arrays of different lengths: %v", found)
	}
	for n := range found {
		return n
	}
	return 0
}

// TestEveryDurableOperationOfAnAppendFails breaks a run that appends, at each of its
// changes. Readers see the earlier rows or all rows. The next run must make what an
// undisturbed run would have made.
func TestEveryDurableOperationOfAnAppendFails(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	target := filepath.Join(dir, "out.zarr")
	undisturbed(t, rows(t, dir, 0, 5), target, oneWorkerEach...)
	before := filepath.Join(dir, "before")
	for _, folder := range []string{"out.zarr", "out.zarr.zmigrate"} {
		if err := os.CopyFS(filepath.Join(before, folder), os.DirFS(filepath.Join(dir, folder))); err != nil {
			t.Fatal(err)
		}
	}
	reset := func() {
		t.Helper()
		removeTarget(t, target)
		if err := os.CopyFS(dir, os.DirFS(before)); err != nil {
			t.Fatal(err)
		}
	}
	operations := breakEverywhere(t, rows(t, dir, 5, 6), target, reset, func(t *testing.T, _ map[string]string) {
		if n := readAllRows(t, target); n != 5 && n != 11 {
			t.Errorf("%d rows", n)
		}
	})
	if n := readAllRows(t, target); n != 11 || operations < 20 {
		t.Errorf("%d rows after %d operations", n, operations)
	}
}

// TestNightly runs ten nights of the shipped example. One run is interrupted, one is
// killed, and one night is run twice. At the end, the target equals that of a single
// run over all files.
func TestNightly(t *testing.T) {
	dir := fast(t)
	example, err := os.ReadFile("../examples/nightly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	job, target := write(t, dir, "nightly.yaml", example), filepath.Join(dir, "nightly.zarr")
	date := func(night int) string { return fmt.Sprintf("2026-01-%02d", night+1) }
	run := func(night int, env jobs.Environment) (*jobs.Result, error) {
		t.Helper()
		t.Setenv("DATE", date(night))
		return migrate(t.Context(), job, env, jobs.RunOptions{})
	}
	for night := range 10 {
		write(t, dir, "data/nightly/model_"+date(night)+".nc", day(night))
		if night == 4 { // the power fails
			env := environment()
			env.Fault = (&faults{at: 6, rest: true}).fault
			if _, err := run(night, env); !errors.Is(err, errFault) {
				t.Fatalf("interrupted: %v", err)
			}
			continue
		}
		if night == 7 {
			killedWhileAppending(t, job, target, date(night))
		}
		// As in a cron job, earlier nights that are missing come first.
		for n := max(night-2, 0); n <= night; n++ {
			result, err := run(n, environment())
			if err != nil {
				t.Fatalf("night %d: %v", n, err)
			}
			if result.Nothing != (n < night && n != 4 || n == 4 && night > 5) && night != 7 {
				t.Errorf("in night %d, day %d: %+v", night, n, result)
			}
		}
		before := tree(t, target)
		if result, err := run(night, environment()); err != nil || !result.Nothing {
			t.Errorf("night %d again: %+v, %v", night, result, err)
		}
		if diff := cmp.Diff(before, tree(t, target)); diff != "" {
			t.Errorf("night %d again:\n%s", night, diff)
		}
	}
	checkNoLeftovers(t, target)
	once := filepath.Join(dir, "once.zarr")
	t.Setenv("DATE", "*")
	want := undisturbed(t, job, once, "source.concat=time", "target.url=once.zarr")
	if diff := cmp.Diff(want, tree(t, target)); diff != "" {
		t.Errorf("(-at once +night by night):\n%s", diff)
	}
}

// killedWhileAppending kills the program soon after it has begun to append.
func killedWhileAppending(t *testing.T, job, target, date string) {
	t.Helper()
	c := zmigrate(t.Context(), t, "run", "--progress", "none", job)
	c.Env = append(os.Environ(), "DATE="+date)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for begun := false; !begun; {
		select {
		case err := <-ended:
			t.Logf("the run has ended before it could be killed: %v", err)
			return
		default:
			_, err := os.Stat(filepath.Join(target+".zmigrate", "plan.json"))
			begun = !errors.Is(err, fs.ErrNotExist)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Log(err)
	}
	t.Logf("killed: %v", <-ended)
}

// TestAppendToStores appends to targets that are not folders, and to shards that have
// only some of their rows.
func TestAppendToStores(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	local := filepath.Join(dir, "out.zarr")
	env := environment()
	env.Memory = &store.Memory{}
	for name, url := range map[string]string{"memory": "mem://bucket/deep/out.zarr", "S3": serve(t).url("deep/out.zarr")} {
		t.Run(name, func(t *testing.T) {
			removeTarget(t, local)
			for first := 0; first < 15; first += 5 {
				job := rows(t, dir, first, 5)
				if _, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}); err != nil {
					t.Fatal(err)
				}
				for again := range 2 {
					result, err := migrate(t.Context(), job, env, jobs.RunOptions{}, "target.url="+url)
					if err != nil || result.Nothing != (again == 1) {
						t.Fatalf("from %d on: %+v, %v", first, result, err)
					}
				}
			}
			st, err := store.Open(t.Context(), url, store.Options{Memory: env.Memory, Limits: limits.New(0)})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close() //nolint:errcheck // only read
			for key := range tree(t, local) {
				want, err := os.ReadFile(filepath.Join(local, key))
				if err != nil {
					t.Fatal(err)
				}
				got, err := st.ReadAll(t.Context(), key, 1<<20)
				if err != nil || string(got) != string(want) {
					t.Errorf("%s differs from that of a single run, %v", key, err)
				}
			}
		})
	}
}
