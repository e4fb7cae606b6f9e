package local

import (
	"errors"
	"syscall"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// TestFileThatFails reads a file of which no byte can be read.
func TestFileThatFails(t *testing.T) {
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
