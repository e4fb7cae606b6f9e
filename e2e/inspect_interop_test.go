package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropInspect compares what inspect shows of files with what ncdump -h, h5dump
// -H -p and pyarrow show. The files are the goldens, and files with all features of the
// formats that the peers make here.
func TestInteropInspect(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	findTools(t, "ncdump", "ncgen", "h5dump")
	dir := t.TempDir()
	hdf5 := filepath.Join("..", "..", "sources", "netcdf")
	for _, script := range [][]string{
		{filepath.Join(hdf5, "hdf5", "testdata", "make.py"), folder(t, dir, "hdf5")},
		{filepath.Join(hdf5, "testdata", "make_nc4.py"), folder(t, dir, "netcdf")},
		{"arrow_sources.py", folder(t, dir, "arrow"), interopSeed, "50"},
	} {
		p.run(t, script...)
	}
	user := filepath.Join(folder(t, dir, "user"), "user.nc")
	if out, err := exec.CommandContext(t.Context(), "ncgen", "-4", "-o", user, filepath.Join("interop", "inspect.cdl")).CombinedOutput(); err != nil {
		t.Fatalf("ncgen: %v\n%s", err, out)
	}
	var files []string
	golden := os.Getenv("ZMIGRATE_GOLDEN")
	for _, pattern := range []string{
		filepath.Join(dir, "*", "*"), filepath.Join(golden, "netcdf*", "*"), filepath.Join(golden, "arrow", "*"), filepath.Join(golden, "arrow", "partitioned", "*"),
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if found == nil {
			t.Logf("without %s", pattern)
		}
		for _, file := range found {
			switch filepath.Ext(file) {
			case ".nc", ".cdf", ".h5", ".parquet", ".arrow", ".arrows", ".feather":
				files = append(files, file)
			}
		}
	}
	shown := folder(t, dir, "shown")
	var pairs []string
	for i, file := range files {
		if filepath.Base(file) == "part_2.nc" { // the beginning of a file
			continue
		}
		pairs = append(pairs, inspected(t, file, filepath.Join(shown, fmt.Sprint(i)))...)
	}
	p.check(t, "check_inspect.py", pairs...)

	t.Run("a missing fact is detected", func(t *testing.T) {
		for _, c := range []struct{ file, what, instead string }{
			{user, "/line [1]", "/other [1]"},
			{user, "clear}, 0}", "clear}, 1}"},
			{user, `"unlimited":["time"]`, `"unlimited":[]`},
			{filepath.Join(dir, "hdf5", "v110.h5"), "deflate (filter 1) [", "deflate (filter 1) [1"},
			{filepath.Join(dir, "hdf5", "v110.h5"), "soft, to group 07/inner/v", "soft, to nothing"},
			{filepath.Join(dir, "arrow", "none_v1.parquet"), "repeated group list {optional", "repeated group list {required"},
		} {
			pair := inspected(t, c.file, filepath.Join(shown, "changed"))
			for _, name := range []string{pair[1] + ".txt", pair[1] + ".json"} {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(data), c.what) && strings.HasSuffix(name, ".json") {
					t.Errorf("%s: inspect does not show %q", filepath.Base(c.file), c.what)
				}
				write(t, filepath.Dir(name), filepath.Base(name), []byte(strings.ReplaceAll(string(data), c.what, c.instead)))
			}
			if len(p.differences(t, "check_inspect.py", pair...)) == 0 {
				t.Errorf("%s: the comparison does not notice %q in place of %q", filepath.Base(c.file), c.instead, c.what)
			}
		}
	})
}

// folder makes a folder and returns its path.
func folder(t *testing.T, dir, name string) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.Mkdir(name, 0o777); err != nil {
		t.Fatal(err)
	}
	return name
}

// inspected writes what inspect shows of a file to name.json and name.txt. It returns
// the file and the name in the form that check_inspect.py expects.
func inspected(t *testing.T, file, name string) []string {
	t.Helper()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	for ending, arguments := range map[string][]string{".txt": {"inspect", file}, ".json": {"inspect", "--json", file}} {
		out, err := zmigrate(t.Context(), t, arguments...).Output()
		if err != nil {
			t.Fatalf("inspect %s: %v", file, err)
		}
		write(t, filepath.Dir(name), filepath.Base(name)+ending, out)
	}
	return []string{file, name}
}

// findTools skips the test if one of the programs is missing, or fails it if
// ZMIGRATE_REQUIRE_PEERS is 1.
func findTools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		_, err := exec.LookPath(name)
		switch {
		case err == nil:
		case os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1":
			t.Fatalf("no %s: %v; `make interop` installs it", name, err)
		default:
			t.Skipf("needs %s, which `make interop` installs (%v)", name, err)
		}
	}
}
