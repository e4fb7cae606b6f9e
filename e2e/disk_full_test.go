package e2e

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDiskFull migrates to a file system that is too small, and again when there is
// room.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	job, target := cube(t, dir, 64, "zstd")
	finished := undisturbed(t, job, target)
	small := filepath.Dir(write(t, dir, "small/empty", nil))
	mount := func(options string) error {
		return exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", options, "tmpfs", small).Run()
	}
	if err := mount("size=2m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", small).Run(); err != nil {
			t.Errorf("umount %s: %v", small, err)
		}
	})
	place := filepath.Join(small, "out.zarr")
	arguments := []string{"run", "--set", "target.url=" + place, job}
	for range 2 { // the second time, the file system is still full
		c := zmigrate(t.Context(), t, arguments...)
		var message bytes.Buffer
		c.Stderr = &message
		var ended *exec.ExitError
		if err := c.Run(); !errors.As(err, &ended) || ended.ExitCode() != 1 {
			t.Fatalf("ended with %v, want status 1: %s", err, &message)
		}
		if !bytes.Contains(message.Bytes(), []byte(syscall.ENOSPC.Error())) {
			t.Errorf("the message does not say what is wrong: %s", &message)
		}
		if !bytes.Contains(message.Bytes(), []byte(" are free there, and the whole target takes at most ")) {
			t.Errorf("the message names no amount: %s", &message)
		}
		messages := 0
		for line := range bytes.Lines(message.Bytes()) {
			if !bytes.HasPrefix(line, []byte("time=")) { // log lines
				messages++
			}
		}
		if messages != 1 {
			t.Errorf("%d messages, want one: %s", messages, &message)
		}
		checkUnfinished(t, place, finished)
	}
	if err := mount("remount,size=64m"); err != nil {
		t.Fatal(err)
	}
	if err := zmigrate(t.Context(), t, arguments...).Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finished, tree(t, place)); diff != "" {
		t.Errorf("(-undisturbed +full):\n%s", diff)
	}
	checkNoLeftovers(t, place)
}
