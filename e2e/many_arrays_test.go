package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestManyArrays measures the memory and the processor time of a plan of 50,000 small
// arrays, of a run of these, and of a run with nothing to do.
func TestManyArrays(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") != "1" {
		t.Skip("set ZMIGRATE_HEAVY=1 to migrate thousands of arrays")
	}
	program := build(t)
	measure := func(dir string, n int, most int64, arguments ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, arguments...)
		c.Dir, c.Stderr = dir, t.Output()
		if out, err := c.Output(); err != nil {
			t.Fatalf("%v\n%.1000s", err, out)
		}
		peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		t.Logf("%d arrays: %s: peak %d MiB, %.1f s of processor time", n, strings.Join(arguments, " "), peak>>20,
			(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
		if peak > most {
			t.Errorf("peak of %d MiB, want at most %d", peak>>20, most>>20)
		}
	}
	for _, n := range []int{5000, 50000} {
		dir := fast(t)
		hierarchy(t, dir, n)
		// The program itself takes 45 MiB of this, and what it makes of each array 1.3
		// KB.
		most := allowance + int64(24<<20) + int64(n)*1600
		measure(dir, n, most, "copy", "--memory", "64MiB", "--dry-run", "in", "out")
		measure(dir, n, most, "copy", "--memory", "64MiB", "--progress", "none", "in", "out")
		measure(dir, n, most, "copy", "--memory", "64MiB", "--progress", "none", "in", "out")
		info, err := os.Stat(filepath.Join(dir, "out.zmigrate", "done.json"))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > int64(n)*200 {
			t.Errorf("a record of completion of %d bytes for %d arrays", info.Size(), n)
		}
	}
}

// hierarchy writes a hierarchy of Zarr v3 with n arrays of one chunk each.
func hierarchy(t *testing.T, dir string, n int) {
	t.Helper()
	var nodes []string
	for i := range n {
		nodes = append(nodes, fmt.Sprintf(`"a%d":{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32",
			"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
			"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},
			"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],
			"attributes":{"units":"m","long_name":"array %d"},"dimension_names":["x"]}`, i, i))
		chunk := filepath.Join(dir, "in", fmt.Sprintf("a%d", i), "c")
		if err := os.MkdirAll(chunk, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(chunk, "0"), []byte("0123456789abcdef"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, filepath.Join("in", "zarr.json"), fmt.Appendf(nil,
		`{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{%s}}}`, strings.Join(nodes, ",")))
}
