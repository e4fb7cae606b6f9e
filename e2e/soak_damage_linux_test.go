package e2e

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// sample is an undamaged file that another program wrote.
type sample struct {
	name, driver string
	data         []byte
}

// samples returns the goldens of the sources whose names have one of the endings.
func samples(t *testing.T, endings ...string) (list []sample) {
	t.Helper()
	for archive, driver := range map[string]string{"netcdf/testdata/netcdf4.zip": "netcdf", "arrow/testdata/golden.zip": "arrow"} {
		z, err := zip.OpenReader(filepath.Join("../sources", archive))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if !slices.Contains(endings, path.Ext(f.Name)) {
				continue
			}
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(in)
			if err = errors.Join(err, in.Close()); err != nil {
				t.Fatal(err)
			}
			list = append(list, sample{path.Base(f.Name), driver, data})
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, driver := range map[string]string{"netcdf/testdata/netcdf3_classic.nc": "netcdf", "netcdf/testdata/odd.h5": "netcdf", "zarr/testdata/stored.zarr.zip": "zarr", "zarr/testdata/deflated.zarr.zip": "zarr"} {
		if !slices.Contains(endings, path.Ext(name)) {
			continue
		}
		data, err := os.ReadFile(filepath.Join("../sources", name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, sample{path.Base(name), driver, data})
	}
	slices.SortFunc(list, func(a, b sample) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return list
}

// damage changes a file in one place: a bit, a byte, a range, or its end.
func damage(r *rand.Rand, data []byte) []byte {
	if len(data) == 0 {
		return []byte{byte(r.IntN(256))}
	}
	data = bytes.Clone(data)
	at := r.IntN(len(data))
	if r.IntN(3) == 0 { // most files have their structure at the end
		at = r.IntN(min(len(data), 512))
	}
	switch r.IntN(5) {
	case 0, 1:
		data[at] ^= 1 << r.IntN(8)
	case 2:
		data[at] = byte(r.IntN(256))
	case 3:
		for i := range data[at:min(len(data), at+1+r.IntN(16))] {
			data[at+i] = byte(r.IntN(256))
		}
	default:
		data = data[:at]
	}
	return data
}

// soakDamagedSource migrates a damaged file. Where no checksum is read, the program may
// find other values in it. It may not panic, hang, take more memory than its budget, or
// end with a status that does not say what happened. An object with a checksum is
// refused or has its original values.
func soakDamagedSource(t *testing.T, r *rand.Rand) (places int) {
	dir := fast(t)
	list := samples(t, ".nc", ".h5", ".parquet", ".arrow", ".arrows", ".feather", ".zip")
	s := list[r.IntN(len(list))]
	target := filepath.Join(dir, "out.zarr")
	for range 5 {
		places++
		removeTarget(t, target)
		write(t, dir, s.name, damage(r, s.data))
		job := write(t, dir, "job.yaml", []byte("zmigrate: 1\nsource: {driver: "+s.driver+", url: "+s.name+"}\ntarget: {url: out.zarr}\nrun: {memory: 64MiB}\n"))
		e := soakRun(t.Context(), t, "run", "--log-level", "error", "--progress", "none", job)
		if e.status < 0 || e.status > 3 || e.status != 0 && e.messages == "" || e.peak > 320<<20 {
			t.Errorf("%s: status %d, peak %d MiB, %s", s.name, e.status, e.peak>>20, e.messages)
		}
		if _, err := os.Stat(filepath.Join(target, "zarr.json")); (err == nil) != (e.status == 0) {
			t.Errorf("%s: status %d, the root's document: %v", s.name, e.status, err)
		}
	}
	return places + soakDamagedChunks(t, r)
}

// soakDamagedChunks damages objects of an array with checksums, which are carried
// through or decoded.
func soakDamagedChunks(t *testing.T, r *rand.Rand) (places int) {
	dir := fast(t)
	first, target := cube(t, dir, 16, "zstd")
	undisturbed(t, first, target)
	in := filepath.Join(dir, "in.zarr")
	if err := os.Rename(target, in); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range tree(t, in) {
		if path.Base(name) != "zarr.json" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for range 5 {
		rest := "defaults: {codecs: [bytes]}\n"
		if r.IntN(2) == 0 {
			rest = ""
		}
		job := write(t, dir, "job.yaml", []byte("zmigrate: 1\nsource: {driver: zarr, url: in.zarr, include: [field/values]}\ntarget: {url: out.zarr}\n"+rest))
		removeTarget(t, target)
		finished := undisturbed(t, job, target)
		removeTarget(t, target)
		name := names[r.IntN(len(names))]
		sound, err := os.ReadFile(filepath.Join(in, name))
		if err != nil {
			t.Fatal(err)
		}
		broken := damage(r, sound)
		if bytes.Equal(broken, sound) {
			continue
		}
		places++
		write(t, in, name, broken)
		e := soakRun(t.Context(), t, "run", "--log-level", "error", "--progress", "none", job)
		if e.status == 0 {
			if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
				t.Errorf("%s: another result with status 0 (-undamaged +damaged):\n%s", name, diff)
			}
		} else if e.status != 1 && e.status != 3 {
			t.Errorf("%s: status %d, %s", name, e.status, e.messages)
		}
		write(t, in, name, sound)
	}
	return places
}

// soakDamagedCheckpoint damages what an interrupted run has left. The next run reports
// the damage, or ends correctly. A run onto an empty target always ends correctly.
func soakDamagedCheckpoint(t *testing.T, r *rand.Rand) int {
	dir := fast(t)
	job, target := cube(t, dir, 32, "zstd")
	finished := undisturbed(t, job, target)
	if r.IntN(4) > 0 {
		removeTarget(t, target)
		ended := errors.New("interrupted")
		env, chunks, limit := environment(), 0, 1+r.IntN(150)
		env.Fault = func(string, string) error {
			if chunks >= limit {
				return ended
			}
			return nil
		}
		_, err := migrate(t.Context(), job, env, jobs.RunOptions{Observe: func(stages.Event) { chunks++ }}, append(slices.Clone(oneWorkerEach), "run.checkpoint.every=1ms")...)
		if !errors.Is(err, ended) {
			t.Fatal(err)
		}
	}
	var names []string
	for name, sum := range tree(t, target+".zmigrate") {
		if sum != emptyFolder {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return 0
	}
	name := filepath.Join(target+".zmigrate", names[r.IntN(len(names))])
	data, err := os.ReadFile(name)
	if err == nil && r.IntN(6) == 0 {
		err = os.Remove(name)
	} else if err == nil {
		err = os.WriteFile(name, damage(r, data), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	e := soakRun(t.Context(), t, "run", "--log-level", "error", "--progress", "none", job)
	if e.status == 0 {
		if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
			t.Errorf("%s: status 0 (-undisturbed +damaged checkpoint):\n%s", name, diff)
		}
	} else if e.status < 0 || e.status > 5 || e.messages == "" {
		t.Errorf("%s: status %d, %s", name, e.status, e.messages)
	}
	removeTarget(t, target)
	if diff := cmp.Diff(finished, undisturbed(t, job, target)); diff != "" {
		t.Errorf("begun anew (-undisturbed +anew):\n%s", diff)
	}
	return 1
}
