package store

import (
	"errors"
	"os"
	"testing"
)

// TestNoWorkingDirectory opens a relative path where the working directory was removed.
func TestNoWorkingDirectory(t *testing.T) {
	dir := t.TempDir() + "/gone"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Skip("this system removes no working directory:", err)
	}
	if s, err := Open(t.Context(), "x", Options{}); err == nil || s != nil {
		t.Errorf("opened %v, %v", s, err)
	}
}

// TestGlobOfNoStore looks for folders in a place that cannot be opened.
func TestGlobOfNoStore(t *testing.T) {
	if urls, err := GlobFolders(t.Context(), "s3://bucket/a*/b", Options{}); !errors.Is(err, errNoBudget) {
		t.Errorf("got %q, %v", urls, err)
	}
}

// TestJoinOfNoURL resolves what is no URL.
func TestJoinOfNoURL(t *testing.T) {
	if url, err := Join("data", "s3:x"); err == nil {
		t.Errorf("got %q", url)
	}
}
