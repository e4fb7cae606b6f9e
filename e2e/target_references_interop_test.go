package e2e

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropTargetReferences makes tables of references of NetCDF files that netCDF4 has written,
// in JSON and in Parquet, some of several files. xarray reads from them, by fsspec and kerchunk,
// what it reads from the files.
func TestInteropTargetReferences(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	cmd, stderr := p.command(t, "target_reference_sources.py", dir, "1", "12")
	list, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	if len(lines) < 12 {
		t.Fatalf("only %d data sets: %s", len(lines), stderr)
	}
	for _, line := range lines {
		name, files, _ := strings.Cut(line, "\t")
		source := "source: {driver: netcdf, url: [" + strings.ReplaceAll(files, " ", ", ") + "]"
		if strings.Contains(files, " ") {
			source += ", concat: time"
		}
		for form, end := range map[string]string{"json": ".json", "parquet": ".parq"} {
			job := write(t, dir, name+"."+form+".yaml", []byte("zmigrate: 1\n"+source+"}\ntarget: {url: "+name+end+", references: "+form+"}\n"))
			mustRun(t, "run", "--log-level", "error", filepath.Clean(job))
		}
	}
	check, stderr := p.command(t, "check_target_references.py", dir)
	check.Stdin = bytes.NewReader(list)
	out, err := check.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, stderr)
	}
	t.Logf("%s", bytes.TrimSpace(out))
}
