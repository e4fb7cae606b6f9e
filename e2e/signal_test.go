package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSecondSignal checks that the second signal ends the program at once. The program
// does not wait for a chunk that takes seconds to compress, and does not record it. The
// next run does this chunk.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	write(t, dir, "data.bin", bytes.Repeat(smooth(1<<20), 16))
	job := write(t, dir, "slow.yaml", []byte(`zmigrate: 1
source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [16777216]}}}
target: {url: out.zarr}
arrays: {a: {chunks: [16777216], codecs: [bytes, {numcodecs.lzma: {preset: 9}}]}}
`))
	program := build(t)
	c := exec.CommandContext(t.Context(), program, "run", "--json", job)
	messages, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	startRun(t, c)
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	lines := bufio.NewScanner(messages)
	for lines.Scan() && !strings.Contains(lines.Text(), "a second signal stops at once") {
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, messages); err != nil {
		t.Error(err)
	}
	var ended *exec.ExitError
	if err := c.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 130 {
		t.Errorf("ended with %v, want status 130", err)
	}
	target := filepath.Join(dir, "out.zarr")
	if recorded := inJournal(t, job, target); len(recorded) > 0 {
		t.Errorf("%d chunks were waited for", len(recorded))
	}
	if err := prepare(t.Context(), t, program, "run", "--set", "arrays.a.codecs=[bytes]", "--set", "target.existing=overwrite", job).Run(); err != nil {
		t.Errorf("the next run: %v", err)
	}
	checkNoLeftovers(t, target)
}
