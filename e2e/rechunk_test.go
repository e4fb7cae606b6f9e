package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPeakMemoryOfRechunking cuts 64 slices of 4 MiB into tiles that span all of them.
// The budget has room for all slices at once, or has not. The test measures the peak
// resident size of the program.
func TestPeakMemoryOfRechunking(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") != "1" {
		t.Skip("set ZMIGRATE_HEAVY=1 to cut 256 MiB")
	}
	program, dir := build(t), fast(t)
	layer := smooth(1 << 20)
	source, err := os.Create(filepath.Join(dir, "data.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for range 64 {
		if _, err := source.Write(layer); err != nil {
			t.Fatal(err)
		}
	}
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
	peak := func(name, text string) int64 {
		c := exec.CommandContext(t.Context(), program, "run", "--progress", "none", write(t, dir, name+".yaml", []byte("zmigrate: 1\n"+text)))
		c.Stderr = t.Output()
		if out, err := c.Output(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return peakMemory(c.ProcessState)
	}
	peak("slices", `source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [64, 1024, 1024]}}}
target: {url: slices.zarr}
arrays: {a: {chunks: [1, 1024, 1024]}}
`)
	for _, budget := range []int{64, 320} {
		got := peak(fmt.Sprint("tiles", budget), fmt.Sprintf(`source: {driver: zarr, url: slices.zarr}
target: {url: tiles%d.zarr}
defaults: {chunks: [64, 128, 128]}
run: {memory: %dMiB}
`, budget, budget))
		t.Logf("budget %d MiB: peak %d MiB", budget, got>>20)
		if most := int64(budget)<<20 + allowance; got > most {
			t.Errorf("budget %d MiB: peak of %d MiB, want at most %d", budget, got>>20, most>>20)
		}
	}
}
