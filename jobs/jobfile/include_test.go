package jobfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestInclude: fields of other files, of which the job's own win. The normalised job is that of
// one file.
func TestInclude(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"job.yaml":         "zmigrate: 1\ninclude: [shared/all.yaml, more.yaml]\nsource: {driver: netcdf, url: a.nc}\ntarget: {url: b.zarr}\ndefaults: {codecs: [bytes]}\narrays: {T: {chunks: [5]}}\n",
		"shared/all.yaml":  "include: deep.yaml\ndefaults: {chunks: auto, codecs: [bytes, zstd]}\nrun: {memory: 64MiB, workers: {read: 2}}\n",
		"shared/deep.yaml": "run: {memory: 32MiB, lock_ttl: 5m}\nattributes: {title: deep, by: deep}\n",
		"more.yaml":        "run: {workers: {write: 3}}\nattributes: {title: more}\narrays: {T: {rename: t}}\n",
		"one.yaml": "zmigrate: 1\nname: job\nsource: {driver: netcdf, url: a.nc}\ntarget: {url: b.zarr}\ndefaults: {chunks: auto, codecs: [bytes]}\narrays: {T: {chunks: [5], rename: t}}\n" +
			"run: {memory: 64MiB, lock_ttl: 5m, workers: {read: 2, write: 3}}\nattributes: {title: more, by: deep}\n",
	})
	j, err := Load(filepath.Join(dir, "job.yaml"), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one, err := Load(filepath.Join(dir, "one.yaml"), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "shared", "all.yaml"), filepath.Join(dir, "shared", "deep.yaml"), filepath.Join(dir, "more.yaml")}
	if diff := cmp.Diff(want, j.Included); diff != "" {
		t.Errorf("included files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(string(one.Normalised()), string(j.Normalised())); diff != "" {
		t.Error(diff)
	}
	if j.Run.Workers != one.Run.Workers || j.Run.Memory != one.Run.Memory || j.Run.LockLifetime != one.Run.LockLifetime {
		t.Errorf("%+v", j.Run)
	}
}

// TestIncludeProblems: problems name the included file, and what cannot be included is one.
func TestIncludeProblems(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"wrong.yaml": "defaults:\n  chunk: auto\n", "list.yaml": "- a\n", "torn.yaml": "a: [\n", "self.yaml": "include: self.yaml\n", "a.yaml": "include: b.yaml\n", "b.yaml": "include: a.yaml\n",
	})
	for include, want := range map[string]string{
		"wrong.yaml":  filepath.Join(dir, "wrong.yaml") + `:2:3: defaults.chunk: unknown key (did you mean "chunks"?)`,
		"absent.yaml": "job.yaml:2:10: include: cannot be read: ",
		"list.yaml":   "job.yaml:2:10: include: " + filepath.Join(dir, "list.yaml") + " is no mapping",
		"torn.yaml":   filepath.Join(dir, "torn.yaml") + ":",
		"self.yaml":   filepath.Join(dir, "self.yaml") + ":1:10: include: " + filepath.Join(dir, "self.yaml") + " includes itself",
		"a.yaml":      filepath.Join(dir, "b.yaml") + ":1:10: include: " + filepath.Join(dir, "a.yaml") + " includes itself",
		"7":           "job.yaml:2:10: include: want a file, or a list of files",
		"[a.yaml, 7]": "job.yaml:2:19: include[1]: want a file, or a list of files",
	} {
		_, err := Parse("job.yaml", []byte("zmigrate: 1\ninclude: "+include+"\nsource: {driver: netcdf, url: a.nc}\ntarget: {url: b.zarr}\n"), dir, LoadOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", include, err, want)
		}
	}
}
