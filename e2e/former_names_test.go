package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// formerTargets unpacks the targets that an earlier version made, which named the Blosc of
// Zarr v2 numcodecs.blosc. Their sources have the times that the checkpoints know.
func formerTargets(t *testing.T) (dir string) {
	t.Helper()
	dir = sourcetest.Unzip(t, "testdata/former/former.zip")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, source := range []string{"in.zarr", "more.zarr"} {
		for name := range tree(t, filepath.Join(dir, source)) {
			if err := os.Chtimes(filepath.Join(dir, source, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// codecNames returns the names of the codecs of an array, also of those within shards.
func codecNames(t *testing.T, target, array string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(target, array, "zarr.json"))
	if err != nil {
		t.Fatal(err)
	}
	type codec struct {
		Name          string
		Configuration struct{ Codecs []codec }
	}
	var document struct{ Codecs []codec }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for list := document.Codecs; len(list) > 0; list = list[1:] {
		names = append(names, list[0].Name)
		list = append(list, list[0].Configuration.Codecs...)
	}
	return names
}

// chunks returns the files of a tree that are chunks or shards.
func chunks(files map[string]string) map[string]string {
	only := map[string]string{}
	for key, sum := range files {
		if strings.Contains(key, "/c/") {
			only[key] = sum
		}
	}
	return only
}

// TestFormerNamesComplete runs jobs again that an earlier version completed. There is
// nothing to do, nothing is refused, and the targets stay as they are. Verification and
// repair take them as they are, too.
func TestFormerNamesComplete(t *testing.T) {
	t.Parallel()
	dir := formerTargets(t)
	for _, name := range []string{"kept", "cut", "blosc", "numcodecs", "grown"} {
		t.Run(name, func(t *testing.T) {
			job, target := filepath.Join(dir, name+".yaml"), filepath.Join(dir, name+".zarr")
			was := tree(t, target)
			if names := strings.Join(codecNames(t, target, "a"), " "); !strings.HasSuffix(names, "blosc") {
				t.Fatalf("the codecs are %s", names)
			}
			out, err := zmigrate(t.Context(), t, "run", "--json", "--progress", "none", job).Output()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(out), `"already_complete":true`) {
				t.Errorf("the run did something: %s", out)
			}
			for _, level := range []string{"stored", "decoded", "source"} {
				mustRun(t, "verify", "--level", level, job)
			}
			mustRun(t, "repair", job)
			if diff := cmp.Diff(was, tree(t, target)); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// TestFormerNamesRepaired repairs a damaged chunk and a lost chunk of targets of an earlier version.
func TestFormerNamesRepaired(t *testing.T) {
	t.Parallel()
	dir := formerTargets(t)
	for name, keys := range map[string][]string{
		"kept": {"a/c/0/1", "text/c/1"}, "cut": {"a/c/0/0", "wide/c/0"}, "blosc": {"a/c/0/1", "a/c/1/0"}, "grown": {"a/c/1/1", "text/c/0"},
	} {
		t.Run(name, func(t *testing.T) {
			job, target := filepath.Join(dir, name+".yaml"), filepath.Join(dir, name+".zarr")
			was := tree(t, target)
			file := filepath.Join(target, keys[0])
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)-1] ^= 1
			write(t, target, keys[0], data)
			if err := os.Remove(filepath.Join(target, keys[1])); err != nil {
				t.Fatal(err)
			}
			mustRun(t, "repair", job)
			if diff := cmp.Diff(was, tree(t, target)); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// TestFormerNamesResumed completes a run that an earlier version began. The target has the
// names that the run began with, as if that version had completed it.
func TestFormerNamesResumed(t *testing.T) {
	t.Parallel()
	dir := formerTargets(t)
	target := filepath.Join(dir, "begun.zarr")
	if begun := tree(t, target); begun["a/c/0/0"] == "" || begun["zarr.json"] != "" {
		t.Fatalf("the run was not interrupted: %v", begun)
	}
	out, err := zmigrate(t.Context(), t, "run", "--json", "--progress", "none", filepath.Join(dir, "begun.yaml")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), `"resumed":0`) {
		t.Errorf("the run began anew: %s", out)
	}
	if diff := cmp.Diff(tree(t, filepath.Join(dir, "kept.zarr")), tree(t, target)); diff != "" {
		t.Errorf("(-whole +resumed):\n%s", diff)
	}
}

// TestFormerNamesAppended appends rows to a target of an earlier version. The target keeps
// its codecs, also if the job names them otherwise. The objects are those of a target that
// this version has made and appended to. Afterwards there is nothing to do.
func TestFormerNamesAppended(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]string{
		"codecs of the target": "run.verify=source",
		"codecs of the job":    "arrays.a.codecs=[bytes, {blosc: {cname: lz4, clevel: 5, shuffle: shuffle}}]",
	} {
		t.Run(name, func(t *testing.T) {
			dir := formerTargets(t)
			job, target := filepath.Join(dir, "grown.yaml"), filepath.Join(dir, "grown.zarr")
			was := map[string][]string{}
			for _, array := range []string{"a", "filtered", "flags", "t", "text", "wide"} {
				was[array] = codecNames(t, target, array)
			}
			more := []string{"--progress", "none", "--set", "source.url=more.zarr", "--set", set, job}
			mustRun(t, append([]string{"run"}, more...)...)
			for array, names := range was {
				if diff := cmp.Diff(names, codecNames(t, target, array)); diff != "" {
					t.Errorf("%s (-before +after):\n%s", array, diff)
				}
			}
			mustRun(t, "verify", "--level", "source", "--set", "source.url=more.zarr", "--set", set, job)
			appended := tree(t, target)
			out, err := zmigrate(t.Context(), t, append([]string{"run", "--json"}, more...)...).Output()
			if err != nil || !strings.Contains(string(out), `"already_complete":true`) {
				t.Errorf("the run did something: %v\n%s", err, out)
			}
			mustRun(t, "run", "--progress", "none", "--set", "target.url=fresh.zarr", job)
			mustRun(t, append([]string{"run", "--set", "target.url=fresh.zarr"}, more...)...)
			if diff := cmp.Diff(chunks(tree(t, filepath.Join(dir, "fresh.zarr"))), chunks(appended)); diff != "" {
				t.Errorf("objects (-fresh +appended):\n%s", diff)
			}
			if diff := cmp.Diff(appended, tree(t, target)); diff != "" {
				t.Errorf("the target has changed:\n%s", diff)
			}
		})
	}
}

// TestFormerNamesCopied copies a target of an earlier version. The copy has the same objects,
// and the codec blosc.
func TestFormerNamesCopied(t *testing.T) {
	t.Parallel()
	dir := formerTargets(t)
	for _, name := range []string{"kept", "cut"} {
		source, target := filepath.Join(dir, name+".zarr"), filepath.Join(dir, name+"_copy.zarr")
		mustRun(t, "copy", "--progress", "none", source, target)
		if diff := cmp.Diff(chunks(tree(t, source)), chunks(tree(t, target))); diff != "" {
			t.Errorf("%s: objects (-source +copy):\n%s", name, diff)
		}
		for _, array := range []string{"a", "filtered", "flags", "t", "text", "wide"} {
			if names := strings.Join(codecNames(t, target, array), " "); !strings.Contains(" "+names, " blosc") || strings.Contains(names, "numcodecs.blosc") {
				t.Errorf("%s, %s: the codecs are %s", name, array, names)
			}
		}
	}
}
