package local

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// TestFileThatFails reads a file of which no byte can be read.
func TestFileThatFails(t *testing.T) {
	f, err := os.Open("/proc/self/mem")
	if err == nil {
		_, err = f.ReadAt(make([]byte, 1), 0)
		_ = f.Close()
	}
	if !errors.Is(err, syscall.EIO) {
		t.Skip("this system has no such file:", err)
	}
	d := openedAt(t, "/proc/self", "")
	if err := d.Read(t.Context(), "mem", make([]byte, 4), 0, driver.Info{}); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
	if digest, err := d.Head("mem"); !errors.Is(err, syscall.EIO) {
		t.Errorf("%q, %v", digest, err)
	}
}

// TestChangeTime: the system tells when a file was changed.
func TestChangeTime(t *testing.T) {
	d := opened(t)
	put(t, d, "k", "x")
	if info, err := d.Stat(t.Context(), "k"); err != nil || info.Changed.Before(info.ModTime) {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestFolderThatIsNeverFlushed: there are file systems that flush no folders.
func TestFolderThatIsNeverFlushed(t *testing.T) {
	if err := syncDir("/proc/self"); err != nil {
		t.Error(err)
	}
}

// TestFolderThatIsNeverMade: there are file systems in which nobody makes a folder.
func TestFolderThatIsNeverMade(t *testing.T) {
	d := openedAt(t, "/proc/none", "")
	for _, dir := range []string{"/proc/none", "/proc/none/below"} {
		if err := d.mkdir(dir); err == nil {
			t.Errorf("%s was made", dir)
		}
	}
	if err := d.place("a/k", func(string) error { return fs.ErrNotExist }); err == nil {
		t.Error("an object has a place")
	}
	if len(d.unsynced) != 0 {
		t.Errorf("%v are to be flushed", d.unsynced)
	}
}

// TestWriteExclusiveDiskFull: what does not fit is removed.
func TestWriteExclusiveDiskFull(t *testing.T) {
	small := t.TempDir()
	if err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small).Run(); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", small).Run(); err != nil {
			t.Errorf("umount %s: %v", small, err)
		}
	})
	if err := writeExclusive(filepath.Join(small, "k"), make([]byte, 1<<20)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(small); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
