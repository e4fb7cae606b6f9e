// Package python runs scripts in Python. Tests use them to compare the formats with
// libraries in C.
package python

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Start runs a script and returns its standard input and output. It is for tests of
// packages in the folders of codecs. The Python is that of $ZMIGRATE_PYTHON, or of `make
// interop`. At the end of the test, Start closes the script's input, which ends the
// script; a script that fails makes the test fail. If there is no Python with the module,
// the test is skipped or, if ZMIGRATE_REQUIRE_PEERS is 1, fails.
func Start(t *testing.T, module, script string) io.ReadWriter {
	t.Helper()
	python := os.Getenv("ZMIGRATE_PYTHON")
	if python == "" {
		python = filepath.Join("..", "..", ".cache", "interop", "bin", "python")
	}
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import "+module).CombinedOutput(); err != nil {
		if os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1" {
			t.Fatalf("no Python with %s: %v\n%s", module, err, out)
		}
		t.Skipf("needs a Python with %s, named by ZMIGRATE_PYTHON: %v", module, err)
	}
	cmd := exec.Command(python, script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	})
	return struct {
		io.Reader
		io.Writer
	}{out, in}
}
