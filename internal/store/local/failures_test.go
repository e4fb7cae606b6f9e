package local

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// TestReadAllOfAFileThatShrinks cuts a file off after its size was asked for.
func TestReadAllOfAFileThatShrinks(t *testing.T) {
	d := opened(t)
	if _, err := d.Put(t.Context(), "k", []byte("four"), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	data, _, err := d.ReadAll(t.Context(), "k", 10, func(n int) []byte {
		if err := os.Truncate(d.path("k"), 2); err != nil {
			t.Error(err)
		}
		return make([]byte, n)
	})
	if short, ok := errors.AsType[*driver.ShortError](err); !ok || short.Want != 4 || short.Size != 2 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", data, err)
	}
}

// TestFoldersThatAreNotFlushed: a folder whose flush failed is flushed by the next Sync. Here
// a link in a circle takes the folder's place for a while.
func TestFoldersThatAreNotFlushed(t *testing.T) {
	d := opened(t)
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Symlink(dir, dir); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	d.unsynced[dir] = true
	for range 2 {
		if err := d.syncDirs(); err == nil {
			t.Error("no error about a folder that cannot be opened")
		}
	}
	if err := errors.Join(os.Remove(dir), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := d.syncDirs(); err != nil || len(d.unsynced) != 0 {
		t.Errorf("%v, %d folders are left", err, len(d.unsynced))
	}
}

// TestObjectThatIsLost: a folder has taken the place of an object of a batch. The error
// names the object.
func TestObjectThatIsLost(t *testing.T) {
	d := opened(t)
	for _, key := range []string{"a", "b"} {
		if _, err := d.Put(t.Context(), key, []byte("x"), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(d.path("b"), "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "object b is lost") {
		t.Errorf("got %v", err)
	}
}

// TestChangesThatWait: a call gives up when its context ends while another call changes the
// folder.
func TestChangesThatWait(t *testing.T) {
	d := opened(t)
	if err := d.lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Create(ctx, "k", []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("create: %v", err)
	}
	if err := d.Delete(ctx, "k"); !errors.Is(err, context.Canceled) {
		t.Errorf("delete: %v", err)
	}
	if len(d.tree) != 0 {
		t.Fatal("the call released what another one holds")
	}
	d.unlock()
	if found := keys(t, d); len(found) != 0 {
		t.Errorf("it stored %q", found)
	}
}
