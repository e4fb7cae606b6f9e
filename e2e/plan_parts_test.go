package e2e

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// part does a part of a job as a process of its own, and returns what it prints as JSON.
func part(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := zmigrate(t.Context(), t, append([]string{"--json"}, args...)...).Output()
	return string(out), err
}

// TestPlanInParts has two processes do one half of the units of a plan each, at the same
// time, and a third one finish the plan. The bytes are those of a run.
func TestPlanInParts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source, arrays string
		units          int // at least
	}{
		"NetCDF classic, one array in shards": {"{driver: netcdf, url: coads.cdf}", "{SST: {chunks: [1, 45, 90], shards: [3, 90, 180]}, AIRT: {chunks: [2, 45, 90]}}", 30},
		"HDF5, its chunks carried through":    {"{driver: netcdf, url: model.nc}", "{'**': {codecs: keep}}", 4},
		"HDF5, in shards":                     {"{driver: netcdf, url: model.nc}", "{default_fill: {chunks: [1, 1, 3], shards: [2, 5, 6]}}", 4},
		"a part, with other names": {
			"{driver: netcdf, url: coads.cdf, include: [SST], select: {TIME: '2:12:3', COADSY: [-30, 30]}}",
			"{SST: {chunks: [2, 10, 90]}}\ndimensions: {COADSY: lat}\nattributes: {title: a part}", 12,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fast(t)
			data, err := os.ReadFile(example)
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, "coads.cdf", data)
			write(t, dir, "model.nc", sourcetest.Zipped(t, "../sources/netcdf/testdata/netcdf4.zip", "model.nc"))
			job := write(t, dir, "job.yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: %s\ntarget: {url: out.zarr}\narrays: %s\n", test.source, test.arrays))
			target := filepath.Join(dir, "out.zarr")
			want := undisturbed(t, job, target)
			removeTarget(t, target)
			inParts(t, job, target, test.units)
			if diff := cmp.Diff(want, tree(t, target)); diff != "" {
				t.Errorf("(-run +parts):\n%s", diff)
			}
			checkNoLeftovers(t, target)
		})
	}
}

// TestGrowthInParts appends rows to a target by three processes, which read the plan once
// it is begun.
func TestGrowthInParts(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	target := filepath.Join(dir, "out.zarr")
	// day writes six rows from one on, and the job that appends them.
	day := func(first int) (job string) {
		times, values := make([]byte, 0, 24), make([]byte, 0, 30)
		for row := range 6 {
			times = binary.LittleEndian.AppendUint32(times, uint32(first+row))
			for x := range 5 {
				values = append(values, byte(10*(first+row)+x))
			}
		}
		name := fmt.Sprint("from_", first)
		write(t, dir, name+".time", times)
		write(t, dir, name+".v", values)
		return write(t, dir, "job.yaml", fmt.Appendf(nil, `zmigrate: 1
source:
  driver: raw
  arrays:
    time: {url: %[1]s.time, data_type: int32, endian: little, shape: [6], dimension_names: [time], attributes: {units: days since 2000-01-01}}
    v: {url: %[1]s.v, data_type: uint8, shape: [6, 5], dimension_names: [time, x]}
target: {url: out.zarr, existing: append, append: time}
arrays: {v: {chunks: [4, 2]}, time: {chunks: [4]}}
`, name))
	}
	undisturbed(t, day(1), target)
	want := undisturbed(t, day(7), target)
	removeTarget(t, target)
	undisturbed(t, day(1), target)
	inParts(t, day(7), target, 8)
	if diff := cmp.Diff(want, tree(t, target)); diff != "" {
		t.Errorf("(-run +parts):\n%s", diff)
	}
	checkNoLeftovers(t, target)
}

// inParts does a job in parts, and finishes it twice.
func inParts(t *testing.T, job, target string, units int) {
	t.Helper()
	documents := map[string]string{"zarr.json": "", "time/zarr.json": "", "TIME/zarr.json": ""}
	maps.Copy(documents, tree(t, target))
	for key := range documents {
		if path.Base(key) != "zarr.json" {
			delete(documents, key)
		}
	}
	if n := savePlan(t, job, 2).Units; n < units {
		t.Fatalf("%d units, want at least %d", n, units)
	}
	done := make(chan error)
	go func() {
		_, err := part(t, "work", job, "--bundle", "0/2")
		done <- err
	}()
	_, err := part(t, "work", job, "--bundle", "1/2")
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	for key, digest := range documents {
		if now := tree(t, target)[key]; now != digest {
			t.Errorf("%s is %s before the plan is finished, was %s", key, now, digest)
		}
	}
	for _, nothing := range []bool{false, true} {
		got, err := part(t, "finish", job)
		if err != nil || strings.Contains(got, `"nothing_to_do":true`) != nothing {
			t.Errorf("finish: %s, error %v, want nothing to do: %v", got, err, nothing)
		}
	}
}

// saved is what plan --save prints.
type saved struct {
	Plan    string
	Units   int
	Bundles []struct{ First, End int }
}

// savePlan saves the plan of a job.
func savePlan(t *testing.T, job string, bundles int) (p saved) {
	t.Helper()
	text, err := part(t, "plan", job, "--save", "--bundles", strconv.Itoa(bundles))
	if err == nil {
		err = json.Unmarshal([]byte(text), &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWorkersAreKilled kills workers at random moments. What they have not done is done by other
// workers or by a run. The target is that of an undisturbed run, and each death costs at most the
// bundle that was under way.
func TestWorkersAreKilled(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "coads.cdf", data)
	job := write(t, dir, "job.yaml", []byte(`zmigrate: 1
source: {driver: netcdf, url: coads.cdf}
target: {url: out.zarr}
arrays: {SST: {chunks: [1, 15, 30], codecs: [{zstd: {level: 9}}]}, AIRT: {chunks: [1, 45, 45]}}
`))
	target := filepath.Join(dir, "out.zarr")
	want := undisturbed(t, job, target)
	for round := range 2 { // make soak ATTACK=campaign has more, of all shapes of jobs
		random := rand.New(rand.NewPCG(uint64(round), 22))
		removeTarget(t, target)
		p := savePlan(t, job, 12)
		var lines strings.Builder
		for _, b := range p.Bundles {
			fmt.Fprintf(&lines, "%d-%d\n", b.First, b.End)
		}
		most := lines.String()[:strings.LastIndex(strings.TrimSpace(lines.String()), "\n")+1] // a worker may be killed late
		killed := 0
		for range 8 {
			c := zmigrate(t.Context(), t, "work", job, "--stdin", "--json")
			c.Stdin = strings.NewReader(most)
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			reader := bufio.NewReader(out)
			for range random.IntN(4) {
				if _, err := reader.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			spin(random.IntN(1 << 20))
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait() // killed
			killed++
		}
		if text, err := part(t, "finish", job); err == nil {
			t.Fatalf("finished without all units: %s", text)
		}
		if _, err := os.Stat(filepath.Join(target, "zarr.json")); err == nil {
			t.Fatal("the root has a document before the plan is finished")
		}
		again := savePlan(t, job, 12)
		if again.Plan != p.Plan {
			t.Fatalf("saved again: plan %s, was %s", again.Plan, p.Plan)
		}
		if round%2 == 0 {
			if _, err := part(t, "run", job); err != nil {
				t.Fatal(err)
			}
		} else {
			c := zmigrate(t.Context(), t, "work", job, "--stdin", "--json")
			c.Stdin = strings.NewReader(lines.String())
			if err := c.Run(); err != nil {
				t.Fatal(err)
			}
			if _, err := part(t, "finish", job); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, tree(t, target)); diff != "" {
			t.Fatalf("after %d deaths (-run +parts):\n%s", killed, diff)
		}
		checkNoLeftovers(t, target)
	}
}

// spin takes a while.
func spin(n int) {
	for i := range n {
		spun.Store(int64(i))
	}
}

var spun atomic.Int64
