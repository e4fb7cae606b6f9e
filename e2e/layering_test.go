package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

const module = "github.com/zmigrate/zmigrate"

// rooms lists the rooms of the house, bottom up. A package imports only packages of its
// own room and of rooms above it in this list. (Its tests may import more, because they
// use the package as others do.) A pattern with /... stands for a folder and all
// folders below it. If several patterns match a package, the last one counts.
var rooms = [][]string{
	{"internal/cpu"},     // which kernels to use
	{"internal/race"},    // what the race detector is told
	{"internal/kernels"}, // writes the assembly of kernels
	{"internal/edge"},    // memory for tests of kernels
	{"dtype"},
	{"dtype/arrowtype", "dtype/hdf5type", "dtype/netcdftype"}, // the types of other formats
	{"dtype/ndarray"},
	{"dtype/ndarray/digest"},
	{"dtype/ndarray/deviation"},
	{"codecs/..."}, // formats without anything of Zarr
	{"codecs", "codecs/codectest"},
	{"codecs/standard"},
	{"zarr"},
	{"internal/words"},
	{"internal/cf"},
	{"internal/ngff"},
	{"internal/codes"},
	{"readers"},
	{"internal/store/location"},
	{"internal/store/driver"},
	{"internal/store/limits"},
	{"internal/store/remote"},
	{"internal/store/bucket"},
	{"internal/store/local", "internal/store/memory", "internal/store/s3", "internal/store/gcs", "internal/store/azure", "internal/store/http", "internal/store/zip", "internal/store/references"}, // the places
	{"internal/store/s3test"}, // the S3 server of tests
	{"internal/store"},
	{"store"},
	{"sources"},
	{"sources/compare/..."},
	{"sources/combine"},
	{"sources/sourcetest", "sources/raw/...", "sources/netcdf/...", "sources/arrow/...", "sources/zarr/..."}, // the formats
	{"sources/drivers"},
	{"sinks/..."},
	{"stages"},
	{"jobs/journal"},
	{"jobs/jobfile"},
	{"jobs/environment"},
	{"jobs/internal/jobtest"}, // what the tests of the rooms below share
	{"jobs/manifest"},
	{"jobs/target"},
	{"jobs/input"},
	{"jobs/places"},
	{"jobs/shapes"},
	{"jobs/plan"},
	{"jobs/preview"},
	{"jobs/trial"},
	{"jobs/advise"},
	{"jobs/draft"},
	{"jobs/run"},
	{"jobs/references"},
	{"jobs/verify"},
	{"jobs/report"},
	{"jobs"},
	{"python"}, // what engines hand to a Python
	{"engines"},
	{"engines/slurm", "engines/dask", "engines/kubernetes"}, // one scheduler each
	{"cmd/zmigrate/app"},
	{"cmd/zmigrate"},
	{"e2e/..."},
}

// strangers are folders whose packages must not import each other, although one lies
// above the other.
var strangers = []string{"sources", "sinks"}

// places are the packages for kinds of places. Only internal/store, which opens URLs, may
// import them.
var places = []string{
	"internal/store/local", "internal/store/memory", "internal/store/s3", "internal/store/gcs",
	"internal/store/azure", "internal/store/http", "internal/store/zip", "internal/store/references",
}

// goroutines lists the folders that may import golang.org/x/sync/errgroup. stages
// coordinates the work on chunks, internal/store sends parts of an object in parallel,
// internal/store/local flushes files in parallel, sources asks for many files at once, sinks writes the chunks of one region at once, and
// jobs/journal asks for the objects of a checkpoint.
var goroutines = []string{"stages", "internal/store", "internal/store/local", "sources", "sinks", "jobs/journal"}

// goPackage is the output of `go list` for a package.
type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string // direct and indirect imports
}

func TestLayering(t *testing.T) {
	packages := listPackages(t)
	for _, p := range packages {
		room := roomOf(p.ImportPath)
		if room < 0 {
			t.Errorf("package %s is in none of the rooms %q", p.ImportPath, rooms)
			continue
		}
		for _, imported := range p.Imports {
			if imported == "golang.org/x/sync/errgroup" && !slices.Contains(goroutines, p.ImportPath) {
				t.Errorf("package %s imports %s, which only %q may", p.ImportPath, imported, goroutines)
			}
			below, ok := strings.CutPrefix(imported, module+"/")
			if !ok {
				continue
			}
			if roomOf(below) > room {
				t.Errorf("package %s imports %s, which lies below it", p.ImportPath, below)
			}
			if slices.Contains(places, below) && p.ImportPath != "internal/store" {
				t.Errorf("package %s imports %s, which only internal/store may", p.ImportPath, below)
			}
			here, there := topFolder(p.ImportPath), topFolder(below)
			if here != there && slices.Contains(strangers, here) && slices.Contains(strangers, there) {
				t.Errorf("package %s imports %s: %s and %s do not know each other", p.ImportPath, below, here, there)
			}
		}
	}
}

// TestLayeringStandard checks that dtype, and the rooms for types that need no library,
// depend only on the standard library, directly and indirectly.
func TestLayeringStandard(t *testing.T) {
	standard := append(goList(t, "std"), goPackage{ImportPath: module + "/dtype"})
	for _, p := range goList(t, "./dtype", "./dtype/hdf5type", "./dtype/netcdftype") {
		if len(p.Deps) == 0 {
			t.Errorf("go list names no dependencies of %s", p.ImportPath)
		}
		for _, dep := range p.Deps {
			if !slices.ContainsFunc(standard, func(s goPackage) bool { return s.ImportPath == dep }) {
				t.Errorf("package %s depends on %s, which is not in the standard library", p.ImportPath, dep)
			}
		}
	}
}

// TestLayeringNames refuses names that do not tell what is inside.
func TestLayeringNames(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != ".." && (strings.HasPrefix(name, ".") || name == "testdata"):
			return fs.SkipDir
		case d.IsDir() && slices.Contains([]string{"util", "utils", "common", "misc", "helpers"}, name):
			t.Errorf("folder %s: the name does not tell what is inside", file)
		case path.Ext(name) == ".go":
			files++
			if slices.Contains([]string{"types.go", "util.go", "utils.go", "common.go"}, name) {
				t.Errorf("file %s: the name does not tell what is inside", file)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("found %d Go files, error %v", files, err)
	}
}

// TestLayeringDriverNames refuses code that asks for a driver by its name. What it wants to
// know is a trait of sources.Driver.
func TestLayeringDriverNames(t *testing.T) {
	refuseQuestions(t, "a driver", drivers.Standard().Names())
}

// TestLayeringCodecNames refuses code that asks for a codec by its name. What it wants to
// know is a trait of package codecs. The codecs themselves may ask, and so may readers,
// which is a table of the codecs that other programs know.
func TestLayeringCodecNames(t *testing.T) {
	var names []string
	for _, d := range standard.Registry(dtype.Standard()).Definitions() {
		names = append(names, d.Name)
	}
	refuseQuestions(t, "a codec", names, "../codecs/standard", "../readers")
}

// refuseQuestions reports code that compares something with one of these names. Code in the
// folders except may do so.
func refuseQuestions(t *testing.T, what string, names []string, except ...string) {
	t.Helper()
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	asks := regexp.MustCompile(`(==|!=|\bcase\b)[^\n]*"(` + strings.Join(names, "|") + `)"`)
	for text, want := range map[string]bool{`if d == "NAME" {`: true, `case "x", "NAME":`: true, `Name: "NAME"`: false, `d != "NAMEs"`: false} {
		if text = strings.Replace(text, "NAME", strings.ReplaceAll(names[0], `\`, ""), 1); asks.MatchString(text) != want {
			t.Fatalf("%s: a comparison: %v", text, !want)
		}
	}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") || slices.Contains(except, filepath.ToSlash(file))):
			return fs.SkipDir
		case path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		if found := asks.Find(text); found != nil {
			t.Errorf("%s asks for %s by its name: %s", file, what, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// roomOf returns the index of a package's room, or -1.
func roomOf(importPath string) int {
	for i, room := range slices.Backward(rooms) {
		for _, pattern := range room {
			folder, deep := strings.CutSuffix(pattern, "/...")
			if importPath == folder || deep && strings.HasPrefix(importPath, folder+"/") {
				return i
			}
		}
	}
	return -1
}

func topFolder(importPath string) string {
	top, _, _ := strings.Cut(importPath, "/")
	return top
}

// listPackages returns the packages of the module, their paths relative to it.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	packages := goList(t, "./...")
	for i := range packages {
		p := &packages[i]
		p.ImportPath = strings.TrimPrefix(p.ImportPath, module+"/")
	}
	return packages
}

// goList runs `go list -json` at the root of the module.
func goList(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, patterns...)...)
	cmd.Dir = ".."
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", patterns, err, stderr.String())
	}
	var packages []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatalf("go list %s names no packages", patterns)
	}
	return packages
}
