package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWine migrates and verifies with the program for Windows, run by Wine. Targets are relative paths, paths with a
// drive and URLs. They have the same bytes as a target that this system writes.
func TestWine(t *testing.T) {
	wine := os.Getenv("ZMIGRATE_WINE")
	if wine == "" {
		t.Skip("set ZMIGRATE_WINE to the command of Wine to run the program for Windows")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "zmigrate.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../cmd/zmigrate")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func(status int, want string, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), wine, append([]string{program}, args...)...)
		c.Dir, c.Env = dir, append(os.Environ(), "WINEDEBUG=-all")
		out, err := c.CombinedOutput()
		if ended, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok || ok && ended.ExitCode() != status || err == nil && status != 0 {
			t.Fatalf("%q ended with %v, want status %d: %s", args, err, status, out)
		}
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("%q does not say %q: %s", args, want, out)
		}
	}
	run(0, "windows/amd64", "version")

	job, target := cube(t, dir, 32, "zstd")
	finished := undisturbed(t, job, target)
	onDrive := `Z:` + strings.ReplaceAll(dir, "/", `\`)
	for name, url := range map[string]string{
		"relative": `new\folder\out.zarr`, "with a drive": onDrive + `\drive.zarr`, "a URL": "file:///Z:" + dir + "/url.zarr",
	} {
		place := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(url, "file:///"), "Z:"), `\`, "/")
		if !filepath.IsAbs(place) {
			place = filepath.Join(dir, place)
		}
		run(0, "", "run", "--progress", "none", "--set", "target.url="+url, job)
		if diff := cmp.Diff(finished, tree(t, place)); diff != "" {
			t.Errorf("%s: (-this system +Windows):\n%s", name, diff)
		}
		run(0, "nothing to do", "run", "--progress", "none", "--set", "target.url="+url, job)
		run(0, "differences  0", "verify", "--level", "source", "--set", "target.url="+url, job)
	}
	run(2, "which is the name of a device of Windows", "plan", "--set", "target.url=out.zarr", "--set", "arrays.field/line.rename=aux", job)
}
