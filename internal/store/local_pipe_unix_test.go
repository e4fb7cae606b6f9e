//go:build unix && !nos3 && !nogcs && !noazure

package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

func TestLocalRefusesPipes(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, root, Options{})
	if _, err := s.ReadAll(t.Context(), "pipe", 10); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("read: %v", err)
	}
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("listed: %q", got)
	}
}
