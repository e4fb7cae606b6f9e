package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestOpenFiles: a file that leaves the cache stays open for those who read it, and is closed
// behind the last of them.
func TestOpenFiles(t *testing.T) {
	dir := t.TempDir()
	files := newOpenFiles(1)
	t.Cleanup(func() {
		if err := files.close(); err != nil {
			t.Error(err)
		}
	})
	open := func(name string) (*os.File, func()) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, release, err := files.open(name)
		if err != nil {
			t.Fatal(err)
		}
		return f, release
	}
	first, releaseOne := open("a")
	_, releaseOther := open("a")
	_, release := open("b")
	release()
	read := func() error { _, err := first.ReadAt(make([]byte, 1), 0); return err }
	if err := read(); err != nil {
		t.Errorf("with two readers: %v", err)
	}
	releaseOne()
	if err := read(); err != nil {
		t.Errorf("with one reader: %v", err)
	}
	releaseOther()
	if err := read(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("without readers: %v", err)
	}
}
