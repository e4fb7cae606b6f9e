package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// interopSeed seeds the random sources. Any other seed must do as well.
const interopSeed = "1"

// TestInteropRaw migrates raw arrays of every data type through every codec chain.
// zarr-python, tensorstore and xarray compare each array with the one that NumPy made.
func TestInteropRaw(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := filepath.Join(t.TempDir(), "raw")
	p.run(t, "raw_sources.py", dir, interopSeed)
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "job.json"))
	expected, target := filepath.Join(dir, "expected.json"), filepath.Join(dir, "target.zarr")
	p.check(t, "check.py", expected, target)

	t.Run("a flipped bit is found", func(t *testing.T) {
		file := filepath.Join(dir, "expected", "float32_zstd_edges.bin")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data[4*(2*10+9)] ^= 1
		write(t, filepath.Dir(file), filepath.Base(file), data)
		differences := p.differences(t, "check.py", expected, target)
		if len(differences) != 3 {
			t.Fatalf("want a difference from each of the three readers, got %q", differences)
		}
		for _, d := range differences {
			if !strings.Contains(d, "float32/zstd_edges: ") || !strings.Contains(d, "element [2, 9] is ") {
				t.Errorf("does not name array and index: %s", d)
			}
		}
	})
}

// TestInteropNetCDF copies classic files, both random and real ones, and joins some.
// The peers compare each variable with what libnetcdf reads.
func TestInteropNetCDF(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	real := append([]string{example}, otherRealFiles(t)...)
	for i, file := range real {
		absolute, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		real[i] = absolute
	}
	p.run(t, append([]string{"netcdf_sources.py", dir, interopSeed}, real...)...)
	made, err := filepath.Glob(filepath.Join(dir, "*.nc"))
	if err != nil || len(made) == 0 {
		t.Fatalf("no files made: %v", err)
	}
	target := func(file string) string {
		name := filepath.Base(file)
		return filepath.Join(dir, strings.TrimSuffix(name, filepath.Ext(name)))
	}
	var pairs []string
	for _, file := range append(made, real...) {
		mustRun(t, "copy", "--progress", "none", file, target(file)+".zarr")
		pairs = append(pairs, target(file)+".json", target(file)+".zarr")
	}
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "join.json"))
	pairs = append(pairs, filepath.Join(dir, "whole.json"), filepath.Join(dir, "joined.zarr"))
	p.check(t, "check.py", pairs...)

	t.Run("CF decoding", func(t *testing.T) {
		var pairs []string
		for _, file := range append([]string{filepath.Join(dir, "cf.nc")}, real...) {
			pairs = append(pairs, file, target(file)+".zarr")
		}
		p.check(t, "check_cf.py", pairs...)
	})
}

// otherRealFiles returns real classic files from $ZMIGRATE_GOLDEN, the folder of all
// goldens. It returns none if there is no such folder.
func otherRealFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, name := range []string{"esku_heat_budget.cdf", "space_weather.nc", "mesh_C4_synthetic_float.nc"} {
		file := filepath.Join(os.Getenv("ZMIGRATE_GOLDEN"), "netcdf", name)
		if _, err := os.Stat(file); err != nil {
			t.Logf("without %s: %v", name, err)
			continue
		}
		files = append(files, file)
	}
	return files
}

// peers is a Python with the packages of interop/requirements.txt.
type peers struct{ python string }

// findPeers returns $ZMIGRATE_PYTHON or the environment of `make interop`. Without
// either, the test is skipped, or fails if ZMIGRATE_REQUIRE_PEERS is 1.
func findPeers(t *testing.T) peers {
	t.Helper()
	python := os.Getenv("ZMIGRATE_PYTHON")
	if python == "" {
		python = filepath.Join("..", ".cache", "interop", "bin", "python")
	}
	_, err := os.Stat(python)
	switch {
	case err == nil:
		absolute, err := filepath.Abs(python)
		if err != nil {
			t.Fatal(err)
		}
		return peers{absolute}
	case os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1":
		t.Fatalf("no Python with the peers: %v; `make interop` sets it up", err)
	default:
		t.Skipf("needs a Python with zarr-python, tensorstore, xarray and netCDF4: `make interop` sets it up (%v)", err)
	}
	return peers{}
}

// command prepares a script of the folder interop.
func (p peers) command(t *testing.T, arguments ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), p.python, arguments...)
	cmd.Dir = "interop"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	return cmd, stderr
}

// run runs a script that must succeed.
func (p peers) run(t *testing.T, arguments ...string) {
	t.Helper()
	cmd, stderr := p.command(t, arguments...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", arguments[0], err, stderr)
	}
	t.Logf("%s: %s", arguments[0], bytes.TrimSpace(out))
}

// cases runs a script that fills a folder, and reads the cases that it has made.
func (p peers) cases(t *testing.T, script, folder string, into any) {
	t.Helper()
	p.run(t, script, folder)
	text, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// check runs a script that compares. Each difference is an error.
func (p peers) check(t *testing.T, script string, arguments ...string) {
	t.Helper()
	for _, d := range p.differences(t, script, arguments...) {
		t.Error(d)
	}
}

// differences runs a script that compares. It logs what is equal and returns a line for
// each difference.
func (p peers) differences(t *testing.T, script string, arguments ...string) []string {
	t.Helper()
	cmd, stderr := p.command(t, append([]string{script}, arguments...)...)
	out, err := cmd.Output()
	var equal, different []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "DIFFERENT "); ok {
			different = append(different, text)
		} else {
			equal = append(equal, lines.Text())
		}
	}
	t.Logf("%s:\n%s", script, strings.Join(equal, "\n"))
	// The script exits with 1 if it has found differences, and otherwise with 0.
	if (err != nil) != (len(different) > 0) || len(equal) == 0 {
		t.Fatalf("%s: %v, %d differences\n%s", script, err, len(different), stderr)
	}
	return different
}

// mustRun runs the program, which must succeed.
func mustRun(t *testing.T, arguments ...string) {
	t.Helper()
	if err := zmigrate(t.Context(), t, arguments...).Run(); err != nil {
		t.Fatalf("zmigrate %s: %v", strings.Join(arguments, " "), err)
	}
}
