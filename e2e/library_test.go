package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestLibraryPage builds the programs of docs/library.md in a module of their own, as
// other programs are, and runs them one after the other. They print what the page says.
func TestLibraryPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(.*?)```\n(?:\n[^\n`]*:\n\n```text\n(.*?)```)?").FindAllStringSubmatch(string(page), -1)
	if len(programs) != 6 {
		t.Fatalf("the page has %d programs", len(programs))
	}
	dir := outsideModule(t)
	file, err := filepath.Abs(example)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, filepath.Join(dir, "coads_climatology.cdf")); err != nil {
		t.Fatal(err)
	}
	const job = "{zmigrate: 1, source: {driver: netcdf, url: coads_climatology.cdf}, target: {url: 'TARGET'}}\n"
	bucket := serve(t).url("coads.zarr")
	write(t, dir, "bucket.yaml", []byte(strings.Replace(job, "TARGET", bucket, 1)))
	write(t, dir, "job.yaml", []byte(strings.Replace(job, "TARGET", "coads.zarr", 1)))
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "bucket.yaml"))
	// Linking takes most of the time, so one program links them all: each is a package
	// there, and its main a function Main.
	var imports, mains strings.Builder
	for i, p := range programs {
		checkProgram(t, p[1])
		name := fmt.Sprint("program", i+1)
		source := strings.NewReplacer("package main\n", "package "+name+"\n", "\nfunc main() {", "\nfunc Main() {",
			"s3://climate/coads.zarr?region=eu-west-1", bucket).Replace(p[1])
		write(t, dir, name+"/main.go", []byte(source))
		fmt.Fprintf(&imports, "import %q\n", "example.com/outside/"+name)
		fmt.Fprintf(&mains, "%q: %s.Main, ", name, name)
	}
	write(t, dir, "main.go", fmt.Appendf(nil, "package main\nimport \"os\"\n%sfunc main() { map[string]func(){%s}[os.Args[1]]() }\n", &imports, &mains))
	inModule(t, dir, "go", "build", "-mod=mod", "-ldflags=-s -w", "-o", "programs", ".")
	for i, p := range programs {
		if out := inModule(t, dir, "./programs", fmt.Sprint("program", i+1)); out != p[2] {
			t.Errorf("program %d prints %q, the page says %q", i+1, out, p[2])
		}
	}
	sst, err := readAll(t, dir, "sst.zarr", "SST")
	if want, _ := readAll(t, dir, "coads.zarr", "SST"); err != nil || !bytes.Equal(sst, want) {
		t.Errorf("the converted variable holds other values than the job's array, error %v", err)
	}
	if heights, err := readAll(t, dir, "heights.zarr", "heights"); err != nil || len(heights) != 4*1010*2000 {
		t.Errorf("the sharded array, with rows appended, has %d bytes, error %v", len(heights), err)
	}
	if _, err := readAll(t, dir, "inverted.zarr", "bits"); !errors.Is(err, codecs.ErrUnknown) {
		t.Errorf("an array with a codec of another program: %v", err)
	}
}

// readAll returns the bytes of an array.
func readAll(t *testing.T, dir, target, name string) ([]byte, error) {
	t.Helper()
	src, err := zarr.Open(t.Context(), filepath.Join(dir, target), zarr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close() //nolint:errcheck // it was only read
	a, err := src.Array(t.Context(), name)
	if err != nil {
		return nil, err
	}
	values := ndarray.New(a.Info().Type, a.Info().Shape)
	return values.Data, a.ReadRegion(t.Context(), values, make([]int, len(values.Shape)))
}

// outsideModule makes a module that requires this one.
func outsideModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module "+module, "module example.com/outside", 1)
	write(t, dir, "go.mod", []byte(text+"\nrequire "+module+" v0.0.0\n\nreplace "+module+" => "+root+"\n"))
	sum, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.sum", sum)
	return dir
}

// inModule runs a command and returns its output.
func inModule(t *testing.T, dir, name string, arguments ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, arguments...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, arguments, err, stderr.String())
	}
	return string(out)
}

// checkProgram refuses a program that is not formatted, or that is long. A codec is a type
// with methods, and may be longer.
func checkProgram(t *testing.T, source string) {
	t.Helper()
	if formatted, err := format.Source([]byte(source)); err != nil || string(formatted) != source {
		t.Errorf("gofmt would change a program (error %v):\n%s", err, formatted)
	}
	_, body, _ := strings.Cut(source, "\n)\n\n")
	most := 29
	if strings.Contains(body, "registry.Register") {
		most = 40
	}
	if lines := strings.Count(body, "\n"); lines == 0 || lines > most {
		t.Errorf("a program has %d lines below its imports, at most %d wanted:\n%s", lines, most, source)
	}
}
