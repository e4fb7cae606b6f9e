//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
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

// TestLocalAbortAfterFailedClose gives up an object that waits in a full batch. The batch
// could not be published.
func TestLocalAbortAfterFailedClose(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "root"), Options{})
	d := s.driver.(*local)
	ctx, cancel := context.WithCancel(t.Context())
	w, err := s.NewWriter(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(random(1, threeParts(s))); err != nil {
		t.Fatal(err)
	}
	for i := range batchFiles - 1 {
		if err := s.Put(t.Context(), fmt.Sprint(i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.lock(t.Context()); err != nil { // as if another batch were being published
		t.Fatal(err)
	}
	s.requests.fault = func(op, _ string) error {
		if op == "close" {
			cancel() // before Close gets the lock
		}
		return nil
	}
	if err := w.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	d.unlock()
	if err := w.Abort(); err != nil {
		t.Errorf("abort: %v", err)
	}
	put(t, s, nil)
	if got := keys(t, s, ""); len(got) != batchFiles-1 || slices.Contains(got, "k") || unfinished(t, s) != 0 {
		t.Errorf("%d objects, %d unfinished", len(got), unfinished(t, s))
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
