package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// allowance is what the process may take beside run.memory, in bytes.
const allowance = 64 << 20

// build builds the program as it is shipped and returns its path.
func build(t testing.TB, dir string) string {
	t.Helper()
	program := filepath.Join(dir, "bin", "zmigrate")
	c := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../cmd/zmigrate")
	c.Stderr = t.Output()
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	return program
}

// TestPeakMemory measures the peak resident size of the program. The fill value
// is another one than the zeros in the file, so that every chunk is encoded and
// stored.
func TestPeakMemory(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") != "1" {
		t.Skip("set ZMIGRATE_HEAVY=1 to migrate some arrays of 4 GiB")
	}
	for _, test := range []struct {
		budget, layers int // MiB of the budget; MiB × 4 of the array
		codecs         string
	}{
		{64, 1024, "[bytes, {zstd: {level: 3}}]"},
		{256, 1024, "[bytes, {zstd: {level: 3}}]"},
		{1024, 1024, "[bytes, {zstd: {level: 3}}]"},
		{256, 256, "[bytes]"},
	} {
		t.Run(fmt.Sprintf("%dMiB/%s", test.budget, test.codecs), func(t *testing.T) {
			dir := fast(t)
			source := write(t, dir, "data.bin", nil)
			if err := os.Truncate(source, int64(test.layers)<<22); err != nil {
				t.Fatal(err)
			}
			job := write(t, dir, "job.yaml", fmt.Appendf(nil, `zmigrate: 1
source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [%d, 1024, 1024]}}}
target: {url: out.zarr}
arrays: {a: {fill_value: 1.0, codecs: %s}}
run: {memory: %dMiB}
`, test.layers, test.codecs, test.budget))
			c := exec.CommandContext(t.Context(), build(t, dir), "run", "--progress", "none", job)
			c.Stderr = t.Output()
			if out, err := c.Output(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// The system counts what this process had before it became the
			// program, too.
			peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("budget %d MiB, array %d MiB, codecs %s: peak %d MiB, %.1f s of processor time",
				test.budget, test.layers<<2, test.codecs, peak>>20,
				(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
			if most := int64(test.budget)<<20 + allowance; peak > most {
				t.Errorf("peak of %d bytes, want at most %d", peak, most)
			}
		})
	}
}
