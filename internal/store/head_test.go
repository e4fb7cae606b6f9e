//go:build !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestHead: the digest of the first bytes of a file changes with an edit of these bytes
// that leaves the file's size and time unchanged. Edits behind these bytes do not count.
func TestHead(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	const headBytes = 64 << 10
	head := func(text []byte) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "k"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		digest, err := s.Head(t.Context(), "k")
		if err != nil || digest == "" {
			t.Fatal(digest, err)
		}
		return digest
	}
	text := make([]byte, headBytes+10)
	first := head(text)
	text[headBytes] = 1
	if head(text) != first {
		t.Error("what is behind the first bytes counts")
	}
	text[headBytes-1] = 1
	if head(text) == first {
		t.Error("the last of the first bytes does not count")
	}
	if head(text[:1]) == head(text[:2]) {
		t.Error("the length of a short file does not count")
	}
	if _, err := s.Head(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if digest, err := s.Head(t.Context(), "folder"); err == nil {
		t.Errorf("a folder has the digest %s", digest)
	}
}
