package e2e

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// planPart does a part of a plan in a process of its own. It takes the job file, the
// document of the plan, and then
//
//	work FIRST END RECEIPTS    does these units and writes their receipts
//	finish RECEIPTS…           finishes the plan, and writes whether it was complete already
func planPart(args []string, out io.Writer) (err error) {
	ctx, env := context.Background(), environment()
	j, err := jobs.Load(args[0], jobs.Environment{})
	if err != nil {
		return err
	}
	document, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	p, err := jobs.ReadPlan(ctx, j, env, document)
	if errors.Is(err, jobs.ErrFinished) {
		_, err = fmt.Fprint(out, true)
		return err
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if args[2] == "work" {
		first, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		end, err := strconv.Atoi(args[4])
		if err != nil {
			return err
		}
		receipts, err := jobs.Work(ctx, p, env, jobs.Bundle{First: first, End: end}, jobs.RunOptions{})
		if err != nil {
			return err
		}
		text, err := json.Marshal(receipts)
		if err != nil {
			return err
		}
		return os.WriteFile(args[5], text, 0o600)
	}
	var all []*jobs.Receipts
	for _, file := range args[3:] {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		receipts := &jobs.Receipts{}
		if err := json.Unmarshal(text, receipts); err != nil {
			return err
		}
		all = append(all, receipts)
	}
	result, err := jobs.Finish(ctx, p, env, all, jobs.RunOptions{Owner: journal.ThisProcess("test")})
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(out, result.Nothing)
	return err
}

// planProcess runs planPart in another process, and returns what it writes.
func planProcess(t *testing.T, args ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "zmigrate-plan-part", args...)
	c.Stderr = t.Output()
	out, err := c.Output()
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
	env := environment()
	j, err := jobs.Load(job, jobs.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := jobs.NewPlan(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	documents := map[string]string{"zarr.json": "", "time/zarr.json": "", "TIME/zarr.json": ""}
	maps.Copy(documents, tree(t, target))
	for key := range documents {
		if path.Base(key) != "zarr.json" {
			delete(documents, key)
		}
	}
	n := p.Units()
	if n < units {
		t.Fatalf("%d units, want at least %d", n, units)
	}
	text, err := p.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(job)
	document, first, second := write(t, dir, "plan.json", text), filepath.Join(dir, "first.json"), filepath.Join(dir, "second.json")
	if complete, err := jobs.Begin(t.Context(), p, env, jobs.RunOptions{Owner: journal.ThisProcess("test")}); complete || err != nil {
		t.Fatalf("complete %v, error %v", complete, err)
	}
	done := make(chan error)
	go func() {
		_, err := planProcess(t, job, document, "work", "0", strconv.Itoa(n/2), first)
		done <- err
	}()
	_, err = planProcess(t, job, document, "work", strconv.Itoa(n/2), strconv.Itoa(n), second)
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	for key, digest := range documents {
		if now := tree(t, target)[key]; now != digest {
			t.Errorf("%s is %s before the plan is finished, was %s", key, now, digest)
		}
	}
	for _, want := range []string{"false", "true"} {
		if got, err := planProcess(t, job, document, "finish", second, first); got != want || err != nil {
			t.Errorf("finished already: %s, error %v, want %s", got, err, want)
		}
	}
}
