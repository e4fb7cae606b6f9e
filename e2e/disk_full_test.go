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
	place, remount := smallFileSystem(t, dir, "size=2m")
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
	remount("size=64m")
	checkGoesOn(t, job, place, finished)
}

// TestNoMoreFiles migrates to a file system that has room for bytes and not for files.
func TestNoMoreFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	job, target := cube(t, dir, 64, "zstd")
	finished := undisturbed(t, job, target)
	place, remount := smallFileSystem(t, dir, "size=64m,nr_inodes=40")
	for _, test := range []struct {
		command, want string
		status        int
	}{
		{"plan", "objects may still be written, and the file system has room for 39 files (shards hold many chunks in one object", 0},
		{"run", ", and the target has 832 objects; ", 1},
	} {
		c := zmigrate(t.Context(), t, test.command, "--set", "target.url="+place, job)
		var message bytes.Buffer
		c.Stderr = &message
		_ = c.Run()
		if status := c.ProcessState.ExitCode(); status != test.status || !bytes.Contains(message.Bytes(), []byte(test.want)) {
			t.Errorf("%s ended with %d and does not say %q: %s", test.command, status, test.want, &message)
		}
	}
	checkUnfinished(t, place, finished)
	remount("size=64m,nr_inodes=100000")
	checkGoesOn(t, job, place, finished)
}

// smallFileSystem mounts a file system in memory below dir. place is a target there. remount gives the file
// system other options.
func smallFileSystem(t *testing.T, dir, options string) (place string, remount func(options string)) {
	t.Helper()
	small := filepath.Dir(write(t, dir, "small/empty", nil))
	mount := func(options string) error {
		return exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", options, "tmpfs", small).Run()
	}
	if err := mount(options); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", small).Run(); err != nil {
			t.Errorf("umount %s: %v", small, err)
		}
	})
	return filepath.Join(small, "out.zarr"), func(options string) {
		if err := mount("remount," + options); err != nil {
			t.Fatal(err)
		}
	}
}

// checkGoesOn runs a job into a target that an earlier run could not finish, and compares the target with the one of a
// run that nothing disturbed.
func checkGoesOn(t *testing.T, job, place string, finished map[string]string) {
	t.Helper()
	if err := zmigrate(t.Context(), t, "run", "--set", "target.url="+place, job).Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finished, tree(t, place)); diff != "" {
		t.Errorf("(-undisturbed +full):\n%s", diff)
	}
	checkNoLeftovers(t, place)
}
