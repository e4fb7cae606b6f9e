//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLocalWriterIsInvisibleUntilSync(t *testing.T) {
	parent := t.TempDir()
	s, err := Open(t.Context(), filepath.Join(parent, "root"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"synced", "dropped"} {
		if err := write(t.Context(), s, key, random(1, threeParts(s)), 1<<20); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Stat(t.Context(), key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("before Sync: %v", err)
		}
		if key == "synced" {
			put(t, s, nil)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"root/synced"}, tree(t, parent)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLocalWriterDiskFull writes to a file system that is too small.
func TestLocalWriterDiskFull(t *testing.T) {
	small := t.TempDir()
	mount := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", small)
	if err := mount.Run(); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", small).Run(); err != nil {
			t.Errorf("umount %s: %v", small, err)
		}
	})
	s, err := Open(t.Context(), filepath.Join(small, "root"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), s, "large", random(1, 4<<20), 300_000); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("large: %v", err)
	}
	if err := s.Put(t.Context(), "large", random(1, 4<<20)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("large, at once: %v", err)
	}
	if n := unfinished(t, s); n != 0 {
		t.Errorf("%d unfinished", n)
	}
	if err := write(t.Context(), s, "fits", random(2, 1<<20+1), 300_000); err != nil {
		t.Errorf("after the large one was given up: %v", err)
	}
	put(t, s, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"root/fits"}, tree(t, small)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
