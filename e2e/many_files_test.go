package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// days writes n files of a series into a folder.
func days(t *testing.T, dir string, n int) (names []string) {
	t.Helper()
	for i := range n {
		names = append(names, write(t, dir, fmt.Sprintf("day%d.nc", i), day(i)))
	}
	return names
}

// TestManyFilesReads counts the reads of files before any data: the header of each
// file, once, and the values of its three coordinates.
func TestManyFilesReads(t *testing.T) {
	names := days(t, fast(t), 500)
	var mu sync.Mutex
	reads, stats := map[string]int{}, map[string]int{}
	opt := store.Options{Fault: func(op, key string) error {
		mu.Lock()
		defer mu.Unlock()
		switch op {
		case "read":
			reads[filepath.Base(key)]++
		case "stat":
			stats[filepath.Base(key)]++
		}
		return nil
	}}
	src, err := netcdf.OpenAll(t.Context(), names, netcdf.Options{Store: opt, Combine: combine.Options{
		Concat: "time", Order: "time", Wanted: func(string) bool { return true },
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close() //nolint:errcheck // only read
	if len(reads) != len(names) || len(stats) != len(names) {
		t.Errorf("%d files were asked for and %d read, want %d", len(stats), len(reads), len(names))
	}
	for name, n := range reads {
		if n != 4 || stats[name] != 1 {
			t.Errorf("%s: %d reads and %d requests for its size, want 4 and 1", name, n, stats[name])
		}
	}
	for name, want := range map[string]string{"time": "[500]", "lat": "[4]", "field_5": "[500 4 8]"} {
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(a.Info().Shape); got != want {
			t.Errorf("%s has shape %s, want %s", name, got, want)
		}
	}
}

// TestYearOfDailyFiles joins a year of daily files, whose fields have 20 KB each. A job that
// says nothing of chunks makes few objects of them.
func TestYearOfDailyFiles(t *testing.T) {
	dir := fast(t)
	const days, lats, lons = 365, 50, 52
	for i := range days {
		c := classic{
			dims: []classicDim{{"time", 1}, {"lat", lats}, {"lon", lons}},
			vars: []classicVar{{"time", []int{0}, [][2]string{{"units", "days since 2001-01-01"}}, []float64{float64(i)}}},
		}
		for _, name := range []string{"t2m", "msl"} {
			values := make([]float64, lats*lons)
			for k := range values {
				values[k] = float64(i*len(values) + k)
			}
			c.vars = append(c.vars, classicVar{name, []int{0, 1, 2}, nil, values})
		}
		write(t, dir, fmt.Sprintf("day%d.nc", i), c.encode())
	}
	job := write(t, dir, "job.yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: day*.nc, concat: time}\ntarget: {url: year.zarr}\n"))
	objects := map[string]int{}
	for name := range undisturbed(t, job, filepath.Join(dir, "year.zarr")) {
		if array, _, chunk := strings.Cut(filepath.ToSlash(name), "/c/"); chunk {
			objects[array]++
		}
	}
	// With a chunk for each file, there would be 365 objects of each array.
	if diff := cmp.Diff(map[string]int{"time": 1, "t2m": 2, "msl": 2}, objects); diff != "" {
		t.Error(diff)
	}
}

// links writes n files into a folder. All are links to one NetCDF-4 file with chunks.
func links(t *testing.T, dir string, n int) {
	t.Helper()
	first := write(t, dir, "day0.nc", sourcetest.Zipped(t, "../sources/netcdf/testdata/netcdf4.zip", "part_0.nc"))
	for i := 1; i < n; i++ {
		if err := os.Link(first, filepath.Join(dir, fmt.Sprintf("day%d.nc", i))); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPeakMemoryManyFiles plans ten thousand files as one series, in less than a minute
// of processor time and with less than 200 MiB for the content of their headers. It does
// so with and without access to the stored chunks.
func TestPeakMemoryManyFiles(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") != "1" {
		t.Skip("set ZMIGRATE_HEAVY=1 to plan ten thousand files")
	}
	program := build(t)
	for _, test := range []struct {
		name, job string
		files     func(t *testing.T, dir string, n int)
	}{
		{"NetCDF-3", "source: {driver: netcdf, url: \"day*.nc\", concat: time}", func(t *testing.T, dir string, n int) { days(t, dir, n) }},
		{"NetCDF-4", "source: {driver: netcdf, url: \"day*.nc\", concat: t, join: override, order: allow}", links},
		{"NetCDF-4, carried", "source: {driver: netcdf, url: \"day*.nc\", concat: t, join: override, order: allow}\ndefaults: {codecs: keep}", links},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := fast(t)
			test.files(t, dir, 10_000)
			job := write(t, dir, "job.yaml", []byte("zmigrate: 1\n"+test.job+"\ntarget: {url: out.zarr}\n"))
			c := exec.CommandContext(t.Context(), program, "plan", job)
			c.Stderr = t.Output()
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			took := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
			peak := peakMemory(c.ProcessState)
			t.Logf("planned in %v of processor time, peak %d MiB", took.Round(time.Millisecond), peak>>20)
			if took > time.Minute || peak > 200<<20 {
				t.Errorf("%v and %d MiB, want at most a minute of processor time and 200 MiB", took, peak>>20)
			}
		})
	}
}
