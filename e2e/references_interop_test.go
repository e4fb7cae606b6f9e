package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropReferences migrates tables of references that kerchunk and VirtualiZarr made of HDF5
// files: in JSON, with and without templates, and in Parquet. It compares each element with what
// h5py reads from the file. Half of the tables are decoded and encoded anew.
func TestInteropReferences(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	cmd, stderr := p.command(t, "reference_sources.py", dir, "1", "15")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 50 {
		t.Fatalf("only %d tables: %s", len(lines), stderr)
	}
	var pairs []string
	for i, line := range lines {
		table, file, _ := strings.Cut(line, "\t")
		target := filepath.Join(dir, filepath.Base(table)+".zarr")
		arguments := []string{"copy", "--progress", "none", "--log-level", "error", table, target}
		if i%2 == 1 {
			arguments = append(arguments, "--codec", "zstd:level=1")
		}
		mustRun(t, arguments...)
		pairs = append(pairs, file, target)
	}
	p.check(t, "check_references.py", pairs...)
}

// TestInteropN5 migrates N5 containers of z5py and tensorstore, with all compressions, and compares
// each element with what these programs read.
func TestInteropN5(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "n5_sources.py", dir, "1", "20")
	var pairs []string
	for _, program := range []string{"z5py", "tensorstore"} {
		container, target := filepath.Join(dir, program+".n5"), filepath.Join(dir, program+".zarr")
		mustRun(t, "copy", "--progress", "none", "--log-level", "error", container, target)
		pairs = append(pairs, container, target)
	}
	p.check(t, "check_n5.py", pairs...)
}
