package local

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// TestFilesAreClosed: what reads a whole file, or its beginning, leaves no file open.
func TestFilesAreClosed(t *testing.T) {
	d := opened(t)
	if _, err := d.Put(t.Context(), "k", []byte("text"), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() error{
		"ReadAll": func() error {
			_, _, err := d.ReadAll(t.Context(), "k", 10, func(n int) []byte { return make([]byte, n) })
			return err
		},
		"Head": func() error {
			_, err := d.Head("k")
			return err
		},
	} {
		if err := read(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := descriptorsOf(t, d.path("k")); n != 0 {
			t.Errorf("%s leaves %d descriptors open", name, n)
		}
	}
}

// descriptorsOf returns how many descriptors this process has open for a file.
func descriptorsOf(t *testing.T, file string) (n int) {
	t.Helper()
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("the system does not list open files: %v", err)
	}
	for _, e := range open {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && to == file {
			n++
		}
	}
	return n
}
