package e2e

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWorkEndsWithItsInput ends the input of a worker in the middle of a bundle, as the death of
// the process that writes to it does. The worker stops, and releases its lock: the job is
// finished at once by a run. A worker that waits for the next bundle ends as one that is done.
func TestWorkEndsWithItsInput(t *testing.T) {
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
arrays: {SST: {chunks: [1, 15, 15], codecs: [{zstd: {level: 19}}]}, AIRT: {chunks: [1, 15, 15], codecs: [{zstd: {level: 19}}]}}
run: {workers: {encode: 1}}
`))
	target := filepath.Join(dir, "out.zarr")
	want := undisturbed(t, job, target)
	removeTarget(t, target)
	p := savePlan(t, job, 1)
	for _, units := range []int{1, p.Units} {
		c := zmigrate(t.Context(), t, "work", job, "--stdin", "--end-with-input", "--json")
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(in, "0-%d\n", units); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(out)
		if units == 1 {
			if _, err := answers.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		} else {
			for begun := []string(nil); len(begun) < 2; { // one of them belongs to the other worker
				if begun, err = filepath.Glob(filepath.Join(target+".zmigrate", "work", "*", "*", "*.begun")); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // the status says how it ended
		status := 0
		if units > 1 {
			status = 3
		}
		if got := c.ProcessState.ExitCode(); got != status {
			t.Errorf("%d units: the worker ended with %d, want %d", units, got, status)
		}
	}
	if _, err := part(t, "run", job); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tree(t, target)); diff != "" {
		t.Errorf("(-run +parts):\n%s", diff)
	}
	checkNoLeftovers(t, target)
}
