package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLayeringFiles compares the files of a package with the list in its doc.go, if
// there is one. The list names the files bottom up, and each file uses only
// declarations of files above it in the list.
func TestLayeringFiles(t *testing.T) {
	listed := map[string][]string{} // files by the paths of their packages
	for _, p := range goList(t, "./...") {
		folder := filepath.Join("..", filepath.FromSlash(strings.TrimPrefix(p.ImportPath, module)))
		if files := listedFiles(t, folder); files != nil {
			listed[p.ImportPath] = files
		}
	}
	if len(listed) == 0 {
		t.Fatal("no package lists its files")
	}
	built := buildPackages(t, slices.Sorted(maps.Keys(listed)))
	for path, files := range listed {
		for _, fault := range filesThatRunUp(t, path, files, built) {
			t.Error(fault)
		}
	}
}

// listedFiles returns the files that the package comment in doc.go lists, in its order.
// It returns nil if there is no list.
func listedFiles(t *testing.T, folder string) (files []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "doc.go"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", text, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	var p comment.Parser
	for _, block := range p.Parse(f.Doc.Text()).Content {
		code, ok := block.(*comment.Code)
		if !ok || !strings.Contains(code.Text, ".go ") {
			continue
		}
		for line := range strings.Lines(code.Text) {
			if name, _, _ := strings.Cut(line, " "); strings.HasSuffix(name, ".go") {
				files = append(files, name)
			}
		}
	}
	return files
}

// builtPackage is the output of `go list -export` for a package.
type builtPackage struct {
	ImportPath string
	Export     string // the file with the declarations of the package
	GoFiles    []string
}

// buildPackages returns packages, and all packages that they import, by their paths.
func buildPackages(t *testing.T, paths []string) map[string]builtPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export,GoFiles"}, paths...)...)
	cmd.Dir = ".."
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -export: %v\n%s", err, stderr.String())
	}
	built := map[string]builtPackage{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p builtPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return built
		} else if err != nil {
			t.Fatal(err)
		}
		built[p.ImportPath] = p
	}
}

// filesThatRunUp compares the files of a package with their list, and returns the
// contradictions.
func filesThatRunUp(t *testing.T, path string, files []string, built map[string]builtPackage) (faults []string) {
	t.Helper()
	folder := filepath.Join("..", filepath.FromSlash(strings.TrimPrefix(path, module)))
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range built[path].GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(folder, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
		if name != "doc.go" && !slices.Contains(files, name) {
			faults = append(faults, fmt.Sprintf("%s: doc.go does not list %s", path, name))
		}
	}
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			faults = append(faults, fmt.Sprintf("%s: doc.go lists %s: %v", path, name, err))
		}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(built[path].Export) })}
	checked, err := config.Check(path, set, parsed, &info)
	if err != nil {
		t.Fatal(err)
	}
	type tie struct{ from, to string }
	ties := map[tie][]string{} // names that one file uses of another
	for id, used := range info.Uses {
		if used.Pkg() != checked {
			continue
		}
		x := tie{filepath.Base(set.Position(id.Pos()).Filename), filepath.Base(set.Position(used.Pos()).Filename)}
		if at, of := slices.Index(files, x.from), slices.Index(files, x.to); at >= 0 && at < of {
			ties[x] = append(ties[x], used.Name())
		}
	}
	for x, names := range ties {
		slices.Sort(names)
		faults = append(faults, fmt.Sprintf("%s: %s uses %s of %s, which lies below it in the list of doc.go",
			path, x.from, strings.Join(slices.Compact(names), ", "), x.to))
	}
	slices.Sort(faults)
	return faults
}
