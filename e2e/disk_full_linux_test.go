package e2e

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoMoreFiles migrates to a file system that has room for bytes and not for files.
func TestNoMoreFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	job, target := cube(t, dir, 64, "zstd")
	finished := undisturbed(t, job, target)
	small := filepath.Dir(write(t, dir, "small/empty", nil))
	mount := func(options string) error {
		return exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", options, "tmpfs", small).Run()
	}
	if err := mount("size=64m,nr_inodes=40"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", small).Run(); err != nil {
			t.Errorf("umount %s: %v", small, err)
		}
	})
	place := filepath.Join(small, "out.zarr")
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
	if err := mount("remount,size=64m,nr_inodes=100000"); err != nil {
		t.Fatal(err)
	}
	if err := zmigrate(t.Context(), t, "run", "--set", "target.url="+place, job).Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finished, tree(t, place)); diff != "" {
		t.Errorf("(-undisturbed +full):\n%s", diff)
	}
	checkNoLeftovers(t, place)
}
