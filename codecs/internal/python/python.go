// Package python runs the libraries in C that the formats are compared with in
// tests, by way of Python.
package python

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Start runs a script for the test of a package in a folder of codecs, by
// $ZMIGRATE_PYTHON or the Python of `make interop`, and returns its standard input
// and output. The script ends with its input, at the end of the test, and fails the
// test if it fails. Without a Python that has the module the test is skipped, or
// fails where ZMIGRATE_REQUIRE_PEERS is 1.
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
